import { Migration } from '@mikro-orm/migrations'

/** Exports that are not over, which are few: of one account, and all of them. */
export class AuditExportQueue0008 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE INDEX audit_export_unfinished ON usage.audit_export (account_id, id)
        WHERE status IN ('queued', 'running')`)
  }
}
