import { newId } from '../../../schema/vocabulary/ids.ts'
import type { WebhookEventType } from '../../../schema/vocabulary/webhook-events.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { eventJob } from '../../shared/jobs/jobs.ts'

/** Begins an export. */
export const runJob = 'RunAuditExport'
/**
 * Watches over an attempt, and begins the next one when necessary. It has a queue of its own: long
 * exports must not keep a process from taking over the exports of a dead one.
 */
export const watchJob = 'WatchAuditExport'

/** The most attempts of an export: one that kills its workers must end at some point. */
export const maxAttempts = 50
/** The age from which a waiting job may be lost: while workers are running, no job waits for so long. */
const lostSeconds = 20
const lostAtOnce = 100

const enqueue = (job: string, at: string) =>
  `jobs.enqueue(${job}, jsonb_build_object('id', id, 'attempt', attempt), ${at})`

/** SQL: enqueues a job that checks the attempt of a row at that time. */
export function watch(at: string): string {
  return enqueue(`'${watchJob}'`, at)
}

/**
 * SQL: whether no older export of the account waits or runs. An account's exports run sequentially,
 * so that an account with many exports does not delay the others. The oldest one changes only when
 * it has ended, so no two begin at once.
 */
export function isFirst(table: string): string {
  return `NOT EXISTS (
    SELECT FROM usage.audit_export o
    WHERE o.account_id = ${table}.account_id AND o.id < ${table}.id
      AND o.status IN ('queued', 'running'))`
}

/**
 * SQL, joined to `ended`, a changed row: if that export has ended, the account's next one begins.
 */
export const wakeNext = `
  LEFT JOIN LATERAL (
    SELECT ${enqueue(`'${runJob}'`, 'now()')} AS woken FROM (
      SELECT id, attempt FROM usage.audit_export o
      WHERE ended.status IN ('completed', 'failed') AND o.account_id = ended.account_id
        AND o.id <> ended.id AND o.status = 'queued'
      ORDER BY o.id LIMIT 1
    ) oldest
  ) next ON true`

/** The event about an export that has ended, and the member of it that describes the result. */
const endings = {
  completed: ['audit_export.completed', 'row_count'],
  failed: ['audit_export.failed', 'error'],
} as const satisfies Readonly<Record<string, readonly [WebhookEventType, string]>>

/** SQL: publishes the result of `ended`, the row of an export; `id` is the id of the event. */
export function tell(ending: keyof typeof endings, id: string): string {
  const [type, member] = endings[ending]
  return `jobs.enqueue('${eventJob}', jsonb_build_object('events', jsonb_build_array(
    jsonb_build_object('id', ${id}::text, 'accountId', ended.account_id,
      'environment', ended.environment, 'type', '${type}', 'createdAt', now(),
      'data', jsonb_build_object('audit_export_id', ended.id, 'kind', ended.kind,
        '${member}', ended.${member})))), now())`
}

const giveUp: Statement = {
  name: 'audit-export-give-up',
  text: `
    WITH ended AS (
      UPDATE usage.audit_export SET status = 'failed', completed_at = now(), lease_until = NULL,
        error = 'The export was interrupted too often.'
      WHERE id = $1 AND attempt = $2 AND attempt >= ${maxAttempts} AND status = 'running'
        AND lease_until <= now()
      RETURNING *
    )
    SELECT woken, ${tell('failed', '$3')} FROM ended ${wakeNext}`,
}

/** Has a job check again until the export has ended, also when the lease has just expired. */
const watchOn: Statement = {
  name: 'audit-export-watch',
  text: `SELECT ${watch(`greatest(lease_until, now()) + interval '1 s'`)} FROM usage.audit_export
    WHERE id = $1 AND attempt = $2 AND status = 'running'`,
}

/** Checks an attempt of another worker. */
export async function watchOver(database: Database, id: string, attempt: number): Promise<void> {
  await database.query(giveUp, [id, attempt, newId('evt')])
  await database.query(watchOn, [id, attempt])
}

/**
 * A worker that died after it took the job and before it began the export leaves a job that no
 * other worker gets for hours. If there are two jobs in the end, the second finds nothing to do.
 */
const takeUpLost: Statement = {
  name: 'audit-exports-take-up-lost',
  text: `
    SELECT ${enqueue(`CASE status WHEN 'queued' THEN '${runJob}' ELSE '${watchJob}' END`, 'now()')}
    FROM usage.audit_export e
    WHERE status IN ('queued', 'running')
      AND coalesce(lease_until, created_at) < now() - interval '${lostSeconds} s'
      AND ${isFirst('e')}
      AND NOT EXISTS (
        SELECT FROM jobs.unfinished('{${runJob},${watchJob}}', e.id) WHERE NOT is_active)
    LIMIT ${lostAtOnce}`,
}

/** Enqueues a job for every export without one; returns their number, at most a hundred. */
export async function takeUpLostExports(database: Database): Promise<number> {
  const taken = await database.query(takeUpLost, [])
  return taken.length
}
