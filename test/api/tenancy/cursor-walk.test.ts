import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { rounds } from '../../support/extent/extent.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  isOfObjects,
  newIds,
  type Plant,
  pathOf,
  plantOfList,
} from '../../support/gateway/plants.ts'
import { admitted } from '../../support/requests/admitted.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const lists = routes
  .filter(({ query }) => query !== undefined && 'cursor' in query.shape)
  .filter(({ path }) => isOfObjects(path))
  .map(({ path }) => plantOfList(path))

/** The ids of a whole list, page by page. */
async function walk(plant: Plant, { id: accountId, liveKey }: TestAccount): Promise<string[]> {
  const list = await pathOf(plant, gateway.database, { accountId, environment: 'live' })
  const ids: string[] = []
  for (let query = '?limit=37'; query !== ''; ) {
    const { body, status } = await admitted(() => gateway.live.get(`/v1${list}${query}`, liveKey))
    expect(status).toBe(200)
    const { items, next_cursor: next } = Object(body)
    ids.push(...items.map((item: object) => new Map(Object.entries(item)).get(plant.idMember)))
    query = next === null ? '' : `?limit=37&cursor=${next}`
  }
  return ids
}

interface Churn {
  readonly old: readonly string[]
  /** Half of them come late: their ids are among the old ones. */
  readonly inserted: readonly string[]
  /** Every other old one, and every other inserted one. */
  readonly deleted: readonly string[]
}

const anHourMs = 3_600_000
/** Half of them insert a row, the others delete one. */
const changes = rounds('CURSOR_CHANGES', { all: 60, nightly: 20_000 })

function planChurn({ prefix }: Plant): Churn {
  const startMs = Date.now() - anHourMs
  const old = Array.from({ length: changes / 2 }, (_, index) =>
    newId(prefix, startMs + index * 1000),
  )
  const late = Array.from({ length: changes / 4 }, (_, index) =>
    newId(prefix, startMs + index * 2000 + 500),
  )
  const inserted = newIds(prefix, changes / 4).flatMap((id, index) => [id, late[index] ?? ''])
  const everyOther = (_: string, index: number) => index % 4 < 2
  const deleted = [...old.filter(everyOther), ...inserted.filter(everyOther)]
  return { old, inserted, deleted }
}

describe.each(lists)('a full walk over /v1$list', (plant) => {
  test(`shows every surviving old row exactly once under ${changes} inserts and deletes`, async () => {
    const account = await gateway.createAccount()
    const owner = { accountId: account.id, environment: 'live', canary: 'row' } as const
    const { old, inserted, deleted } = planChurn(plant)
    await plant.put(gateway.database, { ...owner, ids: old })
    let done = 0

    async function insertAndDelete(): Promise<void> {
      for (const [index, id] of inserted.entries()) {
        await plant.put(gateway.database, { ...owner, ids: [id] })
        // A row can be deleted only after it was inserted.
        await plant.take(gateway.database, deleted.slice(index, index + 1))
        done += 2
      }
    }

    const churning = insertAndDelete()
    const walks: string[][] = []
    while (done < changes) walks.push(await walk(plant, account))
    await churning

    const gone = new Set(deleted)
    const survivors = old.filter((id) => !gone.has(id)).toReversed()
    const wasOld = new Set(old)
    for (const ids of walks) {
      expect(ids).toEqual(ids.toSorted().toReversed())
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.filter((id) => wasOld.has(id) && !gone.has(id))).toEqual(survivors)
    }
    console.info(
      `${plant.list}: ${walks.length} walks of ${survivors.length} surviving rows, ${changes} changes meanwhile`,
    )
  })
})
