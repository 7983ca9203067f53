import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** No statement sees another account's keys. */
export class TenantIsolation0003 extends Migration {
  override up(): void {
    this.addSql(isolateTenants('keys', ['api_key']))
  }
}
