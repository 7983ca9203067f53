import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { usageBatchOf } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callerOf } from '../../support/database/planted-tenant.ts'
import {
  type UsageGraph,
  usageEntryOf,
  usageShownTo,
  usageWriterOf,
} from '../../support/database/usage-entries.ts'
import { addPastMonths } from '../../support/database/usage-rows.ts'
import { patience } from '../../support/time/patience.ts'

const hourMs = 3_600_000

/** Calls of the last two hours, of all kinds. */
function variousEntries(accountId: string, count: number) {
  return Array.from({ length: count }, (_, index) =>
    usageEntryOf(accountId, {
      arrivedAtMs: Date.now() - (index % 2) * hourMs,
      ...{ route: `/v1/${index % 3}`, service: index % 5 ? 'seo' : 'contacts' },
      ...{ status: [200, 404, 500][index % 3], credits: index % 4, latencyMs: index * 3 },
    }),
  )
}

describe('an epoch of the usage log', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  const audit = () => graph.asAdmin('AuditUsage')

  async function createAccount(): Promise<string> {
    const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
    const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
    return account.id
  }

  async function rowsOf(accountId: string) {
    const [row] = await graph.database.query<{ entries: number; summed: number; daily: number }>(
      `SELECT (SELECT count(*)::int FROM usage.usage_log WHERE account_id = $1) AS entries,
         (SELECT coalesce(sum(requests), 0)::int FROM usage.usage_service
           WHERE account_id = $1 AND unit = 'hour') AS summed,
         (SELECT coalesce(sum(requests), 0)::int FROM usage.usage_endpoint
           WHERE account_id = $1 AND unit = 'day') AS daily`,
      [accountId],
    )
    return row
  }

  test.each([
    ['SummarizeUsage', { interval: 'hour', group_by: 'endpoint' }],
    ['SummarizeUsage', { interval: 'day', group_by: 'service' }],
    ['GetBilling', {}],
  ] as const)(
    'is in summaries at once, and the same when it has ended: %s %o',
    async (operation, variables) => {
      const writer = usageWriterOf(graph)
      const [accountId, twin] = [await createAccount(), await createAccount()]
      const entries = variousEntries(accountId, 120)
      const epoch = await writer.open(entries)
      const to = new Date(Date.now() + hourMs).toISOString()
      const shownTo = async (id: string) => {
        const shown = await graph.as<OperationName>(operation, { to, ...variables }, callerOf(id))
        const { items, month_to_date } = Object(shown)
        return JSON.stringify(items ?? month_to_date)
      }

      await writer.record(epoch, entries)
      // The same entries are also recorded with their sums at once, to compare with.
      await writer.recordAtOnce(
        entries.map((entry) => ({ ...entry, accountId: twin, requestId: newId('req') })),
      )
      const before = await shownTo(accountId)
      await writer.fold(epoch)
      const after = await shownTo(accountId)

      expect(before).toBe(await shownTo(twin))
      expect(before).toMatch(/"requests":\d/)
      expect(after).toBe(before)
      expect(await rowsOf(accountId)).toEqual({ entries: 120, summed: 120, daily: 120 })
      expect(await audit()).toMatchObject({ drifts: [] })
    },
  )

  test('makes its entries findable by every filter', async () => {
    const writer = usageWriterOf(graph)
    const accountId = newId('acct')
    const rare = usageEntryOf(accountId, { service: 'contacts', status: 404, credits: 0 })
    const entries = [...variousEntries(accountId, 20), rare]
    await writer.record(await writer.open(entries), entries)

    const filter = { limit: 50, service: 'contacts', status_class: 4 }
    const { items } = Object(await graph.as('ListUsageLog', filter, callerOf(accountId)))

    expect(items.map((item: { request_id: string }) => item.request_id)).toContain(rare.requestId)
    expect(await audit()).toMatchObject({ drifts: [] })
  })

  test('records an entry once, however often and in whatever way it is sent', async () => {
    const writer = usageWriterOf(graph)
    const accountId = newId('acct')
    const entries = variousEntries(accountId, 40)
    const [first, second] = [await writer.open(entries), await writer.open(entries)]

    await Promise.all([
      writer.record(first, entries.slice(0, 30)),
      writer.record(first, entries.slice(20)),
      writer.record(second, entries),
      writer.recordAtOnce(entries),
      writer.record(second, [...entries, ...entries]),
    ])
    const before = await usageShownTo(graph, accountId)
    await Promise.all([writer.fold(first), writer.fold(second), writer.fold(first)])

    expect(before).toEqual({ requests: 40, credits: 60 })
    expect(await usageShownTo(graph, accountId)).toEqual(before)
    expect(await rowsOf(accountId)).toEqual({ entries: 40, summed: 40, daily: 40 })
    expect(await audit()).toMatchObject({ drifts: [] })
  })

  test('takes what arrived before it, and nothing when it has ended', async () => {
    const writer = usageWriterOf(graph)
    const accountId = newId('acct')
    const [late, later] = [1, 2].map((hours) =>
      usageEntryOf(accountId, { arrivedAtMs: Date.now() - hours * hourMs }),
    )
    if (!late || !later) throw new Error('There are two.')
    const entry = usageEntryOf(accountId)
    const epoch = await writer.open([entry])

    expect(await writer.record(epoch, [entry, late])).toBe(true)
    expect(await writer.record(epoch, [later])).toBe(true)
    expect(await usageShownTo(graph, accountId)).toEqual({ requests: 3, credits: 9 })
    await writer.fold(epoch)
    expect(await rowsOf(accountId)).toEqual({ entries: 3, summed: 3, daily: 3 })
    expect(await usageShownTo(graph, accountId)).toEqual({ requests: 3, credits: 9 })

    expect(await writer.record(epoch, [usageEntryOf(accountId)])).toBe(false)
    expect(await rowsOf(accountId)).toEqual({ entries: 3, summed: 3, daily: 3 })
    expect(await audit()).toMatchObject({ drifts: [] })
  })

  test('refuses columns of different lengths, and places that do not exist', async () => {
    const writer = usageWriterOf(graph)
    const accountId = newId('acct')
    const entries = variousEntries(accountId, 2)
    const epoch = await writer.open(entries)
    const batch = usageBatchOf(entries)
    const wrong = [
      Object.assign({}, batch, { credits: [1] }),
      Object.assign({}, batch, { methods: [...batch.methods, 'GET'] }),
      Object.assign({}, batch, { operations: [0, 99] }),
    ]

    for (const one of wrong) {
      await expect(
        graph.asService('RecordUsageBatch', { epoch, batch: one }),
      ).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      })
    }
    expect(await rowsOf(accountId)).toEqual({ entries: 0, summed: 0, daily: 0 })
    await writer.fold(epoch)
  })

  test('ends after the batch that is under way, and has it in its sums', async () => {
    const writer = usageWriterOf(graph)
    const accountId = newId('acct')
    const entry = usageEntryOf(accountId)
    const epoch = await writer.open([entry])
    const options = '-c role=gateway_service -c gateway.account_id=*'
    const recorder = new pg.Client({ connectionString: graph.database.serviceUrl, options })
    await recorder.connect()
    const isWaitedFor = async () => {
      const rows = await graph.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
           AND query LIKE 'SELECT usage.fold_epoch%' AND wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    }
    try {
      await recorder.query('BEGIN')
      await recorder.query('SELECT FROM usage.usage_epoch WHERE epoch = $1 FOR KEY SHARE', [epoch])
      const folding = writer.fold(epoch)
      await vi.waitUntil(isWaitedFor, patience)
      await recorder.query(
        `INSERT INTO usage.usage_log (epoch, account_id, environment, request_id, ts, method, endpoint,
           route, service, status, credits, latency_ms, trace_id, backend_module)
         VALUES ($1, $2, 'live', $3, now(), 'GET', '/', '/', 'seo', 200, 3, 7, '', 'x')`,
        [epoch, accountId, entry.requestId],
      )
      await recorder.query(
        `INSERT INTO usage.usage_kind VALUES ($1, 'live', 'seo', 2, usage.credit_class(3))`,
        [accountId],
      )
      await recorder.query('COMMIT')
      await folding
    } finally {
      await recorder.end()
    }

    expect(await rowsOf(accountId)).toEqual({ entries: 1, summed: 1, daily: 1 })
    expect(await usageShownTo(graph, accountId)).toEqual({ requests: 1, credits: 3 })
  })

  test('is added to the sums once by all who find its process dead, or that process, at the same time', async () => {
    const writer = usageWriterOf(graph)
    const other = await openSecond(graph)
    const accounts = Array.from({ length: 4 }, () => newId('acct'))
    const epochs = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const entries = accounts.flatMap((id) => variousEntries(id, 10))
        const epoch = await writer.open(entries)
        await writer.record(epoch, entries)
        return epoch
      }),
    )
    await graph.database.query(
      `UPDATE usage.usage_epoch SET started_at = now() - interval '10 min' WHERE epoch = ANY ($1)`,
      [epochs],
    )
    expect(await graph.asService('GetUsageEpochAge')).toBeGreaterThanOrEqual(600)

    try {
      const isFolded = async () => {
        await Promise.all([
          ...[graph, other, graph, other].map((one) => one.asService('FoldAbandonedUsage')),
          ...epochs.slice(4).map((epoch) => usageWriterOf(other).fold(epoch)),
        ])
        const rows = await graph.database.query(
          'SELECT FROM usage.usage_epoch WHERE epoch = ANY ($1)',
          [epochs],
        )
        return rows.length === 0
      }
      await vi.waitUntil(isFolded, patience)

      for (const id of accounts) {
        expect(await rowsOf(id)).toEqual({ entries: 60, summed: 60, daily: 60 })
        expect(await usageShownTo(other, id)).toEqual({ requests: 60, credits: 78 })
      }
      expect(await audit()).toMatchObject({ drifts: [] })
    } finally {
      await other.close()
    }
  })

  test('leaves sums equal to the log at every moment, while epochs end and entries of dead processes are recorded', async () => {
    const accounts = Array.from({ length: 3 }, () => newId('acct'))
    const writer = usageWriterOf(graph)
    let isDone = false
    const sent = new Map(accounts.map((id) => [id, 0]))
    const written = new Map(accounts.map((id) => [id, 0]))
    const add = (counts: Map<string, number>, id: string, count: number) =>
      counts.set(id, (counts.get(id) ?? 0) + count)

    async function write(turn: number): Promise<void> {
      for (let round = 0; round < 12; round += 1) {
        const first = accounts.flatMap((id) => [usageEntryOf(id)])
        const epoch = await writer.open(first)
        for (let batch = 0; batch < 4; batch += 1) {
          const entries = accounts.flatMap((id) =>
            Array.from({ length: 5 }, () => usageEntryOf(id, { latencyMs: batch * turn })),
          )
          for (const id of accounts) add(sent, id, 5)
          if (turn % 3 === 2) await writer.recordAtOnce(entries)
          else expect(await writer.record(epoch, entries)).toBe(true)
          for (const id of accounts) add(written, id, 5)
        }
        await writer.fold(epoch)
      }
    }

    async function look(): Promise<number> {
      let looks = 0
      for (; !isDone; looks += 1) {
        for (const id of accounts) {
          const least = written.get(id) ?? 0
          const { requests } = await usageShownTo(graph, id)
          expect(requests).toBeGreaterThanOrEqual(least)
          expect(requests).toBeLessThanOrEqual(sent.get(id) ?? 0)
        }
        expect(await audit()).toMatchObject({ drifts: [] })
      }
      return looks
    }

    const looking = look()
    await Promise.all(Array.from({ length: 6 }, (_, turn) => write(turn)))
    isDone = true

    expect(await looking).toBeGreaterThan(0)
    for (const id of accounts) {
      expect(await rowsOf(id)).toEqual({ entries: 1440, summed: 1440, daily: 1440 })
    }
  })

  test("is nobody's to end who cannot see all of its entries", async () => {
    const writer = usageWriterOf(graph)
    const entry = usageEntryOf(newId('acct'))
    const epoch = await writer.open([entry])
    await writer.record(epoch, [entry])
    const options = `-c role=gateway_service -c gateway.account_id=${newId('acct')}`
    const tenant = new pg.Client({ connectionString: graph.database.serviceUrl, options })
    await tenant.connect()

    try {
      await expect(tenant.query(`SELECT usage.fold_epoch(${epoch})`)).rejects.toThrow(
        "Only for a session of everyone's.",
      )
    } finally {
      await tenant.end()
      await writer.fold(epoch)
    }
  })
})

/** Another process on the same database. */
async function openSecond(graph: TestGraph): Promise<UsageGraph & { close(): Promise<void> }> {
  const second = await openTestGraph({
    database: { ...graph.database, drop: async () => {} },
  })
  return second
}

describe('retention', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph({ usageLogRetentionDays: 31 })
  })
  afterAll(() => graph.close())

  test('forgets no entry that the sums lack, and the sums keep what it forgets', async () => {
    const owner = new pg.Client({
      connectionString: graph.database.ownerUrl,
      options: '-c gateway.account_id=* -c timezone=UTC',
    })
    await owner.connect()
    await addPastMonths(owner, 3)
    await owner.end()

    const accountId = newId('acct')
    const arrivedAtMs = Date.now() - 150 * 24 * hourMs
    const entries = Array.from({ length: 7 }, () => usageEntryOf(accountId, { arrivedAtMs }))
    const writer = usageWriterOf(graph)
    const epoch = await writer.open(entries)
    await writer.record(epoch, entries)
    const count = async () => {
      const [row] = await graph.database.query<{ entries: number; summed: number }>(
        `SELECT (SELECT count(*)::int FROM usage.usage_log WHERE account_id = $1) AS entries,
           (SELECT coalesce(sum(requests), 0)::int FROM usage.usage_service
           WHERE account_id = $1 AND unit = 'hour') AS summed`,
        [accountId],
      )
      return row
    }

    await graph.asService('KeepUsageLog')
    const lacking = await count()
    await writer.fold(epoch)
    await graph.asService('KeepUsageLog')

    expect(lacking).toEqual({ entries: 7, summed: 0 })
    expect(await count()).toEqual({ entries: 0, summed: 7 })
  })
})
