import { Migration } from '@mikro-orm/migrations'

/**
 * `account.reserve_spending` is of step 0027, which no release has had without 0028. From 0028 on,
 * `account.reserve_in_budgets` does its work.
 */
export class UnusedReservation0038 extends Migration {
  override up(): void {
    this.addSql(`
      DROP FUNCTION account.reserve_spending(text[], text[], bigint[], text[], int[], bigint[], int[],
        jsonb[], text[], text[], int[], jsonb[])`)
  }
}
