import { Migration } from '@mikro-orm/migrations'

/** Who has disabled a key: a session may take that back at once, without a proof. */
export class DisabledBy0007 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE keys.api_key
        ADD COLUMN disabled_at timestamptz(3),
        -- The session that did it, \`ses_…\`; null: not a session.
        ADD COLUMN disabled_by text COLLATE "C";
    `)
  }
}
