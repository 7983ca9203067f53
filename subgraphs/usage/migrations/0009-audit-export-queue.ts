import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/** Exports that are not over, which are few: of one account, and all of them. */
export class AuditExportQueue0009 extends ConcurrentIndex {
  protected readonly table = 'usage.audit_export'
  protected readonly index = 'audit_export_unfinished'
  protected readonly definition = `(account_id, id) WHERE status IN ('queued', 'running')`
}
