import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const calls = 12

describe('usage of a process that ends', () => {
  let database: TestDatabase
  let place: Workplace
  let current: StartedGateway
  let gateway: TestGateway
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    place = openWorkplace()
    await startNext()
  })
  afterAll(async () => {
    await place.close()
    await database.drop()
  })

  async function startNext(own: Readonly<Record<string, string>> = {}): Promise<void> {
    current = await place.start({ ...variablesFor(database), LOG_LEVEL: 'error', ...own })
    gateway = asTestGateway(current, database)
  }

  async function use({ liveKey }: TestAccount): Promise<void> {
    for (let call = 0; call < calls; call += 1) {
      const { status } = await gateway.live.get('/v1/account/keys', liveKey)
      expect(status).toBe(200)
    }
  }

  /** Requests of this month as the account sees them; asking is a request too, seen by the next one. */
  async function shownTo({ liveKey }: TestAccount): Promise<number> {
    const { status, body } = await gateway.live.get('/v1/account/billing', liveKey)
    expect(status).toBe(200)
    return Object(body).month_to_date.requests
  }

  async function rowsOf({ id }: TestAccount) {
    const [row] = await database.query<{ entries: number; summed: number; open: number }>(
      `SELECT (SELECT count(*)::int FROM usage.usage_log WHERE account_id = $1) AS entries,
         (SELECT coalesce(sum(requests), 0)::int FROM usage.usage_service
           WHERE account_id = $1 AND unit = 'hour') AS summed,
         (SELECT count(*)::int FROM usage.usage_epoch) AS open`,
      [id],
    )
    return row
  }

  async function sessionsOfGateways(): Promise<number> {
    const sessions = await database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND application_name LIKE 'credit-gateway%'`,
    )
    return sessions.length
  }

  async function expectNoDrift(): Promise<void> {
    const { usageAudit } = Object(await gateway.graphql('{ usageAudit { drifts { problem } } }'))
    expect(usageAudit).toEqual({ drifts: [] })
  }

  test('SIGTERM: its entries are in the sums when it is gone', async () => {
    const account = await gateway.createAccount()
    await use(account)

    current.signal('SIGTERM')
    await current.finished
    const rows = await rowsOf(account)
    await startNext()

    expect(rows).toEqual({ entries: calls, summed: calls, open: 0 })
    expect(await shownTo(account)).toBe(calls)
    await expectNoDrift()
  })

  test('kill -9 before its epoch ended: nothing is missing in summaries, neither at once nor when others add it up', async () => {
    // With workers, a reader does not wait for the entries of another one, and the workers of a killed primary end in order.
    current.signal('SIGTERM')
    await current.finished
    await startNext({ WORKERS: '1' })
    const account = await gateway.createAccount()
    await use(account)
    // A reader waits until all entries of its process so far are in the log.
    expect(await shownTo(account)).toBe(calls)

    current.signal('SIGKILL')
    await current.finished
    // A process that ends writes its pending records first.
    await vi.waitUntil(async () => (await sessionsOfGateways()) === 0, patience)
    const killed = await rowsOf(account)
    await startNext()
    const entries = killed?.entries ?? 0

    expect(entries).toBeGreaterThanOrEqual(calls)
    expect(killed).toEqual({ entries, summed: 0, open: 1 })
    expect(await shownTo(account)).toBe(entries)
    await expectNoDrift()

    await database.query(`UPDATE usage.usage_epoch SET started_at = started_at - interval '2 min'`)
    await vi.waitUntil(async () => ((await rowsOf(account))?.summed ?? 0) >= entries, patience)
    expect(await shownTo(account)).toBe(entries + 1)
    await expectNoDrift()
  })
})
