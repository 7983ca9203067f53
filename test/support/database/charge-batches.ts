import { expect } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createAskedLedger } from '../graph/asked-ledger.ts'
import type { TestGraph } from './graph.ts'

export interface Item {
  readonly accountId: string
  readonly credits: number
  readonly requestId?: string
  readonly keyHash?: string
}

export interface Batch {
  readonly requestIds: readonly string[]
  readonly credits: readonly number[]
}

export const call = '["proc_a","2026-01-02T03:04:05.000Z","POST","/t","test","",null,"key_a"]'
/** The facts of the call, as the sweeper of holds answers them. */
export const request = {
  ...{ endpoint: '/t', processId: 'proc_a', ts: '2026-01-02T03:04:05.000Z', method: 'POST' },
  ...{ route: '/t', service: 'test', traceId: '', backendModule: null, keyId: 'key_a' },
  ...{ clientId: null, externalId: null, endUser: null, isSession: false },
}

/** A batch in columns, which `reserve` and `settle` take. */
export function batchOf(items: readonly Item[]): Batch {
  return {
    requestIds: items.map(({ requestId }) => requestId ?? newId('req')),
    credits: items.map(({ credits }) => credits),
    ...{
      accountIds: items.map(({ accountId }) => accountId),
      environments: items.map(() => 'live'),
      endpoints: items.map(() => '/t'),
      calls: items.map(() => call),
      keyHashes: items.some(({ keyHash }) => keyHash)
        ? items.map(({ keyHash = null }) => keyHash)
        : null,
    },
  }
}

export interface ApartItem {
  readonly accountId: string
  readonly credits: number
  readonly requestId?: string
  readonly keyHash?: string | null
  /** Usually the `keyHash`. */
  readonly requestHash?: string
  readonly spenders?: readonly string[]
}

interface ApartOptions {
  readonly ttlSeconds?: number
  /** Whether balances are tried that were locked a moment ago. */
  readonly isPatient?: boolean
}

/** `ReserveApart`, which judges each request by itself; what it says of each. */
export async function reserveApart(
  { asService }: Pick<TestGraph, 'asService'>,
  items: readonly ApartItem[],
  { ttlSeconds = 60, isPatient = false }: ApartOptions = {},
) {
  const isKeyed = items.some(({ keyHash }) => keyHash)
  const batch = {
    requestIds: items.map(({ requestId }) => requestId ?? newId('req')),
    accountIds: items.map(({ accountId }) => accountId),
    environments: items.map(() => 'live'),
    credits: items.map(({ credits }) => credits),
    endpoints: items.map(() => '/t'),
    calls: items.map(() => call),
    ttlSeconds,
    keyHashes: items.map(({ keyHash = null }) => keyHash),
    requestHashes: items.map(({ keyHash = null, requestHash }) => requestHash ?? keyHash),
    keyTtlSeconds: 600,
    spenders: items.map(({ spenders = [] }) => spenders),
    counts: items.map(({ credits }) => credits),
    ...{ isApart: true, isPatient },
    ...(isKeyed ? {} : { keyHashes: null, requestHashes: null, keyTtlSeconds: null }),
  }
  const columns = Object(await asService('ReserveApart', { batch }))
  return items.map((_, index) => ({
    verdict: columns.verdicts[index],
    available: columns.available[index],
    answer: columns.answers[index],
    body: columns.bodies[index],
    reservedAt: columns.reservedAts[index],
    budgetRemaining: columns.budgetRemaining[index],
    refusing: columns.refusing[index],
  }))
}

/** Charges as the facade does, with no key and no budgets; returns the request. */
export async function charge(
  { as: execute }: Pick<TestGraph, 'as'>,
  { accountId, credits, requestId = newId('req') }: Item,
  processId = 'proc_a',
): Promise<string> {
  const ledger = createAskedLedger(execute, { databaseTimeoutMs: 30_000 })
  const hold = {
    ...{ requestId, accountId, environment: 'live' as const, credits, ttlSeconds: 60 },
    ...{
      endpoint: '/t',
      call: call.replace('proc_a', processId),
      idempotency: null,
      budgetOwners: [],
    },
  }
  const { verdict, reservedAt } = await ledger.reserve(hold)
  expect(verdict).toBe('accepted')
  const { outcome } = await ledger.settle({ hold, credits, reservedAt, kept: null })
  expect(outcome).toBe('captured')
  return requestId
}

/** Forgets holds, as after a crash of PostgreSQL that lost the last transactions. */
export async function forgetHoldsOf(
  { database }: Pick<TestGraph, 'database'>,
  { requestIds }: Pick<Batch, 'requestIds'>,
): Promise<void> {
  await database.query(
    `WITH gone AS (DELETE FROM account.hold WHERE request_id = ANY ($1) RETURNING *)
     UPDATE account.balance b SET held = b.held - g.credits
     FROM (SELECT account_id, environment, sum(credits) AS credits FROM gone
       GROUP BY account_id, environment) g
     WHERE b.account_id = g.account_id AND b.environment = g.environment`,
    [requestIds],
  )
}

/** The requests of a facade to the ledger, and the rows that they store. */
export interface Charges {
  readonly openAccount: (credits: number) => Promise<string>
  /** `ReserveBatch`; `more` replaces members of the batch. */
  readonly reserve: (batch: Batch, more?: object) => Promise<unknown>
  /** `SettleBatch`. */
  readonly settle: (batch: Batch, more?: object) => Promise<unknown>
  /** The balance, what is held by its own account and by the holds, and the charges in order. */
  readonly stateOf: (accountId: string) => Promise<object | undefined>
  /** Has the holds of the batch run out, and be swept; what the sweeper answers. */
  readonly runOut: (batch: Batch) => Promise<unknown>
}

/** Charges on a graph that is opened later. */
export function chargesOn(graphOf: () => TestGraph): Charges {
  return {
    async openAccount(credits) {
      const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits }
      const { account } = Object(await graphOf().asAdmin('CreateAccount', { input }))
      return account.id
    },
    reserve(batch, more = {}) {
      const keyed = 'keyHashes' in batch && batch.keyHashes
      const keys = keyed ? { requestHashes: keyed, keyTtlSeconds: 600 } : {}
      const asked = { ...batch, ttlSeconds: 60, ...keys, ...more }
      return graphOf().asService('ReserveBatch', { batch: asked })
    },
    settle(batch, more = {}) {
      return graphOf().asService('SettleBatch', { batch: { ...batch, ...more } })
    },
    async stateOf(accountId) {
      const [row] = await graphOf().database.query(
        `SELECT b.balance::int, b.held::int,
           (SELECT coalesce(sum(credits), 0)::int FROM account.hold h
             WHERE h.account_id = b.account_id) AS holds,
           array(SELECT -e.credits::int FROM account.ledger_entry e
             WHERE e.account_id = b.account_id AND e.kind = 'charge' ORDER BY e.seq) AS charges
         FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
        [accountId],
      )
      return row
    },
    async runOut({ requestIds }) {
      await graphOf().database.query(
        "UPDATE account.hold SET expires_at = now() - interval '1 s' WHERE request_id = ANY ($1)",
        [requestIds],
      )
      return graphOf().asService('ExpireHolds', { limit: 100 })
    },
  }
}
