import { Migration } from '@mikro-orm/migrations'
import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/** Most entries of sessions are in no sum by key. Those of keys and apps are not in the index. */
export class UsageLogSessions0019 extends ConcurrentIndex {
  protected readonly table = 'usage.usage_log'
  protected readonly index = 'usage_log_session'
  protected readonly definition = '(account_id, environment, request_id) WHERE is_session'
}

/** An export of requests may be of some sources. */
export class AuditExportSources0020 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE usage.audit_export ADD COLUMN sources text[]')
  }
}
