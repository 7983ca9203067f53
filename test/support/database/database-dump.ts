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
  'account.process_report',
  'usage.usage_log',
  'usage.usage_epoch',
  'usage.usage_service',
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
      WHERE state < 'completed' AND name <> 'dead_letter'
        AND (name IN ('PublishEvents', 'RecordAuditEvents') OR start_after <= now())
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

interface Table {
  readonly name: string
  readonly knowsLastUse: boolean
}

/** The rows of partitions are those of their table. */
function tablesOf(
  database: Pick<TestDatabase, 'query'>,
  leftOut: readonly string[],
): Promise<Table[]> {
  return database.query<Table>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name, EXISTS (
       SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'last_used_at'
     ) AS "knowsLastUse"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND n.nspname NOT IN ('pg_catalog', 'information_schema')
       AND format('%I.%I', n.nspname, c.relname) <> ALL ($1)
     ORDER BY name`,
    [leftOut],
  )
}

const withoutLastUse = `(to_jsonb(t) - 'last_used_at')::text`

/** Tells whether any row of any table has changed; when a key was used last does not count. */
export async function fingerprintDatabase(
  database: Pick<TestDatabase, 'query'>,
  tablesLeftOut: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  await untilNothingChanges(database)
  // JSON only where a member must be left out: the text of a row costs less.
  const sums = (await tablesOf(database, tablesLeftOut)).map(
    ({ name, knowsLastUse }) => `SELECT '${name}' AS name, concat(count(*), ' rows, ',
      sum(hashtextextended(${knowsLastUse ? withoutLastUse : 't::text'}, 0))) AS sum
      FROM ${name} AS t`,
  )
  const rows = await database.query<{ name: string; sum: string }>(sums.join(' UNION ALL '))
  return new Map(rows.map(({ name, sum }) => [name, sum]))
}

/**
 * Every row of every table as JSON, those of partitions as their table's, by the name of its table; when a key was
 * used last is left out. With an id, only the rows that name it.
 */
export async function dumpDatabase(
  database: Pick<TestDatabase, 'query'>,
  id = '',
): Promise<ReadonlyMap<string, readonly string[]>> {
  await untilNothingChanges(database)
  const dump = new Map<string, readonly string[]>()
  for (const { name } of await tablesOf(database, [])) {
    const rows = await database.query<{ row: string }>(
      `SELECT ${withoutLastUse} AS row FROM ${name} AS t
       WHERE $1 = '' OR strpos(t::text, $1) > 0 ORDER BY 1`,
      [id],
    )
    const texts = rows.map(({ row }) => row)
    dump.set(name, texts)
  }
  return dump
}
