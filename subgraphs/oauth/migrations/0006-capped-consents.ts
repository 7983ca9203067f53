import { Migration } from '@mikro-orm/migrations'

/** Which consents have budgets, whose rows the account subgraph keeps. */
export class CappedConsents0006 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE oauth.consent
        -- The account subgraph must have budgets of the consent: without them its tokens are refused.
        ADD COLUMN is_capped boolean NOT NULL DEFAULT false;

      CREATE TRIGGER consent_stale AFTER UPDATE OF is_capped ON oauth.consent
        FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();
    `)
  }
}
