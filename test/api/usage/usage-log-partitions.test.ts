import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Ask, findLogDrifts } from '../../../gateway/books/compare-with-ledger.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'
import { lowestId, newId } from '../../../schema/vocabulary/ids.ts'
import { sessionSettingsWithin } from '../../../subgraphs/shared/database/sessions.ts'
import { charge } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import { startTestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let graph: TestGraph
beforeEach(async () => {
  graph = await openTestGraph()
})
afterEach(() => graph.close())

/** The first of a month, so many months from now, in UTC. */
function month(offset: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1))
}

function nameOf(offset: number): string {
  return `usage_log_${month(offset).toISOString().slice(0, 7).replace('-', '')}`
}

function entryAt(accountId: string, ms: number, credits = 0): object & { requestId: string } {
  return {
    ...{ accountId, environment: 'live', requestId: newId('req', ms), ts: new Date(ms) },
    ...{ method: 'GET', endpoint: '/v1/x', route: '/v1/x', service: 'account', status: 200 },
    ...{ credits, latencyMs: 1, traceId: '', backendModule: 'x' },
  }
}

async function recordAt(accountId: string, dates: readonly Date[]): Promise<string[]> {
  const entries = dates.map((date) => entryAt(accountId, date.getTime()))
  await graph.asService('RecordUsage', { entries })
  return entries.map(({ requestId }) => requestId)
}

/** All that the account holder sees, newest first. */
async function read(accountId: string, filter: object = {}): Promise<string[]> {
  const variables = { limit: 200, ...filter }
  const { items } = Object(await graph.as('ListUsageLog', variables, callerOf(accountId)))
  return items.map((item: { request_id: string }) => item.request_id)
}

async function openOwner(settings = ''): Promise<pg.Client> {
  const options = `-c gateway.account_id=* ${settings}`
  const client = new pg.Client({ connectionString: graph.database.ownerUrl, options })
  await client.connect()
  return client
}

/** Runs a function of the owner, as the owner. */
async function asOwner(sql: string, values: unknown[] = []): Promise<void> {
  const client = await openOwner()
  try {
    await client.query(sql, values)
  } finally {
    await client.end()
  }
}

async function partitions(): Promise<string[]> {
  const rows = await graph.database.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'usage.usage_log'::regclass ORDER BY name`,
  )
  return rows.map(({ name }) => name)
}

async function partitionOf(requestId: string): Promise<string | undefined> {
  const [row] = await graph.database.query<{ name: string }>(
    `SELECT tableoid::regclass::text AS name FROM usage.usage_log WHERE request_id = $1`,
    [requestId],
  )
  return row?.name
}

/** Removes the months from this one on, as if they had not been created. */
async function fallBehind(offset = 1): Promise<void> {
  await asOwner('UPDATE usage.usage_log_extent SET ends_at = $1', [month(offset)])
  const later = [1, 2, 3].filter((one) => one >= offset).map((one) => `usage.${nameOf(one)}`)
  await asOwner(`DROP TABLE usage.usage_log_after, ${later.join()}`)
  const from = lowestId('req', month(offset).getTime())
  await asOwner(`SELECT usage.add_partition('usage_log_after', '${from}', NULL)`)
}

function constraintsNamed(name: string): Promise<object[]> {
  return graph.database.query('SELECT conrelid::regclass FROM pg_constraint WHERE conname = $1', [
    name,
  ])
}

describe('the partitions of the usage log', () => {
  test('exist from the first start: this month, the next three, and one each for older and newer entries', async () => {
    expect(await partitions()).toEqual(
      [...[0, 1, 2, 3].map(nameOf), 'usage_log_after', 'usage_log_before'].toSorted(),
    )
  })

  test('begin at the lowest id of their month', async () => {
    const instants = [
      0,
      1,
      31,
      32,
      1_700_000_000_000,
      Date.now(),
      month(0).getTime(),
      253e12,
      -1,
      -2e12,
    ]
    const rows = await graph.database.query<{ id: string }>(
      `SELECT usage.lowest_request_id(to_timestamp(ms / 1000.0)) AS id
       FROM unnest($1::bigint[]) AS ms`,
      [instants.map((ms) => Math.floor(ms))],
    )

    expect(rows.map(({ id }) => id)).toEqual(instants.map((ms) => lowestId('req', Math.floor(ms))))
  })

  test('hold every entry by its time, to the millisecond, and appear as one list', async () => {
    const accountId = newId('acct')
    const dates = [
      new Date(month(0).getTime() - 1),
      month(0),
      new Date(month(1).getTime() - 1),
      month(1),
      new Date(month(4).getTime() - 1),
      month(4),
    ]

    const ids = await recordAt(accountId, dates)

    expect(await Promise.all(ids.map(partitionOf))).toEqual(
      ['usage_log_before', nameOf(0), nameOf(0), nameOf(1), nameOf(3), 'usage_log_after'].map(
        (name) => `usage.${name}`,
      ),
    )
    expect(await read(accountId)).toEqual(ids.toReversed())
    expect(await read(accountId, { service: 'account' })).toEqual(ids.toReversed())
  })

  test('that were created late receive the entries that came meanwhile', async () => {
    const accountId = newId('acct')
    await fallBehind()
    const late = await recordAt(accountId, [month(1), month(3), new Date(month(6).getTime() + 5)])

    const atOnce = await graph.asService('KeepUsageLog')
    const worker = await graph.startWorker()
    await vi.waitUntil(async () => (await partitions()).includes(nameOf(1)), patience)
    await worker.stop()

    expect(atOnce).toBe(false)
    expect(await read(accountId)).toEqual(late.toReversed())
    expect(await Promise.all(late.map(partitionOf))).toEqual(late.map(() => `usage.${nameOf(1)}`))
    expect(await partitions()).toEqual(
      [...[0, 1].map(nameOf), 'usage_log_after', 'usage_log_before'].toSorted(),
    )
    const [inIt, next] = await recordAt(accountId, [month(5), month(7)])
    expect(await partitionOf(String(inIt))).toBe(`usage.${nameOf(1)}`)
    expect(await partitionOf(String(next))).toBe('usage.usage_log_after')
    expect(await graph.asService('KeepUsageLog')).toBe(true)
    expect(await constraintsNamed('late')).toEqual([])
  })

  test('that were created late are filled beside writers, never under their lock', async () => {
    const accountId = newId('acct')
    await fallBehind()
    await recordAt(accountId, [month(1), month(2)])
    const owner = await openOwner('-c client_min_messages=debug1')
    const notices: (string | undefined)[] = []
    owner.on('notice', ({ message }) => notices.push(message))
    const strongest = `SELECT DISTINCT mode FROM pg_locks
      WHERE pid = pg_backend_pid() AND relation = 'usage.usage_log_after'::regclass
        AND mode IN ('AccessExclusiveLock', 'ShareUpdateExclusiveLock', 'ExclusiveLock', 'ShareLock')`

    await owner.query('SELECT usage.limit_late_entries()')
    await owner.query('BEGIN')
    await owner.query('SELECT usage.prove_late_entries()')
    const { rows } = await owner.query(strongest)
    await owner.query('COMMIT')
    await owner.query('SELECT usage.add_months($1)', [month(4)])
    await owner.end()

    expect(rows).toEqual([{ mode: 'ShareUpdateExclusiveLock' }])
    expect(notices).toContain(
      `partition constraint for table "${nameOf(1)}" is implied by existing constraints`,
    )
  })

  test('can be added and dropped during writes: no entry is lost', async () => {
    const accountId = newId('acct')
    let isDone = false
    const written: string[] = []

    let latest = month(5)
    async function write(): Promise<void> {
      while (!isDone) {
        written.push(...(await recordAt(accountId, [new Date(), month(4), latest])))
      }
    }
    const writers = Promise.all(Array.from({ length: 6 }, write))
    for (const ahead of [5, 6, 8, 9, 13]) {
      written.push(...(await recordAt(accountId, [month(ahead)])))
      latest = month(ahead)
      // The statement waits half a second for the writers, so that no reader waits behind it.
      await vi.waitFor(() => asOwner('SELECT usage.limit_late_entries()'), patience)
      await asOwner('SELECT usage.prove_late_entries()')
      await asOwner('SELECT usage.add_months($1)', [month(ahead + 1)])
    }
    isDone = true
    await writers

    const [row] = await graph.database.query<{ missing: number; kept: number }>(
      `SELECT count(*) FILTER (WHERE l.request_id IS NULL)::int AS missing, count(*)::int AS kept
       FROM unnest($1::text[]) AS id LEFT JOIN usage.usage_log l ON l.request_id = id`,
      [written],
    )
    expect(row).toEqual({ missing: 0, kept: written.length })
    expect(written.length).toBeGreaterThan(50)
    expect(await partitions()).toEqual(expect.arrayContaining([4, 6, 7, 9, 10].map(nameOf)))
  })
})

describe('KeepUsageLog', () => {
  test('schedules itself again once, however often it runs at the same time', async () => {
    // One that waits for too long for the others returns false, and is tried again.
    const runs = Array.from({ length: 20 }, () =>
      vi.waitUntil(() => graph.asService('KeepUsageLog'), patience),
    )
    await Promise.all(runs)
    const waiting = () =>
      graph.database.query<{ id: string; is_later: boolean }>(
        `SELECT id, start_after > now() + interval '59 min' AS is_later FROM jobs.job
         WHERE name = 'KeepUsageLog' AND state = 'created'`,
      )
    const before = await waiting()
    await graph.asService('KeepUsageLog')

    expect(before.length).toBeGreaterThan(0)
    expect(before.every(({ is_later }) => is_later)).toBe(true)
    expect(await waiting()).toEqual(before)
  })

  test('is scheduled again when no job for it is left, and only then', async () => {
    await graph.database.query(`DELETE FROM jobs.job WHERE name = 'KeepUsageLog'`)

    await graph.asService('TakeUpLostJobs')
    await graph.asService('TakeUpLostJobs')

    const jobs = await graph.database.query(
      `SELECT start_after <= now() AS is_due FROM jobs.job WHERE name = 'KeepUsageLog'`,
    )
    expect(jobs).toEqual([{ is_due: true }])
  })

  test('does not keep a gateway from starting when it fails', async () => {
    await asOwner('DROP FUNCTION usage.keep_log')

    const gateway = await startTestGateway({}, { database: graph.database })
    await vi.waitUntil(async () => (await gateway.live.get('/v1/ready')).status === 200, patience)
    await gateway.close()
  })

  test('yields to users of the log, and loses no entries by it', async () => {
    const accountId = newId('acct')
    await fallBehind(3)
    const reader = new pg.Client({ connectionString: graph.database.ownerUrl })
    await reader.connect()
    await reader.query('BEGIN')
    await reader.query('SELECT FROM usage.usage_log')

    const whileBusy = await graph.asService('KeepUsageLog')
    const ids = await recordAt(accountId, [month(3)])
    await reader.end()
    // The server may notice a moment later that the reader is gone.
    await vi.waitUntil(() => graph.asService('SettleLateEntries'), patience)

    expect(whileBusy).toBe(false)
    expect(await read(accountId)).toEqual(ids)
    expect(await partitions()).toContain(nameOf(3))
  })

  test('is the only change of partitions that the service may make', async () => {
    const client = new pg.Client({
      connectionString: graph.database.serviceUrl,
      options: sessionSettingsWithin(30_000),
    })
    await client.connect()
    const refusal = (sql: string) =>
      client.query(sql).then(
        () => 'done',
        ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
      )
    try {
      for (const call of [
        'add_months(now())',
        'drop_months(now())',
        `add_partition('x', NULL, NULL)`,
      ]) {
        expect(await refusal(`SELECT usage.${call}`)).toMatch(/^42501 permission denied/)
      }
      expect(await refusal(`DROP TABLE usage.${nameOf(0)}`)).toMatch(/^42501 must be owner/)
      expect(await refusal(`TRUNCATE usage.usage_log`)).toMatch(/^42501 permission denied/)
      expect(await refusal('DELETE FROM usage.usage_log')).toMatch(/^42501 permission denied/)
      expect(await refusal('SELECT usage.keep_log(31)')).toMatch(/everyone's/)
      await client.query(`SELECT set_config('gateway.account_id', '*', false)`)
      expect(await refusal('SELECT usage.keep_log(30)')).toMatch(/31 days at least/)
      expect(await refusal('SELECT usage.keep_log(-1)')).toMatch(/31 days at least/)
      expect(await refusal('SELECT usage.keep_log(31)')).toBe('done')
    } finally {
      await client.end()
    }
  })
})

describe('retention', () => {
  const months = [-5, -4, -3, -2, -1, 0]

  /** Opens a log that seems to have begun five months ago, with an entry of each month. */
  async function openOldLog(accountId: string): Promise<string[]> {
    const begin = lowestId('req', month(-5).getTime())
    const all = [0, 1, 2, 3].map((offset) => `usage.${nameOf(offset)}`)
    await asOwner(`DROP TABLE usage.usage_log_before, usage.usage_log_after, ${all.join()}`)
    await asOwner(`SELECT usage.add_partition('usage_log_before', NULL, '${begin}')`)
    await asOwner(`SELECT usage.add_partition('usage_log_after', '${begin}', NULL)`)
    await asOwner('UPDATE usage.usage_log_extent SET ends_at = $1', [month(-5)])
    await asOwner('SELECT usage.add_months($1)', [month(4)])
    return recordAt(accountId, months.map(month))
  }

  test('drops whole months that ended earlier, keeps the rest, and still accepts old entries', async () => {
    await graph.close()
    graph = await openTestGraph({ usageLogRetentionDays: 31 })
    const accountId = newId('acct')
    const ids = await openOldLog(accountId)
    const cutoff = new Date(Date.now() - 31 * 86_400_000)
    const kept = months.filter((offset) => month(offset + 1) > cutoff)
    const [oldest = 0] = kept
    expect(await read(accountId)).toEqual(ids.toReversed())

    await graph.asService('KeepUsageLog')
    await graph.asService('KeepUsageLog')

    expect(await partitions()).toEqual(
      [...kept, 1, 2, 3].map(nameOf).concat('usage_log_after', 'usage_log_before').toSorted(),
    )
    expect(await read(accountId)).toEqual(ids.slice(-kept.length).toReversed())
    expect(await graph.asService('GetUsageLogKeptSince')).toBe(month(oldest).toISOString())
    // A charge's entry that comes this late is not lost either.
    const [late] = await recordAt(accountId, [month(-5)])
    expect((await read(accountId)).at(-1)).toBe(late)
    // The sums are kept, and agree with the remaining entries.
    expect(await graph.asAdmin('AuditUsage')).toMatchObject({ drifts: [] })
    const [hours] = await graph.database.query(
      `SELECT count(*)::int FROM usage.usage_endpoint WHERE unit = 'hour' AND account_id = $1`,
      [accountId],
    )
    expect(hours).toEqual({ count: 6 })
  })

  test('causes no difference between ledger and log', async () => {
    const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 1000 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    for (const ms of [month(0).getTime() + 1, month(1).getTime() + 1]) {
      const { requestId, ...entry } = entryAt(account.id, ms, 5)
      await charge(graph, { requestId, accountId: account.id, credits: 5 })
      await graph.asService('RecordUsage', { entries: [{ ...entry, requestId }] })
    }
    const ask: Ask = (operation, variables) => graph.as(operation, variables, serviceCaller())
    const window = { settlingSeconds: 0, nowMs: month(2).getTime() }
    expect(await findLogDrifts(ask, { ...window, fromMs: 0 })).toEqual([])

    await asOwner('SELECT usage.drop_months($1)', [month(1)])

    const since = String(await graph.asService('GetUsageLogKeptSince'))
    expect(since).toBe(month(1).toISOString())
    expect(await findLogDrifts(ask, { ...window, fromMs: 0 })).toHaveLength(1)
    expect(await findLogDrifts(ask, { ...window, fromMs: Date.parse(since) })).toEqual([])
  })
})
