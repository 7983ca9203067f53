import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { call } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { rounds } from '../../support/extent/extent.ts'
import { type AskedLedger, createAskedLedger } from '../../support/graph/asked-ledger.ts'

const steps = rounds('LOT_STEPS', { all: 150, nightly: 20_000 })
const workers = 6
const dayMs = 86_400_000

let graph: TestGraph
let ledger: AskedLedger
beforeAll(async () => {
  graph = await openTestGraph()
  ledger = createAskedLedger(graph.as, { databaseTimeoutMs: 30_000 })
})
afterAll(() => graph.close())

/** The work that is done, for steps that depend on it. */
interface World {
  readonly accountId: string
  readonly charged: string[]
  readonly payments: string[]
  readonly clawbacks: { readonly paymentId: string; readonly ref: string }[]
}

function upTo(most: number): number {
  return 1 + Math.floor(Math.random() * most)
}

function anyOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)]
}

function byHand(accountId: string, credits: number) {
  return { accountId, credits, reason: 'Test', idempotencyKey: newId('led') }
}

const works: readonly ((world: World) => Promise<unknown>)[] = [
  ({ accountId }) => graph.asAdmin('GrantCredits', { input: byHand(accountId, upTo(30)) }),
  ({ accountId }) => {
    const expiresAt = new Date(Date.now() + upTo(3) * dayMs).toISOString()
    const input = { ...byHand(accountId, upTo(30)), expiresAt, priority: upTo(100) }
    return graph.asAdmin('GrantCredits', { input })
  },
  ({ accountId }) => {
    const input = { ...byHand(accountId, -upTo(15)), allowNegative: Math.random() < 0.3 }
    return graph.asAdmin('AdjustCredits', { input }).catch(refused)
  },
  async ({ accountId, payments }) => {
    const paymentId = newId('pay')
    const days = Math.random() < 0.5 ? null : upTo(3)
    await graph.database.query(
      `SELECT account.post_credits($1, 'live', 'purchase', $2, 'Test', $3, $4,
         now() + make_interval(days => $5), 50, false)`,
      [accountId, upTo(60), paymentId, newId('led'), days],
    )
    payments.push(paymentId)
  },
  ...[spend, spend, spend],
  async ({ accountId, charged }) => {
    const requestId = anyOf(charged)
    if (requestId === undefined) return
    const input = { accountId, requestId, reason: 'Test', idempotencyKey: requestId }
    await graph.asAdmin('RefundCharge', { input })
  },
  async ({ accountId, payments, clawbacks }) => {
    const paymentId = anyOf(payments)
    if (paymentId === undefined) return
    const ref = newId('evt')
    await graph.database.query(`SELECT account.claw_back($1, 'live', $2, $3, $4, 'Test')`, [
      ...[accountId, paymentId, upTo(60), ref],
    ])
    clawbacks.push({ paymentId, ref })
  },
  async ({ accountId, clawbacks }) => {
    const clawback = anyOf(clawbacks)
    if (clawback === undefined) return
    const { paymentId, ref } = clawback
    await graph.database.query(`SELECT account.reinstate($1, 'live', $2, $3, $4, $5, 'Test')`, [
      ...[accountId, paymentId, ref, upTo(60), newId('evt')],
    ])
  },
  // A day passes: the clock is PostgreSQL's.
  async ({ accountId }) => {
    await graph.database.query(
      `WITH locked AS (
         SELECT account_id FROM account.balance
         WHERE account_id = $1 AND environment = 'live' FOR UPDATE
       ), later AS (
         UPDATE account.lot l SET expires_at = l.expires_at - interval '1 day'
         FROM locked WHERE l.account_id = locked.account_id
       )
       UPDATE account.balance b SET next_expiry_at = b.next_expiry_at - interval '1 day'
       FROM locked WHERE b.account_id = locked.account_id`,
      [accountId],
    )
    await graph.asService('ExpireGrants', { accountId, environment: 'live' })
  },
]

async function spend({ accountId, charged }: World): Promise<void> {
  const requestId = newId('req')
  const owned = { requestId, accountId, environment: 'live' as const }
  const item = { ...owned, credits: upTo(20), ttlSeconds: 3600, endpoint: '/t', call }
  const hold = { ...item, idempotency: null, budgetOwners: [] }
  const { verdict, reservedAt } = await ledger.reserve(hold)
  if (verdict !== 'accepted') return
  const settled = await ledger.settle({ hold, credits: hold.credits, reservedAt, kept: null })
  if (settled.credits > 0) charged.push(requestId)
}

/** The balance may refuse a step; any other error is a fault. */
function refused(error: unknown): void {
  if (Object(error).code !== 'INVALID_REQUEST') throw error
}

describe('lots', () => {
  test(`sum up to the balance after ${steps} postings, charges and returns of ${workers} workers at once`, {
    timeout: 600_000,
  }, async () => {
    const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 100 }
    const worlds = await Promise.all(
      [1, 2].map(async (): Promise<World> => {
        const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
        return { accountId: account.id, charged: [], payments: [], clawbacks: [] }
      }),
    )
    let left = steps

    const work = async (index: number) => {
      while (left > 0) {
        left -= 1
        const world = worlds[index % worlds.length]
        if (world) await anyOf(works)?.(world)
      }
    }
    await Promise.all(Array.from({ length: workers }, (_, index) => work(index)))

    expect(await graph.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
    for (const { accountId } of worlds) {
      const [books] = await graph.database.query<{ balance: number; lots: number; kinds: number }>(
        `SELECT b.balance::int, (SELECT sum(e.credits)::int FROM account.ledger_entry e
             WHERE e.account_id = b.account_id AND e.environment = 'live') AS entries,
           (SELECT coalesce(sum(credits_left), 0)::int
             FROM account.lots_left($1, 'live', -1, '-infinity', 0, 10000)) AS lots,
           (SELECT count(DISTINCT e.kind)::int FROM account.ledger_entry e
             WHERE e.account_id = b.account_id) AS kinds
         FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
        [accountId],
      )
      const balance = books?.balance ?? Number.NaN
      expect(books).toMatchObject({ entries: balance, lots: Math.max(0, balance) })
      expect(books?.kinds).toBeGreaterThan(4)
    }
  })
})
