import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

const tables = [
  'plan',
  'balance',
  'ledger_entry',
  'hold',
  'idempotency_key',
  'posting_key',
  'expiring_grant',
  'subscription',
  'addon',
  'tracked_keyword',
  'payment',
  'payment_customer',
  'invoice',
  'auto_recharge',
  'event',
  'done_change',
]

/** A statement sees the rows of one account only. */
export class TenantIsolation0009 extends Migration {
  override up(): void {
    this.addSql(`
      ${isolateTenants('account', ['account'], 'id')}
      ${isolateTenants('account', tables)}

      -- Auditors see these tables by views. The views read as the owner, so they show all accounts to
      -- every reader.
      CREATE POLICY owner_reads ON account.ledger_entry FOR SELECT TO CURRENT_USER USING (true);
      CREATE POLICY owner_reads ON account.hold FOR SELECT TO CURRENT_USER USING (true);
    `)
  }
}
