import { expect, test } from 'vitest'
import { batched } from '../../../subgraphs/shared/database/batched.ts'
import type { AllTenantsDatabase, Database } from '../../../subgraphs/shared/database/database.ts'

const refuse = () => Promise.reject(new Error('There is no database.'))
const newDatabase = (): Database => {
  const database: AllTenantsDatabase = {
    ...{ schema: 'none', query: refuse, transaction: refuse, readLong: refuse, runLong: refuse },
    as: () => database,
  }
  return database
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Statements that are under way until they are ended. */
function heldStatements() {
  const batches: (readonly number[])[] = []
  const running: PromiseWithResolvers<void>[] = []
  const double = batched(async (_database, items: readonly number[]) => {
    batches.push(items)
    const held = Promise.withResolvers<void>()
    running.push(held)
    await held.promise
    return items.map((item, index) => ({ place: index + 1, double: 2 * item }))
  })
  return { batches, running, double }
}

/** A turn of the event loop, and those that were put off to the next. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('batched: calls that come during a statement share the next one', async () => {
  const database = newDatabase()
  const { batches, running, double } = heldStatements()

  const first = [double(database, 1), double(database, 2)]
  await turns()
  const second = [double(database, 3)]
  await turns()
  second.push(double(database, 4))
  await turns()

  expect(batches).toEqual([[1, 2]])
  running[0]?.resolve()
  expect(await Promise.all(first)).toMatchObject([{ double: 2 }, { double: 4 }])
  await turns()
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
  running[1]?.resolve()
  expect(await Promise.all(second)).toMatchObject([{ double: 6 }, { double: 8 }])
})

test('batched: a row goes to the item of its position, and an item without a row gets null', async () => {
  const oddOnly = batched(async (_database, items: readonly number[]) =>
    items
      .map((item, index) => ({ place: index + 1, item }))
      .filter(({ item }) => item % 2 === 1)
      .reverse(),
  )
  const database = newDatabase()

  const found = await Promise.all(numbers(5).map((item) => oddOnly(database, item)))

  expect(found).toEqual([null, { place: 2, item: 1 }, null, { place: 4, item: 3 }, null])
})

test('batched: a statement that fails rejects only the items that shared it', async () => {
  const half = batched(async (_database, items: readonly number[]) => {
    if (items.includes(13)) throw new Error('Not that one.')
    return items.map((item, index) => ({ place: index + 1, half: item / 2 }))
  })
  const database = newDatabase()

  const failed = await Promise.allSettled([half(database, 2), half(database, 13)])

  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await half(database, 2)).toEqual({ place: 1, half: 1 })
})

test('batched: a statement has at most 500 items, and all get their rows', async () => {
  const sizes: number[] = []
  const same = batched(async (_database, items: readonly number[]) => {
    sizes.push(items.length)
    return items.map((item, index) => ({ place: index + 1, item }))
  })
  const database = newDatabase()

  const found = await Promise.all(numbers(1200).map((item) => same(database, item)))

  expect(found.map((row) => row?.item)).toEqual(numbers(1200))
  expect(sizes).toEqual([500, 500, 200])
})

test('batched: tenants share no statement', async () => {
  const asked: Database[] = []
  const same = batched(async (database, items: readonly number[]) => {
    asked.push(database)
    return items.map((item, index) => ({ place: index + 1, item }))
  })
  const [one, other] = [newDatabase(), newDatabase()]

  await Promise.all([same(one, 1), same(other, 2)])

  expect(asked).toEqual([one, other])
  expect(asked[0]).toBe(one)
  expect(asked[1]).toBe(other)
})
