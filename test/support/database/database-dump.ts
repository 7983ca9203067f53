import { vi } from 'vitest'
import { patience } from '../time/patience.ts'
import type { TestDatabase } from './database.ts'

/** Tables that any request may change, also a refused one. */
export const requestTraces: readonly string[] = [
  'jobs.job',
  'jobs.job_common',
  'jobs.queue',
  'jobs.version',
  'usage.audit_event',
  'usage.audit_chain',
  'usage.anonymous_failure',
  'account.facade_process',
  'usage.usage_log',
  'usage.usage_epoch',
  'usage.usage_hour',
  'usage.usage_endpoint',
  'usage.usage_kind',
  'usage.usage_key',
]

/** For a gateway whose database is dumped: a failed webhook is not retried meanwhile. */
export const restingVariables = { WEBHOOK_RETRY_SECONDS: '86400' }

/** Exports change while a worker runs them, independent of requests. */
async function untilExportsAreDone(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await vi.waitUntil(async () => {
    const unfinished = `SELECT 1 FROM usage.audit_export WHERE status IN ('queued', 'running')`
    return (await database.query(unfinished)).length === 0
  }, patience)
}

/** Events, audit lines under way and due deliveries change independently too. */
async function untilEventsAreTold(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await vi.waitUntil(async () => {
    const untold = `
      SELECT FROM jobs.job
      WHERE name IN ('PublishEvents', 'RecordAuditEvents') AND state < 'completed'
      UNION ALL
      SELECT FROM account.webhook_delivery d JOIN account.webhook_endpoint e ON e.id = d.endpoint_id
      WHERE d.status = 'pending' AND e.status = 'enabled' AND d.due_at < now() + interval '1 hour'`
    return (await database.query(untold)).length === 0
  }, patience)
}

async function untilNothingChanges(database: Pick<TestDatabase, 'query'>): Promise<void> {
  await untilExportsAreDone(database)
  await untilEventsAreTold(database)
}

/** The rows of partitions are those of their table. */
async function tablesOf(database: Pick<TestDatabase, 'query'>, leftOut: readonly string[]) {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
       AND NOT (SELECT relispartition FROM pg_class
         WHERE oid = format('%I.%I', schemaname, tablename)::regclass)
     ORDER BY name`,
  )
  return tables.map(({ name }) => name).filter((name) => !leftOut.includes(name))
}

/** Tells whether any row of any table has changed; when a key was used last does not count. */
export async function fingerprintDatabase(
  database: Pick<TestDatabase, 'query'>,
  tablesLeftOut: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  await untilNothingChanges(database)
  const sums = (await tablesOf(database, tablesLeftOut)).map(
    (name) => `SELECT '${name}' AS name, concat(count(*), ' rows, ',
      sum(hashtextextended((to_jsonb(t) - 'last_used_at')::text, 0))) AS sum FROM ${name} AS t`,
  )
  const rows = await database.query<{ name: string; sum: string }>(sums.join(' UNION ALL '))
  return new Map(rows.map(({ name, sum }) => [name, sum]))
}

/** Every row of every table as JSON, those of partitions as their table's, by the name of its table; when a key was used last is left out. */
export async function dumpDatabase(
  database: Pick<TestDatabase, 'query'>,
  tablesLeftOut: readonly string[] = [],
): Promise<ReadonlyMap<string, readonly string[]>> {
  await untilNothingChanges(database)
  const dump = new Map<string, readonly string[]>()
  for (const name of await tablesOf(database, tablesLeftOut)) {
    const rows = await database.query<{ row: string }>(
      `SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM ${name} AS t ORDER BY 1`,
    )
    const texts = rows.map(({ row }) => row)
    dump.set(name, texts)
  }
  return dump
}
