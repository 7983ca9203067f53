import { Migration } from '@mikro-orm/migrations'
import { doneChanges } from '../../shared/changes/change.ts'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** The table that lets a repeated request show the key again that the first one issued. */
export class DoneChanges0005 extends Migration {
  override up(): void {
    this.addSql(`
      ${doneChanges('keys')}
      ${isolateTenants('keys', ['done_change'])}`)
  }
}
