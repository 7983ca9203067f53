import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deadJobs, retryDeadJobs, startJobs } from '../../../gateway/launch/supergraph/jobs.ts'
import { jobSettings } from '../../../subgraphs/shared/database/sessions.ts'
import { startWorker } from '../../../subgraphs/shared/jobs/jobs.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

async function createSubscriber(subscriptionTier = 'pro_sub'): Promise<string> {
  const input = { name: 'T', email: 't@example.com', subscriptionTier, credits: 7, addons: [] }
  return Object(await graph.asAdmin('CreateAccount', { input })).account.id
}

/** Makes the period of an account's live subscription end so long ago. */
function endPeriod(accountId: string, ago = '0 s') {
  return graph.database.query(
    `UPDATE account.subscription SET anchor_at = now() - period - $2::interval,
       current_period_start = now() - period - $2::interval,
       current_period_end = now() - $2::interval
     WHERE account_id = $1 AND environment = 'live'`,
    [accountId, ago],
  )
}

function jobsOf(operation: string, accountId: string) {
  return graph.database.query<{ state: string; source_name: string | null; reason: string }>(
    `SELECT state::text, source_name, source_output ->> 'reason' AS reason FROM jobs.job
     WHERE $1 IN (name, source_name) AND data ->> 'accountId' = $2
       AND data ->> 'environment' = 'live' AND start_after <= now()
     ORDER BY created_on`,
    [operation, accountId],
  )
}

async function planOf(accountId: string) {
  const [plan] = await graph.database.query(
    `SELECT subscription_tier FROM account.plan WHERE account_id = $1 AND environment = 'live'`,
    [accountId],
  )
  return plan
}

async function periodEndOf(accountId: string): Promise<Date | undefined> {
  const [row] = await graph.database.query<{ current_period_end: Date }>(
    `SELECT current_period_end FROM account.subscription
     WHERE account_id = $1 AND environment = 'live'`,
    [accountId],
  )
  return row?.current_period_end
}

describe('a job', () => {
  test('is stored with the change that it belongs to, or not at all', async () => {
    const accountId = await createSubscriber()
    const jobs = () =>
      graph.database.query(
        `SELECT data, start_after FROM jobs.job
         WHERE name = 'TurnSubscription' AND data ->> 'accountId' = $1
           AND data ->> 'environment' = 'live' ORDER BY start_after`,
        [accountId],
      )
    const data = { accountId, environment: 'live' }
    const first = await jobs()
    expect(first).toEqual([{ data, start_after: await periodEndOf(accountId) }])

    await expect(
      graph.database.query(
        `WITH moved AS (
           UPDATE account.subscription SET current_period_end = now() + interval '1 day'
           WHERE account_id = $1 AND environment = 'live' RETURNING 1
         ) SELECT 1 / (count(*) - 1) FROM moved`,
        [accountId],
      ),
    ).rejects.toThrow('division by zero')

    expect(await jobs()).toEqual(first)
  })

  test('that always fails ends as a dead letter with the reason, and jobs beside it continue', async () => {
    const poisoned = await createSubscriber()
    const healthy = await createSubscriber()
    // The service itself cannot cause this fault: the end of the period cannot be processed.
    await graph.database.query(
      `ALTER TABLE account.plan ADD CONSTRAINT poison
       CHECK (account_id <> '${poisoned}' OR subscription_tier IS NOT NULL) NOT VALID`,
    )
    await graph.database.query(
      `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now()
       WHERE account_id = ANY ($1) AND environment = 'live'`,
      [[poisoned, healthy]],
    )
    await graph.database.query('UPDATE jobs.queue SET retry_delay = 0, retry_backoff = false')
    await endPeriod(poisoned)
    await endPeriod(healthy)
    const reasons: string[] = []
    const worker = await startJobs({
      workerUrl: graph.database.serviceUrl,
      execute: graph.as,
      warn: (_message, cause) => reasons.push(cause instanceof Error ? cause.message : ''),
    })

    await vi.waitFor(async () => {
      const letters = await jobsOf('TurnSubscription', poisoned)
      expect(letters).toEqual([
        { state: 'failed', source_name: null, reason: null },
        {
          state: 'created',
          source_name: 'TurnSubscription',
          reason: expect.stringContaining('poison'),
        },
      ])
    }, patience)
    expect(reasons.filter((reason) => reason.includes('poison'))).toHaveLength(5)
    expect(await worker.countDeadLetters()).toBe(1)
    expect(await planOf(healthy)).toEqual({ subscription_tier: null })
    expect(await planOf(poisoned)).toEqual({ subscription_tier: 'pro_sub' })
    expect(await deadJobs(graph.database.serviceUrl)).toEqual([
      {
        id: expect.any(String),
        operation: 'TurnSubscription',
        variables: { accountId: poisoned, environment: 'live' },
        reason: expect.stringContaining('poison'),
        failedAt: expect.stringMatching(/Z$/),
      },
    ])
    // An operator does this once the cause is gone.
    await graph.database.query('ALTER TABLE account.plan DROP CONSTRAINT poison')
    expect(await retryDeadJobs(graph.database.serviceUrl, 'TurnAddon')).toBe(0)
    expect(await retryDeadJobs(graph.database.serviceUrl, 'TurnSubscription')).toBe(1)
    await vi.waitFor(
      async () => expect(await planOf(poisoned)).toEqual({ subscription_tier: null }),
      patience,
    )
    expect(await worker.countDeadLetters()).toBe(0)
    await worker.stop()
  })

  test('that publishes events is retried for a week, and soon after its subgraph is available again', async () => {
    const { database } = graph
    await database.query(`SELECT jobs.enqueue('PublishEvents', '{"events":[]}', now() + '1 day')`)

    const [job] = await database.query(
      `SELECT retry_limit * retry_delay_max AS longest_seconds, retry_delay_max, dead_letter
       FROM jobs.job WHERE name = 'PublishEvents' AND start_after > now() + '1 hour'`,
    )

    expect(job).toEqual({
      ...{ longest_seconds: 7 * 86_400, retry_delay_max: 600 },
      dead_letter: 'dead_letter',
    })
  })

  test('that became due several times during an outage runs once', async () => {
    const accountId = await createSubscriber('business_sub')
    await endPeriod(accountId, '10 min')

    const worker = await graph.startWorker()

    await vi.waitFor(async () => {
      expect((await periodEndOf(accountId))?.getTime()).toBeGreaterThan(Date.now())
      // The missed periods have no entries.
      const entries = await graph.database.query(
        `SELECT kind, credits::int FROM account.ledger_entry
         WHERE account_id = $1 AND environment = 'live' ORDER BY seq`,
        [accountId],
      )
      expect(entries).toEqual([
        { kind: 'grant', credits: 7 },
        { kind: 'allowance', credits: 25_000 },
      ])
    }, patience)
    await worker.stop()
  })

  test('is done by another worker when its worker died', async () => {
    const accountId = await createSubscriber()
    await endPeriod(accountId)
    // A worker that was killed in the middle leaves this.
    await graph.database.query(
      `UPDATE jobs.job SET state = 'active', started_on = now() - interval '61 s'
       WHERE name = 'TurnSubscription' AND data ->> 'accountId' = $1 AND start_after <= now()`,
      [accountId],
    )

    const worker = await graph.startWorker()

    await vi.waitFor(async () => {
      expect((await periodEndOf(accountId))?.getTime()).toBeGreaterThan(Date.now())
    }, patience)
    await worker.stop()
  })

  test('is counted while no worker takes it, with the time since it was due', async () => {
    const own = await openTestGraph()
    const input = { name: 'T', email: 't@example.com', subscriptionTier: 'pro_sub', addons: [] }
    await own.asAdmin('CreateAccount', { input })
    // An outage of all workers leaves this.
    await own.database.query(
      `UPDATE jobs.job SET start_after = now() - interval '10 min'
       WHERE name = 'TurnSubscription' AND data ->> 'environment' = 'live'`,
    )
    const worker = await startWorker({
      ...{ url: own.database.serviceUrl, sessionSettings: jobSettings, warn: () => {} },
      // This worker takes no jobs of other operations.
      ...{ operations: ['ExpireGrants'], longOperations: [], run: async () => {} },
    })

    const due = await worker.countDue()

    expect(due.get('ExpireGrants')).toEqual({ count: 0, oldestSeconds: 0 })
    expect(due.get('TurnSubscription')).toEqual({ count: 1, oldestSeconds: expect.any(Number) })
    expect(due.get('TurnSubscription')?.oldestSeconds).toBeGreaterThanOrEqual(600)
    await worker.stop()
    await own.close()
  })

  test('that takes long does not delay jobs of its kind that come later', async () => {
    const own = await openTestGraph()
    const begun: unknown[] = []
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const worker = await startWorker({
      ...{ url: own.database.serviceUrl, sessionSettings: jobSettings, warn: () => {} },
      ...{ operations: ['ExpireGrants'], longOperations: [] },
      async run(_operation, { accountId }) {
        begun.push(accountId)
        if (accountId === 'slow') await mayEnd
      },
    })
    const add = (accountId: string) =>
      own.database.query(`SELECT jobs.enqueue('ExpireGrants', $1, now())`, [
        JSON.stringify({ accountId }),
      ])
    const statesOf = async (accountId: string) => {
      const rows = await own.database.query<{ state: string }>(
        `SELECT state::text FROM jobs.job WHERE name = 'ExpireGrants' AND data ->> 'accountId' = $1`,
        [accountId],
      )
      return rows.map(({ state }) => state)
    }
    await add('slow')
    await vi.waitUntil(() => begun.includes('slow'), patience)

    for (const later of ['second', 'third']) {
      await add(later)
      await vi.waitFor(async () => expect(await statesOf(later)).toEqual(['completed']), patience)
    }

    expect(await statesOf('slow')).toEqual(['active'])
    end()
    await vi.waitFor(async () => expect(await statesOf('slow')).toEqual(['completed']), patience)
    await add('last')
    await vi.waitFor(async () => expect(await statesOf('last')).toEqual(['completed']), patience)
    expect(begun).toEqual(['slow', 'second', 'third', 'last'])
    await worker.stop()
    await own.close()
  })

  test('has a queue that the service cannot change', async () => {
    const rows = await graph.database.query(
      `SELECT has_table_privilege('gateway_service', 'jobs.job', 'TRUNCATE') AS truncate,
         (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'jobs')
           = 'gateway_service' AS owns`,
    )
    expect(rows).toEqual([{ truncate: false, owns: false }])
  })
})
