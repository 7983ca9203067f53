import type { Database, Statement } from '../shared/database.ts'

const job = 'KeepUsageLog'

/**
 * The next run, unless one is waiting already: a job that is tried again must not become two. Asked for
 * before anything else, so that one that fails too often is not the last.
 */
const comeAgain: Statement = {
  name: 'keep-usage-log-again',
  text: `
    SELECT jobs.enqueue('${job}', '{}', now() + interval '1 hour')
    FROM usage.usage_log_extent e
    WHERE NOT EXISTS (
      SELECT FROM jobs.job WHERE name = '${job}' AND state < 'active' AND start_after > now()
    )`,
}

const keep: Statement = {
  name: 'keep-usage-log',
  text: 'SELECT usage.keep_log($1) AS is_done',
}

/**
 * Adds the months to come and drops those that need not be kept; then an hour later again. Returns false
 * when the log was too busy for it: nothing is lost by waiting.
 */
export async function keepUsageLog(database: Database, retentionDays: number): Promise<boolean> {
  await database.query(comeAgain, [])
  const [row] = await database.query<{ is_done: boolean }>(keep, [retentionDays])
  return row?.is_done === true
}

const keptSince: Statement = {
  name: 'usage-log-kept-since',
  text: `SELECT nullif(kept_since, '-infinity') AS kept_since FROM usage.usage_log_extent`,
}

/** What arrived earlier has been forgotten; null: nothing has. */
export async function usageLogKeptSince(database: Database): Promise<Date | null> {
  const [row] = await database.query<{ kept_since: Date | null }>(keptSince, [])
  return row?.kept_since ?? null
}
