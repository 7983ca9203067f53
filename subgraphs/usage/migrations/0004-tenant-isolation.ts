import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** No statement sees another account's usage, nor its audit trail. */
export class TenantIsolation0004 extends Migration {
  override up(): void {
    this.addSql(isolateTenants('usage', ['usage_log', 'usage_hour', 'audit_event']))
  }
}
