import 'reflect-metadata'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { readUsageSeries } from '../../../subgraphs/usage/series/usage-series.service.ts'
import { UsageGroup, UsageInterval } from '../../../subgraphs/usage/series/usage-series.type.ts'
import { summarizeUsage } from '../../../subgraphs/usage/summaries/usage-summary.service.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { explainStatement } from '../../support/database/explain-page.ts'
import { fillUsageLog } from '../../support/database/usage-rows.ts'

const accountId = newId('acct')
const owner = { accountId, environment: 'live' } as const
const inEpoch = 200

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Rows': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/**
 * Whether a node of a plan has read rows. Its blocks do not tell: a parallel worker counts those of
 * the catalog as blocks of its first node.
 */
function hasRead(node: PlanNode): boolean {
  return node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) > 0
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** With entries of an open epoch after `rows` others; `believed` is how many statistics speak of. */
describe.each([
  ['ten entries', 10, 10],
  ['200,000 entries, where statistics speak of 10⁷,', 200_000, 10_000_000],
])('after %s', (_name, rows, believed) => {
  let database: TestDatabase
  let epoch: string
  beforeAll(async () => {
    database = await createTestDatabase()
    // Autovacuum would replace the statistics that are planted below.
    await database.query(
      `DO $$ DECLARE part regclass; BEGIN
         FOR part IN SELECT relid FROM pg_partition_tree('usage.usage_log') WHERE isleaf LOOP
           EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', part);
         END LOOP;
       END $$`,
    )
    await fillUsageLog({ ...database, accountId, rows, months: 1 })
    const [opened] = await database.query<{ epoch: string }>(
      `INSERT INTO usage.usage_epoch (from_id, from_at)
       VALUES (usage.lowest_request_id(now() + interval '1 s'), now()) RETURNING epoch`,
    )
    epoch = String(opened?.epoch)
    await database.query(
      `INSERT INTO usage.usage_log (epoch, account_id, environment, request_id, ts, method, endpoint,
         route, service, status, credits, latency_ms, trace_id, backend_module)
       SELECT $1, $2, 'live', usage.lowest_request_id(now() + interval '1 s') || n, now() + interval '1 s',
         'GET', '/', '/', 'seo', 200, 1, n, '', 'x' FROM generate_series(1, $3) AS n`,
      [epoch, accountId, inEpoch],
    )
    await database.query(
      `UPDATE pg_class SET reltuples = $1::float8 / 2 * greatest(1, relpages)
         / greatest(1, pg_relation_size(oid) / 8192)
       WHERE oid IN (SELECT relid FROM pg_partition_tree('usage.usage_log') WHERE isleaf)`,
      [believed],
    )
  })
  afterAll(() => database.drop())

  const plan = async (work: Parameters<typeof explainStatement>[1]): Promise<PlanNode> => {
    const session = { serviceUrl: database.serviceUrl, accountId, format: 'JSON' } as const
    return JSON.parse(await explainStatement(session, work))[0].Plan
  }

  test('a summary reads the entries of open epochs by the key of the log', async () => {
    const plans = [
      await plan((view) => summarizeUsage(view, owner)),
      await plan((view) => {
        const args = { interval: UsageInterval.day, groupBy: UsageGroup.endpoint }
        return readUsageSeries(view, owner, args, 'query')
      }),
      await plan((view) => {
        const args = { interval: UsageInterval.day, groupBy: UsageGroup.key }
        return readUsageSeries(view, owner, args, 'query')
      }),
    ]

    for (const whole of plans) {
      const ofLog = nodesOf(whole).filter((node) => node['Relation Name']?.startsWith('usage_log'))
      expect(ofLog.length).toBeGreaterThan(0)
      const reading = ofLog.filter(hasRead)
      expect(reading.length).toBeGreaterThan(0)
      // A scan of the whole partition is as good while it has hardly any other entries.
      const scans = reading.filter(
        (node) => (node['Rows Removed by Filter'] ?? 0) > 10 || rows > 10,
      )
      for (const node of scans) expect(node['Node Type']).toMatch(/^(Index|Bitmap Heap) Scan$/)
      expect(whole['Shared Hit Blocks'] + whole['Shared Read Blocks']).toBeLessThan(inEpoch + 100)
    }
  })

  test('an epoch is added to the sums without reading the rest of the log', async () => {
    const client = new pg.Client({
      connectionString: database.serviceUrl,
      options: '-c role=gateway_service -c gateway.account_id=*',
    })
    await client.connect()
    try {
      await client.query('BEGIN')
      const { rows: lines } = await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT usage.fold_epoch(${epoch})`,
      )
      const [{ Plan: whole }] = lines[0]['QUERY PLAN']
      await client.query('ROLLBACK')

      const blocks = whole['Shared Hit Blocks'] + whole['Shared Read Blocks']
      // A third of the large log: what is left is adding to the sums, and planning with each index.
      expect(blocks).toBeLessThan(2800)
    } finally {
      await client.end()
    }
  })
})
