import { forgetDoneChanges } from '../../shared/changes/change.ts'
import type { Statement } from '../../shared/database/database.ts'
import { requireExports, type UsageContext } from '../settings/usage-settings.ts'

/** Only so many exports, the newest ones, are kept and listed for each account and environment. */
export const maxExports = 200

const expiredExports: Statement = {
  name: 'audit-exports-expired',
  text: `SELECT id, file FROM usage.audit_export WHERE kept_until <= now()
    ORDER BY kept_until LIMIT $1`,
}

/** An export that is still in the list stays there without its file. */
const forgetFile: Statement = {
  name: 'audit-export-forget-file',
  text: `UPDATE usage.audit_export e SET file = NULL, kept_until = NULL
    WHERE id = $1 AND file IS NOT DISTINCT FROM $2 AND (
      SELECT count(*) FROM usage.audit_export o
      WHERE o.account_id = e.account_id AND o.environment = e.environment AND o.id > e.id
    ) < ${maxExports} RETURNING 1`,
}

const forgetExport: Statement = {
  name: 'audit-export-forget',
  text: `DELETE FROM usage.audit_export
    WHERE id = $1 AND file IS NOT DISTINCT FROM $2 AND kept_until <= now()`,
}

/** Puts the export behind the others that have to be deleted. */
const postpone: Statement = {
  name: 'audit-export-postpone',
  text: `UPDATE usage.audit_export SET kept_until = now() + interval '1 hour'
    WHERE id = $1 AND kept_until <= now()`,
}

const forgetChanges: Statement = {
  name: 'forget-done-changes-of-usage',
  text: forgetDoneChanges('usage'),
}

interface ExpiredRow {
  readonly id: string
  readonly file: string | null
}

/**
 * Deletes results that were kept long enough, exports that have left the list, and records of done
 * changes: up to `limit` of each; returns the largest number of one kind. A file that cannot be
 * removed is tried again after an hour; after all others it throws the reason.
 */
export async function forgetAuditExports(context: UsageContext, limit: number): Promise<number> {
  const { database } = context
  const { files } = requireExports(context)
  const changes = await database.query(forgetChanges, [limit])
  const expired = await database.query<ExpiredRow>(expiredExports, [limit])
  const failures: unknown[] = []
  for (const { id, file } of expired) {
    try {
      // The file goes first: without its row it would never be deleted.
      if (file !== null) await files.remove(file)
    } catch (error) {
      failures.push(error)
      await database.query(postpone, [id])
      continue
    }
    const [kept] = await database.query(forgetFile, [id, file])
    if (!kept) await database.query(forgetExport, [id, file])
  }
  if (failures.length > 0) {
    const message = `Results that could not be removed: ${failures.length}; ${String(failures[0])}`
    throw new AggregateError(failures, message)
  }
  return Math.max(changes.length, expired.length)
}
