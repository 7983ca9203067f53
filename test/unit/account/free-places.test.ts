import 'reflect-metadata'
import { afterEach, expect, test, vi } from 'vitest'
import { placesToTry, reserveUnlocked } from '../../../subgraphs/account/holds/free-places.ts'
import { ReservationVerdict } from '../../../subgraphs/account/holds/hold-batch.type.ts'
import { itemsOf } from '../../../subgraphs/account/holds/hold-values.ts'
import type { AllTenantsDatabase } from '../../../subgraphs/shared/database/database.ts'

/** Another transaction has the balances of these accounts; counts the looks at balances. */
function databaseWith(locked: ReadonlySet<string>) {
  let looks = 0
  const database = {
    async query(_: unknown, [accountIds]: readonly (readonly string[])[]) {
      looks += 1
      return (accountIds ?? []).flatMap((id, index) =>
        locked.has(id) ? [] : [{ place: index + 1 }],
      )
    },
  } as unknown as AllTenantsDatabase
  return { database, looks: () => looks }
}

function itemsOfAccounts(accountIds: readonly string[]) {
  return itemsOf({
    accountIds: [...accountIds],
    requestIds: accountIds.map((id) => `req ${id}`),
    environments: accountIds.map(() => 'live' as never),
    credits: accountIds.map(() => 1),
    endpoints: accountIds.map(() => '/t'),
    calls: accountIds.map(() => '[]'),
    ttlSeconds: 60,
  })
}

afterEach(() => vi.restoreAllMocks())

const accepted = { verdict: ReservationVerdict.accepted, available: 9 }
const refused = { verdict: ReservationVerdict.locked, available: 0 }

test('a batch waits once for a locked balance; then a look says whether it is free, and others go on', async () => {
  // All within the second for which a balance counts as locked.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  const locked = new Set(['held'])
  const { database, looks } = databaseWith(locked)
  const items = itemsOfAccounts(['first', 'held', 'last'])
  const tried: (readonly string[])[] = []
  async function reserveAll(some: typeof items) {
    tried.push(some.map(({ accountId }) => accountId))
    if (some.some(({ accountId }) => locked.has(accountId))) {
      throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    }
    return some.map(() => accepted)
  }
  const reserve = () => reserveUnlocked(database, items, (some) => reserveAll([...some]))

  const first = await reserve()
  const second = await reserve()
  locked.clear()
  const third = await reserve()

  expect([first, second, third]).toEqual([
    [accepted, refused, accepted],
    [accepted, refused, accepted],
    [accepted, accepted, accepted],
  ])
  const others = ['first', 'last']
  expect(tried).toEqual([['first', 'held', 'last'], others, others, ['first', 'held', 'last']])
  expect(looks()).toBe(3)
})

test('a batch of balances that were not locked is tried without a look', async () => {
  const { database, looks } = databaseWith(new Set())
  const batch = { accountIds: ['a', 'b'], environments: ['live', 'live'] as const, credits: [1, 1] }

  expect(await placesToTry(database, batch, [1, 0])).toEqual([1, 0])
  expect(looks()).toBe(0)
})
