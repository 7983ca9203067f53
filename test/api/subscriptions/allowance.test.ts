import { createHmac } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { batchOf, chargesOn } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { gatewaySecret, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let graph: TestGraph
/** A graph whose allowances come three days before their payment has to. */
let lenient: TestGraph
beforeAll(async () => {
  gateway = await startTestGateway()
  graph = await openTestGraph()
  lenient = await openTestGraph({ allowanceGraceDays: 3 })
})
afterAll(() => Promise.all([gateway.close(), graph.close(), lenient.close()]))

const opening = { kind: 'grant', credits: 7, balance_after: 7 }
const allowance = { kind: 'allowance', credits: 5000, balance_after: 5007 }

type AccountScope = { readonly accountId: string; readonly environment: string }

/** On the Pro plan, with 7 credits, whose period ends now and is paid with this method. */
async function createSubscriber(of: TestGraph, method = 'simulated'): Promise<AccountScope> {
  const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', credits: 7 }
  const accountId = String(Object(await of.asAdmin('CreateAccount', { input })).account.id)
  await payBy(of, accountId, method)
  await endPeriod(of, accountId)
  return { accountId, environment: 'live' }
}

function payBy({ database }: Pick<TestGraph, 'database'>, accountId: string, method: string) {
  return database.query(
    `INSERT INTO account.auto_recharge (account_id, environment, payment_method)
     VALUES ($1, 'live', $2) ON CONFLICT (account_id, environment)
     DO UPDATE SET payment_method = excluded.payment_method`,
    [accountId, method],
  )
}

function endPeriod({ database }: Pick<TestGraph, 'database'>, accountId: string) {
  return database.query(
    `UPDATE account.subscription SET anchor_at = now() - period,
       current_period_start = now() - period, current_period_end = now()
     WHERE account_id = $1 AND environment = 'live'`,
    [accountId],
  )
}

/** Asks about everything that is pending, as the job does. */
async function collectAll(of: TestGraph, { accountId }: AccountScope): Promise<void> {
  const payments = await of.database.query<{ id: string }>(
    `UPDATE account.payment SET ask_at = now()
     WHERE account_id = $1 AND status = 'pending' RETURNING id`,
    [accountId],
  )
  for (const { id } of payments) await of.asService('CollectPayment', { id })
}

async function payAtLast(of: TestGraph, owner: AccountScope): Promise<void> {
  await payBy(of, owner.accountId, 'simulated')
  const { accountId } = owner
  const key = { kind: 'account', accountId, environment: 'live', keyId: 'key_x' } as const
  const caller = { ...key, scopes: ['*'], requestId: 'req_test', traceId: '', address: null }
  await of.as('ResumeSubscription', {}, caller)
  await collectAll(of, owner)
}

function ledgerOf({ database }: Pick<TestGraph, 'database'>, accountId: string) {
  return database.query(
    `SELECT kind, credits::int, balance_after::int FROM account.ledger_entry
     WHERE account_id = $1 AND environment = 'live' ORDER BY seq`,
    [accountId],
  )
}

interface Lot {
  readonly remaining: number
  readonly expires_at: Date
}

function lotsOf({ database }: Pick<TestGraph, 'database'>, { accountId }: AccountScope) {
  return database.query<Lot>(
    `SELECT remaining::int, expires_at FROM account.lot
     WHERE account_id = $1 AND environment = 'live' AND source = 'allowance' AND remaining > 0`,
    [accountId],
  )
}

interface Period {
  readonly started: Date
  readonly ends: Date
  readonly paid: boolean
}

async function periodOf({ database }: TestGraph, { accountId }: AccountScope): Promise<Period> {
  const [row] = await database.query<Period>(
    `SELECT s.current_period_start AS started, s.current_period_end AS ends,
       EXISTS (SELECT FROM account.invoice i
         WHERE i.account_id = s.account_id AND i.status = 'paid') AS paid
     FROM account.subscription s WHERE s.account_id = $1 AND s.environment = 'live'`,
    [accountId],
  )
  if (!row) throw new Error('There is no subscription.')
  return row
}

async function endGrace(of: TestGraph, owner: AccountScope): Promise<unknown> {
  const { started } = await periodOf(of, owner)
  return of.asService('EndGrace', { ...owner, beganAt: started.toISOString() })
}

describe('the allowance of a period', () => {
  test('is granted with its payment, not with the period, and ends with the period', async () => {
    const owner = await createSubscriber(graph)

    await graph.asService('TurnSubscription', owner)
    const before = await ledgerOf(graph, owner.accountId)
    await collectAll(graph, owner)

    expect(before).toEqual([opening])
    expect(await ledgerOf(graph, owner.accountId)).toEqual([opening, allowance])
    const { ends, paid } = await periodOf(graph, owner)
    expect(paid).toBe(true)
    expect(await lotsOf(graph, owner)).toEqual([{ remaining: 5000, expires_at: ends }])
  })

  test('is not granted while its payment is declined, and granted once when a retry pays', async () => {
    const owner = await createSubscriber(graph, 'simulated_declined')
    await graph.asService('TurnSubscription', owner)
    await collectAll(graph, owner)
    const unpaid = await ledgerOf(graph, owner.accountId)

    await payAtLast(graph, owner)
    await collectAll(graph, owner)

    expect(unpaid).toEqual([opening])
    expect(await ledgerOf(graph, owner.accountId)).toEqual([opening, allowance])
    const { ends } = await periodOf(graph, owner)
    expect(await lotsOf(graph, owner)).toEqual([{ remaining: 5000, expires_at: ends }])
  })

  test('lasts 30 days when the payment comes after the period, so that no payment is without credits', async () => {
    const owner = await createSubscriber(graph, 'simulated_slow')
    await graph.asService('TurnSubscription', owner)
    await graph.database.query(
      `UPDATE account.payment SET created_at = now() - interval '40 d',
         period_start = now() - interval '40 d', period_end = now() - interval '10 d'
       WHERE account_id = $1`,
      [owner.accountId],
    )
    await collectAll(graph, owner)

    expect(await ledgerOf(graph, owner.accountId)).toEqual([opening, allowance])
    const [lot] = await lotsOf(graph, owner)
    const days = (Number(lot?.expires_at) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThanOrEqual(30.1)
  })

  test('is granted once, however often and by whichever process the payment is reported', async () => {
    const account = await gateway.createAccount({ subscriptionTier: 'pro_sub', credits: 7 })
    await payBy(gateway, account.id, 'simulated_declined')
    await endPeriod(gateway, account.id)
    await vi.waitFor(async () => {
      expect(await paymentOf(account.id)).toMatchObject({ status: 'failed' })
    }, patience)
    await gateway.database.query(
      `UPDATE account.payment SET status = 'pending', failure_reason = NULL, settled_at = NULL,
         payment_method = 'simulated', ask_at = now() WHERE account_id = $1`,
      [account.id],
    )
    const payment = await paymentOf(account.id)

    // A provider sends again what a busy gateway has refused.
    const untilTaken = () =>
      vi.waitFor(
        async () => expect((await notifyOf(String(payment?.id))).status).toBe(200),
        patience,
      )
    await Promise.all(Array.from({ length: 10 }, untilTaken))

    expect(await paymentOf(account.id)).toMatchObject({ status: 'paid', invoice: 'paid' })
    expect(await ledgerOf(gateway, account.id)).toEqual([opening, allowance])
    await expectExactBooks(gateway)
  })
})

async function paymentOf(accountId: string) {
  const [row] = await gateway.database.query<{ id: string; status: string; invoice: string }>(
    `SELECT p.id, p.status, i.status AS invoice FROM account.payment p
     JOIN account.invoice i ON i.payment_id = p.id WHERE p.account_id = $1`,
    [accountId],
  )
  return row
}

function notifyOf(payment_id: string) {
  const key = deriveKey(gatewaySecret, 'payment-notification')
  const payload = JSON.stringify({ payment_id, outcome: { status: 'succeeded' } })
  const timestamp = Math.floor(Date.now() / 1000)
  const hmac = createHmac('sha256', key).update(`${timestamp}.${payload}`).digest('hex')
  const headers = { 'simulated-signature': `t=${timestamp},v1=${hmac}` }
  return gateway.live.post('/v1/billing/notifications/simulated', payload, undefined, headers)
}

describe('the allowance of a period, with ALLOWANCE_GRACE_DAYS', () => {
  /** An account whose period has begun and whose payment is declined. */
  async function createDebtor(): Promise<AccountScope> {
    const owner = await createSubscriber(lenient, 'simulated_declined')
    await lenient.asService('TurnSubscription', owner)
    await collectAll(lenient, owner)
    return owner
  }

  function spend({ accountId }: AccountScope, credits: number) {
    const input = { accountId, credits: -credits, reason: 'T', idempotencyKey: newId('req') }
    return lenient.asAdmin('AdjustCredits', { input })
  }

  test('is granted when the period begins, and reviewed when the grace is over', async () => {
    const owner = await createDebtor()

    expect(await ledgerOf(lenient, owner.accountId)).toEqual([opening, allowance])
    const { started, ends } = await periodOf(lenient, owner)
    expect(await lotsOf(lenient, owner)).toEqual([{ remaining: 5000, expires_at: ends }])
    const jobs = await lenient.database.query(
      `SELECT start_after FROM jobs.job WHERE name = 'EndGrace' AND data ->> 'accountId' = $1`,
      [owner.accountId],
    )
    expect(jobs).toEqual([{ start_after: new Date(started.getTime() + 3 * 86_400_000) }])
  })

  test('is entered before the invoice has its number, in the order of a settlement, so that neither waits for the other', async () => {
    const owner = await createSubscriber(lenient)
    await lenient.asService('TurnSubscription', owner)
    await endPeriod(lenient, owner.accountId)
    const settlement = new pg.Client({ connectionString: lenient.database.ownerUrl })
    await settlement.connect()
    try {
      const [row] = (await settlement.query('SELECT pg_backend_pid() AS pid')).rows
      await settlement.query(`SET gateway.account_id = '*'`)
      await settlement.query('BEGIN')
      await settlement.query('SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE', [
        owner.accountId,
      ])
      const turning = lenient.asService('TurnSubscription', owner)
      await vi.waitUntil(async () => {
        const waiting = 'SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))'
        return (await lenient.database.query(waiting, [row.pid])).length > 0
      }, patience)

      const counter = await settlement.query(
        'SELECT last_number FROM account.invoice_counter WHERE account_id = $1 FOR UPDATE NOWAIT',
        [owner.accountId],
      )
      await settlement.query('COMMIT')

      expect(counter.rows).toEqual([{ last_number: 1 }])
      expect(await turning).toBe(true)
    } finally {
      await settlement.end()
    }
    expect(await ledgerOf(lenient, owner.accountId)).toEqual([
      opening,
      allowance,
      { ...allowance, balance_after: 10_007 },
    ])
    expect(await lenient.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('is withdrawn as far as it is left when it is unpaid by then, and granted again with the payment', async () => {
    const owner = await createDebtor()
    await spend(owner, 1200)

    const took = [await endGrace(lenient, owner), await endGrace(lenient, owner)]
    const unpaid = await ledgerOf(lenient, owner.accountId)
    await payAtLast(lenient, owner)
    await collectAll(lenient, owner)

    expect(took).toEqual([true, false])
    const before = [
      opening,
      allowance,
      { kind: 'adjustment', credits: -1200, balance_after: 3807 },
      { kind: 'expiry', credits: -3800, balance_after: 7 },
    ]
    expect(unpaid).toEqual(before)
    expect(await ledgerOf(lenient, owner.accountId)).toEqual([
      ...before,
      { kind: 'allowance', credits: 3800, balance_after: 3807 },
    ])
    const { ends } = await periodOf(lenient, owner)
    expect(await lotsOf(lenient, owner)).toEqual([{ remaining: 3800, expires_at: ends }])
    expect(await lenient.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('is not withdrawn once it is paid', async () => {
    const owner = await createDebtor()
    await payAtLast(lenient, owner)

    const took = await endGrace(lenient, owner)

    expect(took).toBe(false)
    expect(await ledgerOf(lenient, owner.accountId)).toEqual([opening, allowance])
  })

  test('is not withdrawn during a running call: the part that the hold may use waits for it', async () => {
    const owner = await createDebtor()
    const { reserve, settle } = chargesOn(() => lenient)
    const batch = batchOf([{ accountId: owner.accountId, credits: 4000 }])
    await reserve(batch)

    const took = await endGrace(lenient, owner)
    const waiting = await ledgerOf(lenient, owner.accountId)
    await settle(batch, { credits: [0] })
    const worker = await lenient.startWorker()

    expect(took).toBe(true)
    expect(waiting).toEqual([
      opening,
      allowance,
      { kind: 'expiry', credits: -1007, balance_after: 4000 },
    ])
    await vi.waitFor(async () => {
      expect(await ledgerOf(lenient, owner.accountId)).toEqual([
        ...waiting,
        { kind: 'expiry', credits: -3993, balance_after: 7 },
      ])
    }, patience)
    await worker.stop()
    expect(await lenient.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })

  test('is granted in full and once when the grace ends at the moment of the payment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const owner = await createSubscriber(lenient)
      await lenient.asService('TurnSubscription', owner)

      await Promise.all([
        collectAll(lenient, owner),
        endGrace(lenient, owner),
        endGrace(lenient, owner),
        collectAll(lenient, owner),
      ])

      const { paid } = await periodOf(lenient, owner)
      const entries = await ledgerOf(lenient, owner.accountId)
      expect(paid).toBe(true)
      expect(entries.at(-1)).toMatchObject({ balance_after: 5007 })
      expect(await lotsOf(lenient, owner)).toMatchObject([{ remaining: 5000 }])
    }
    expect(await lenient.asAdmin('AuditLedger')).toMatchObject({ drifts: [] })
  })
})
