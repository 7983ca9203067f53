import type { Database, Statement } from '../../shared/database/database.ts'
import type { UsageContext } from '../settings/usage-settings.ts'

const keepJob = 'KeepUsageLog'
const settleJob = 'SettleLateEntries'

/**
 * The next run, unless one is waiting already: a job that is tried again must not become two. Asked for
 * before anything else, so that one that fails too often is not the last.
 */
const comeAgain: Statement = {
  name: 'keep-usage-log-again',
  text: `
    SELECT jobs.enqueue('${keepJob}', '{}', now() + interval '1 hour')
    FROM usage.usage_log_extent e
    WHERE NOT EXISTS (
      SELECT FROM jobs.unfinished('{${keepJob}}') WHERE NOT is_active AND due_at > now()
    )`,
}

const keep: Statement = {
  name: 'keep-usage-log',
  text: 'SELECT usage.keep_log($1) AS is_done',
}

const settle: Statement = {
  name: 'settle-late-entries',
  text: `
    SELECT jobs.enqueue('${settleJob}', '{}', now()) FROM usage.usage_log_extent e
    WHERE usage.has_late_entries()
      AND NOT EXISTS (SELECT FROM jobs.unfinished('{${settleJob}}') WHERE NOT is_active)`,
}

/**
 * Adds the months to come and drops those that need not be kept; then an hour later again. Returns false
 * when the log was too busy for it, or has entries later than its last month, which take a job of their
 * own: nothing is lost by waiting.
 */
export async function keepUsageLog(database: Database, retentionDays: number): Promise<boolean> {
  await database.query(comeAgain, [])
  const [row] = await database.query<{ is_done: boolean }>(keep, [retentionDays])
  if (row?.is_done === true) return true
  await database.query(settle, [])
  return false
}

/**
 * Makes what is later than the last month ready to become a partition of its own, and adds the months
 * to come. Takes as long as it takes to read it twice; nobody waits for that.
 */
export async function settleLateEntries({
  database,
  usageLogRetentionDays = 0,
  stopping,
}: UsageContext): Promise<boolean> {
  await database.runLong('SELECT usage.limit_late_entries()', stopping)
  await database.runLong('SELECT usage.prove_late_entries()', stopping)
  const [row] = await database.query<{ is_done: boolean }>(keep, [usageLogRetentionDays])
  return row?.is_done === true
}

const takeUp: Statement = {
  name: 'keep-usage-log-take-up',
  text: `
    SELECT jobs.enqueue('${keepJob}', '{}', now()) FROM usage.usage_log_extent e
    WHERE NOT EXISTS (SELECT FROM jobs.unfinished('{${keepJob}}'))`,
}

/** Has the log kept again if no job is left that does: the first, or one whose worker died before it began. */
export async function takeUpKeeping(database: Database): Promise<void> {
  await database.query(takeUp, [])
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
