import type { Database, Statement } from '../../shared/database/database.ts'
import type { UsageContext } from '../settings/usage-settings.ts'

const keepJob = 'KeepUsageLog'
const settleJob = 'SettleLateEntries'

/**
 * Enqueues the next run unless one waits already: a retried job must not become two. This comes
 * before all other work, so that the next run exists even if this job fails too often.
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
  text: 'SELECT usage.keep_log($1) AS "isDone"',
}

const settle: Statement = {
  name: 'settle-late-entries',
  text: `
    SELECT jobs.enqueue('${settleJob}', '{}', now()) FROM usage.usage_log_extent e
    WHERE usage.has_late_entries()
      AND NOT EXISTS (SELECT FROM jobs.unfinished('{${settleJob}}') WHERE NOT is_active)`,
}

/**
 * Adds partitions for the next months and drops those that need not be kept; repeats that every
 * hour. Returns false if the log was too busy, or if it has entries later than its last month.
 * These need a job of their own, and nothing is lost until then.
 */
export async function keepUsageLog(database: Database, retentionDays: number): Promise<boolean> {
  await database.query(comeAgain, [])
  const [row] = await database.query<{ isDone: boolean }>(keep, [retentionDays])
  if (row?.isDone === true) return true
  await database.query(settle, [])
  return false
}

const limitLateEntries: Statement = {
  name: 'usage-log-limit-late-entries',
  text: 'SELECT usage.limit_late_entries()',
}

const proveLateEntries: Statement = {
  name: 'usage-log-prove-late-entries',
  text: 'SELECT usage.prove_late_entries()',
}

/**
 * Prepares the entries later than the last month to become a partition of their own, and adds the
 * next months. It reads these entries twice, and no request waits for that.
 */
export async function attachLateEntries({
  database,
  usageLogRetentionDays = 0,
  stopping,
}: UsageContext): Promise<boolean> {
  await database.runLong(limitLateEntries, [], stopping)
  await database.runLong(proveLateEntries, [], stopping)
  const [row] = await database.query<{ isDone: boolean }>(keep, [usageLogRetentionDays])
  return row?.isDone === true
}

const takeUp: Statement = {
  name: 'keep-usage-log-take-up',
  text: `
    SELECT jobs.enqueue('${keepJob}', '{}', now()) FROM usage.usage_log_extent e
    WHERE NOT EXISTS (SELECT FROM jobs.unfinished('{${keepJob}}'))`,
}

/**
 * Enqueues the job if it is missing: before the first run, or after its worker died before it
 * began.
 */
export async function takeUpKeeping(database: Database): Promise<void> {
  await database.query(takeUp, [])
}

const keptSince: Statement = {
  name: 'usage-log-kept-since',
  text: `SELECT nullif(kept_since, '-infinity') AS "keptSince"
    FROM usage.usage_log_extent`,
}

/** Entries that arrived before this time have been deleted; null: none have. */
export async function usageLogKeptSince(database: Database): Promise<Date | null> {
  const [row] = await database.query<{ keptSince: Date | null }>(keptSince, [])
  return row?.keptSince ?? null
}
