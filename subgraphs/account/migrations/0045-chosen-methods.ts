import { Migration } from '@mikro-orm/migrations'

/** The default method is the one that was chosen last, also if the card of a purchase is known late. */
export class ChosenMethods0045 extends Migration {
  override up(): void {
    this.addSql(`
      -- When \`payment_method\` was chosen: by a paid checkout or by the holder. Null in older rows.
      ALTER TABLE account.auto_recharge ADD COLUMN method_chosen_at timestamptz(3);
    `)
  }
}
