import { Migration } from '@mikro-orm/migrations'

/** Whoever pays for a period late gets its allowance until the period's own end. */
export class PaymentPeriodEnd0011 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account.payment ADD COLUMN period_end timestamptz(3)')
  }
}
