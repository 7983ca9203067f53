import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { usageWriterOf } from '../../support/database/usage-entries.ts'
import { variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'

const startMs = Date.parse('2026-05-30T21:30:00.000Z')

/** A minute after the one before, over the end of a day and of a month. */
function entryOf(accountId: string, index: number) {
  const ms = startMs + index * 60_000
  const environment = index % 5 ? 'live' : 'sandbox'
  return {
    ...{ accountId, environment, requestId: newId('req', ms), ts: new Date(ms).toISOString() },
    ...{ method: 'GET', endpoint: '/v1/x', route: '/v1/x', traceId: '', backendModule: 'x' },
    ...{ service: index % 3 ? 'seo' : 'contacts', status: [200, 404, 500][index % 3] ?? 0 },
    ...{ credits: index % 4, latencyMs: index % 3 ? 5 : 500, keyId: null },
  }
}

type Entry = ReturnType<typeof entryOf>

/** The statement of the release before the partitions, word for word. */
const formerStatement = `
  WITH recorded AS (
  INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
    status, credits, latency_ms, trace_id, backend_module, key_id)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[],
    $6::text[], $7::text[], $8::smallint[], $9::bigint[], $10::int[], $11::text[], $12::text[],
    $13::text[])
  ON CONFLICT DO NOTHING
  RETURNING account_id, environment, ts, service, status, credits
  )
  INSERT INTO usage.usage_hour AS h
    (account_id, environment, hour, service, status_class, requests, credits)
  SELECT account_id, environment, date_trunc('hour', ts, 'UTC') AS hour, service,
    status / 100 AS status_class, count(*), sum(credits)
  FROM recorded GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (account_id, environment, hour, service, status_class) DO UPDATE SET
    requests = h.requests + excluded.requests, credits = h.credits + excluded.credits`

describe('usage repair', () => {
  let graph: TestGraph
  let former: pg.Pool
  beforeAll(async () => {
    await compileProgram()
    graph = await openTestGraph()
    const options = '-c role=gateway_service -c gateway.account_id=*'
    former = new pg.Pool({ connectionString: graph.database.serviceUrl, options, max: 4 })
    // The database that is dropped may end a connection first.
    former.on('error', () => {})
  })
  afterAll(async () => {
    await former.end()
    await graph.close()
  })

  async function recordAsBefore(entries: readonly Entry[]): Promise<void> {
    await former.query(formerStatement, [
      entries.map((entry) => entry.accountId),
      entries.map((entry) => entry.environment),
      entries.map((entry) => entry.requestId),
      entries.map((entry) => entry.ts),
      entries.map((entry) => entry.method),
      entries.map((entry) => entry.endpoint),
      entries.map((entry) => entry.service),
      entries.map((entry) => entry.status),
      entries.map((entry) => entry.credits),
      entries.map((entry) => entry.latencyMs),
      entries.map((entry) => entry.traceId),
      entries.map((entry) => entry.backendModule),
      entries.map((entry) => entry.keyId),
    ])
  }

  const record = (entries: readonly Entry[]) => graph.asService('RecordUsage', { entries })

  async function driftsOf(accountId: string): Promise<readonly object[]> {
    const { drifts } = Object(await graph.asAdmin('AuditUsage'))
    return drifts.filter((drift: { account_id: string }) => drift.account_id === accountId)
  }

  /** As the command does it. */
  async function repair(span: object = {}): Promise<{ kinds: number; sums: number }> {
    const added = { kinds: 0, sums: 0 }
    let after: object | null = null
    do {
      const part: { kinds: number; sums: number; last: object | null } = Object(
        await graph.asAdmin('RepairUsage', { ...span, after }),
      )
      added.kinds += part.kinds
      added.sums += part.sums
      after = part.last
    } while (after)
    return added
  }

  async function shownIn(accountId: string, filter: object): Promise<string[]> {
    const variables = { limit: 200, ...filter }
    const { items } = Object(await graph.as('ListUsageLog', variables, callerOf(accountId)))
    return items.map((item: { request_id: string }) => item.request_id)
  }

  test('adds the entries of an earlier release to filters and summaries, between those of this one', async () => {
    const accountId = newId('acct')
    const entries = Array.from({ length: 180 }, (_, index) => entryOf(accountId, index))
    const missed = entries.filter((_, index) => index % 2 === 0)
    await record(entries.filter((_, index) => index % 2 === 1))
    await recordAsBefore(missed)
    const live = entries.filter(({ environment }) => environment === 'live')
    const contacts = live.filter(({ service }) => service === 'contacts')
    expect(await driftsOf(accountId)).not.toEqual([])

    const added = await repair()

    expect(added.sums).toBeGreaterThan(0)
    expect(await driftsOf(accountId)).toEqual([])
    expect(await shownIn(accountId, { service: 'contacts' })).toEqual(
      contacts.map(({ requestId }) => requestId).toReversed(),
    )
    for (const interval of ['hour', 'day']) {
      const span = { from: '2026-05-30T00:00:00Z', to: '2026-06-01T00:00:00Z' }
      const { items } = Object(
        await graph.as(
          'SummarizeUsage',
          { interval, group_by: 'service', ...span },
          callerOf(accountId),
        ),
      )
      const total = items.reduce(
        (sum: number, { requests }: { requests: number }) => sum + requests,
        0,
      )
      expect([interval, total]).toEqual([interval, live.length])
    }
    expect(await repair()).toEqual({ kinds: 0, sums: 0 })
  })

  test('is exact while old and new processes record and others repair', async () => {
    const accountId = newId('acct')
    const entries = Array.from({ length: 1200 }, (_, index) => entryOf(accountId, index % 200))
    const batches = Array.from({ length: 60 }, (_, batch) =>
      entries.slice(batch * 20, batch * 20 + 20),
    )
    let isDone = false
    async function repairAllTheTime(): Promise<void> {
      while (!isDone) await repair()
    }
    const repairing = [repairAllTheTime(), repairAllTheTime()]

    const writer = usageWriterOf(graph)
    async function recordInEpoch(batch: readonly Entry[]): Promise<void> {
      const own = batch.map(({ ts, ...entry }) => ({ ...entry, arrivedAtMs: Date.parse(ts) }))
      const epoch = await writer.open(own)
      await writer.record(epoch, own)
      await writer.fold(epoch)
    }
    const ways = [recordAsBefore, record, recordInEpoch] as const
    await Promise.all(
      batches.map(async (batch, index) => {
        await ways[index % 3]?.(batch)
      }),
    )
    isDone = true
    await Promise.all(repairing)
    await repair()

    expect(await driftsOf(accountId)).toEqual([])
  })

  test('processes all accounts and hours, or only the requested ones', async () => {
    const accounts = [newId('acct'), newId('acct'), newId('acct')]
    await recordAsBefore(
      accounts.flatMap((id) => Array.from({ length: 120 }, (_, index) => entryOf(id, index))),
    )
    const midnight = '2026-05-30T23:00:00Z'

    await repair({ to: midnight })
    const [afterFirst] = await Promise.all(accounts.map(driftsOf))
    await repair({ from: midnight })

    expect(afterFirst).not.toEqual([])
    for (const problem of Object(afterFirst)) {
      expect(problem).toMatchObject({
        problem: expect.not.stringMatching(/hour of 2026-05-30 2[12]:/),
      })
    }
    for (const accountId of accounts) expect(await driftsOf(accountId)).toEqual([])
  })

  test('removes nothing: a summary whose entry was deleted is still reported', async () => {
    const accountId = newId('acct')
    const entry = entryOf(accountId, 1)
    await record([entry])
    await graph.database.query('DELETE FROM usage.usage_log WHERE request_id = $1', [
      entry.requestId,
    ])
    const before = await driftsOf(accountId)

    await repair()

    expect(before).not.toEqual([])
    expect(await driftsOf(accountId)).toEqual(before)
  })

  test('is a command that reports its additions', async () => {
    const place = openWorkplace()
    const run = (...more: string[]) =>
      place.run(['usage', 'repair', ...more], variablesFor(graph.database))
    const accountId = newId('acct')
    await recordAsBefore([entryOf(accountId, 1), entryOf(accountId, 2)])

    try {
      const early = await run('--to', '2026-05-30T00:00:00Z')
      const whole = await run('--json')

      expect([early.code, early.stdout]).toEqual([0, 'hours: 0\nkinds: 0\nsums: 0\n'])
      expect([whole.code, JSON.parse(whole.stdout)]).toEqual([
        0,
        // An hour and its day, by endpoint and by key.
        { hours: expect.any(Number), kinds: 2, sums: 4 },
      ])
      expect(await driftsOf(accountId)).toEqual([])
    } finally {
      await place.close()
    }
  })
})
