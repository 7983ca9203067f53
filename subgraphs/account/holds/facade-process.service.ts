import { failedCallKeyPrefix } from '../../../schema/vocabulary/failed-calls.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { OrphanedCharge } from './facade-process.type.ts'

/**
 * The age from which a charge is surely recorded, if its process says so. The entry of a charge waits
 * until its process knows of the charge, which takes no longer than a statement may (DATABASE_TIMEOUT_MS, at
 * most a minute). A process says that all is recorded while no entry waits for more than five seconds.
 */
const recordedAfter = `interval '90 s'`

const reportProcess: Statement = {
  name: 'report-process',
  text: `
    INSERT INTO account.facade_process AS p (id, seen_at, recorded_until)
    VALUES ($1, now(), now() - ${recordedAfter})
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,
      recorded_until = CASE WHEN $2 THEN now() - ${recordedAfter} ELSE p.recorded_until END`,
}

const removeProcess: Statement = {
  name: 'remove-process',
  text: 'DELETE FROM account.facade_process WHERE id = $1',
}

/**
 * A charge that was refunded because its call failed costs nothing; a charge that an operator
 * refunded counts as charged.
 */
const orphanedCharges: Statement = {
  name: 'orphaned-charges',
  text: `
    SELECT e.ref AS "requestId", e.account_id AS "accountId", e.environment,
      coalesce(e.request, account.request_of(e.description, e.call)) AS request,
      CASE WHEN EXISTS (
        SELECT FROM account.posting_key k
        WHERE k.account_id = e.account_id AND k.environment = e.environment
          AND k.key = '${failedCallKeyPrefix}' || e.ref
      ) THEN 0 ELSE -e.credits END AS credits
    FROM account.facade_process p
    JOIN account.ledger_entry e ON e.created_at > p.recorded_until AND e.kind = 'charge'
      AND (starts_with(e.call, '[' || to_json(p.id)) OR e.request ->> 'processId' = p.id)
    WHERE p.id = $1
    ORDER BY e.created_at LIMIT $2`,
}

const deadProcesses: Statement = {
  name: 'dead-processes',
  text: `
    SELECT id FROM account.facade_process
    WHERE seen_at <= now() - make_interval(secs => $1) LIMIT 100`,
}

/** Reports that a process runs and, with `isRecorded`, that all its charges are recorded. */
export async function reportFacade(
  database: Database,
  processId: string,
  isRecorded: boolean,
): Promise<void> {
  await database.query(reportProcess, [processId, isRecorded])
}

export async function removeFacade(database: Database, processId: string): Promise<void> {
  await database.query(removeProcess, [processId])
}

/** The processes that have not reported for this time. */
export async function listDeadFacades(
  database: Database,
  silentSeconds: number,
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(deadProcesses, [silentSeconds])
  return rows.map(({ id }) => id)
}

/** A process cannot make more charges in the time that may be unrecorded. */
const maxCharges = 1_000_000

/** The charges of a process since the time until which its charges are surely recorded. */
export function listOrphanedCharges(
  database: Database,
  processId: string,
): Promise<OrphanedCharge[]> {
  return database.query(orphanedCharges, [processId, maxCharges])
}
