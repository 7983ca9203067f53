import { Migration } from '@mikro-orm/migrations'

/** A late payment brings the allowance until the end of its own period. */
export class PaymentPeriodEnd0011 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account.payment ADD COLUMN period_end timestamptz(3)')
  }
}
