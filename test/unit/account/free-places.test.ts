import 'reflect-metadata'
import { afterEach, expect, test, vi } from 'vitest'
import { reserveUnlocked } from '../../../subgraphs/account/holds/free-places.ts'
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

test('for a second, only patient batches wait for a balance that was locked; others answer so at once, and go on', async () => {
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
  const reserve = (isPatient: boolean) =>
    reserveUnlocked(database, items, { reserveAll: (some) => reserveAll([...some]), isPatient })

  const first = await reserve(false)
  const second = await reserve(false)
  const patient = await reserve(true)
  locked.clear()
  const third = await reserve(false)
  const last = await reserve(true)

  const withoutHeld = [accepted, refused, accepted]
  expect([first, second, patient, third]).toEqual(Array(4).fill(withoutHeld))
  expect(last).toEqual([accepted, accepted, accepted])
  const [all, others] = [
    ['first', 'held', 'last'],
    ['first', 'last'],
  ]
  expect(tried).toEqual([all, others, others, all, others, others, all])
  // After each attempt that a lock has ended.
  expect(looks()).toBe(2)
})
