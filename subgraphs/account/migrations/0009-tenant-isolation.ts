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

      -- What auditors see, by views, which read as the owner: whoever asks, and of all accounts.
      CREATE POLICY owner_reads ON account.ledger_entry FOR SELECT TO CURRENT_USER USING (true);
      CREATE POLICY owner_reads ON account.hold FOR SELECT TO CURRENT_USER USING (true);
    `)
  }
}
