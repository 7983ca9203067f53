import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

const reveal = { contact_id: 'con_1' }

/** The charges, the log entries, and the processes that did not deregister. */
function booksOf({ database }: Pick<TestGateway, 'database'>, accountId: string) {
  return database.query(
    `SELECT b.held::int,
       (SELECT -sum(credits)::int FROM account.ledger_entry
         WHERE account_id = $1 AND kind = 'charge') AS charged,
       (SELECT sum(credits)::int FROM usage.usage_log WHERE account_id = $1) AS logged
     FROM account.balance b WHERE b.account_id = $1 AND b.environment = 'live'`,
    [accountId],
  )
}

describe('recovery leaves nothing behind', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    // A call of a locked balance is refused after four fifths of it.
    gateway = await startTestGateway({ DATABASE_TIMEOUT_MS: '10000' })
  })
  afterAll(() => gateway.close())

  test('of a hold whose call was answered 503 because its balance was locked', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 5 })
    const { ownerUrl } = gateway.database
    const locker = new pg.Client({ connectionString: ownerUrl, options: sessionOfAllTenants })
    await locker.connect()
    await locker.query('BEGIN')
    await locker.query('SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE', [id])
    const call = (key: string) =>
      gateway.live.post('/v1/contacts/reveal', reveal, liveKey, { 'idempotency-key': key })

    const refused = await call('one')
    await locker.query('COMMIT')
    await locker.end()

    expect(refused.status).toBe(503)
    await vi.waitFor(async () => expect((await call('one')).status).toBe(200), patience)
    await vi.waitFor(
      async () => expect(await booksOf(gateway, id)).toEqual([{ held: 0, charged: 5, logged: 5 }]),
      patience,
    )
  })

  const usageOf = (accountId: string) =>
    gateway.database.query<{ credits: number; status: number }>(
      'SELECT credits::int, status::int FROM usage.usage_log WHERE account_id = $1',
      [accountId],
    )

  /** One charge of 5 credits, as a process leaves it that died before the call was logged. */
  async function orphanedCharge(processId: string) {
    const { id, liveKey } = await gateway.createAccount()
    const { headers } = await gateway.live.post('/v1/contacts/reveal', reveal, liveKey)
    await vi.waitFor(async () => expect(await usageOf(id)).toHaveLength(1), patience)
    await gateway.database.query('DELETE FROM usage.usage_log WHERE account_id = $1', [id])
    await gateway.database.query(
      `UPDATE account.ledger_entry
       SET call = jsonb_set(jsonb_set(call::jsonb, '{0}', to_jsonb($2::text)), '{1}',
         to_jsonb(now() - interval '40 days'))::text
       WHERE account_id = $1 AND kind = 'charge'`,
      [id, processId],
    )
    return { id, requestId: headers.get('x-request-id') }
  }

  async function reportDeath(processId: string): Promise<void> {
    await gateway.database.query(
      `INSERT INTO account.facade_process (id, seen_at, recorded_until)
       VALUES ($1, now() - interval '41 days', now() - interval '41 days')`,
      [processId],
    )
  }

  const asWithBudgets = 'request = account.request_of(description, call), call = NULL'

  test.each([
    ['that has the line of its call', 'proc_dead', 'request = NULL'],
    ['that has its request', 'proc_old', asWithBudgets],
  ])('of a charge %s, of a process that died weeks ago', async (_, processId, form) => {
    const { id } = await orphanedCharge(processId)
    await gateway.database.query(
      `UPDATE account.ledger_entry SET ${form} WHERE account_id = $1 AND kind = 'charge'`,
      [id],
    )

    await reportDeath(processId)

    await vi.waitFor(
      async () => expect(await usageOf(id)).toEqual([{ credits: 5, status: 200 }]),
      patience,
    )
    await vi.waitFor(async () => {
      const rows = await gateway.database.query(
        'SELECT FROM account.facade_process WHERE id = $1',
        [processId],
      )
      expect(rows).toEqual([])
    }, patience)
  })

  test('of a call of a session: its entry says so', async () => {
    const { id } = await orphanedCharge('proc_session')
    await gateway.database.query(
      `UPDATE account.ledger_entry SET call = (call::jsonb || '[null, null, null, true]')::text
       WHERE account_id = $1 AND kind = 'charge'`,
      [id],
    )

    await reportDeath('proc_session')

    const isSession = () =>
      gateway.database.query('SELECT is_session FROM usage.usage_log WHERE account_id = $1', [id])
    await vi.waitFor(
      async () => expect(await isSession()).toEqual([{ is_session: true }]),
      patience,
    )
  })

  test.each([
    ['an administrator refunded: it is logged as charged', 'by-hand-', { credits: 5, status: 200 }],
    [
      'was given back for its failed call: it is logged as free',
      'failed:',
      { credits: 0, status: 503 },
    ],
  ])('of a charge of a dead process that %s', async (_, keyPrefix, logged) => {
    const processId = `proc_${keyPrefix.replace(':', '')}`
    const { id, requestId } = await orphanedCharge(processId)
    await gateway.graphql(
      'mutation ($input: RefundChargeInput!) { refundCharge(input: $input) { id } }',
      {
        input: {
          accountId: id,
          requestId,
          reason: 'Test',
          idempotencyKey: `${keyPrefix}${requestId}`,
        },
      },
    )

    await reportDeath(processId)

    await vi.waitFor(async () => expect(await usageOf(id)).toEqual([logged]), patience)
  })
})

describe('a drain that ends while a charge is being settled', () => {
  test('waits until the charge is in the log', async () => {
    const database = await createTestDatabase()
    const gateway = await startTestGateway({ DRAIN_TIMEOUT_SECONDS: '0' }, { database })
    const { id, liveKey } = await gateway.createAccount()
    await database.query(`
      CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN OLD; END';
      CREATE TRIGGER slow BEFORE DELETE ON account.hold FOR EACH ROW EXECUTE FUNCTION public.wait()`)
    const { call, closing } = await whileHeld(database, ['SELECT pg_advisory_xact_lock(7)', []], {
      async started() {
        const call = gateway.live.post('/v1/contacts/reveal', reveal, liveKey).catch(() => null)
        await vi.waitFor(async () => {
          const rows = await database.query(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%DELETE FROM account.hold%'
               AND datname = current_database()`,
          )
          expect(rows).toHaveLength(1)
        }, patience)
        const closing = gateway.close()
        const isRefused = () =>
          fetch(`${gateway.baseUrl}/v1/health`).then(
            () => false,
            () => true,
          )
        await vi.waitUntil(isRefused, patience)
        return { call, closing }
      },
    })

    await closing
    await call
    expect(await booksOf({ database }, id)).toEqual([{ held: 0, charged: 5, logged: 5 }])
    expect(await database.query('SELECT FROM account.facade_process')).toEqual([])
    await database.drop()
  })
})
