import { Migration } from '@mikro-orm/migrations'

/** The budgets that a key spends from, and the notes of its owner. */
export class SpendingKeys0006 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE keys.api_key
        -- False: refused like a revoked key, until its owner says otherwise.
        ADD COLUMN enabled boolean NOT NULL DEFAULT true,
        -- All keys of an account with the same one share its budgets.
        ADD COLUMN external_id text COLLATE "C",
        ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
        -- A key, a session's actor, or internal:<token id>; null for a key of an earlier release.
        ADD COLUMN created_by text COLLATE "C",
        -- The first key of its chain of rotations; null: itself.
        ADD COLUMN spender_id text COLLATE "C",
        -- The account subgraph must have budgets of the spender: without them the key is refused.
        ADD COLUMN is_capped boolean NOT NULL DEFAULT false;

      CREATE OR REPLACE TRIGGER api_key_stale
        AFTER UPDATE OF scopes, ip_allowlist, expires_at, revoked_at, enabled, external_id, is_capped
        ON keys.api_key
        FOR EACH ROW EXECUTE FUNCTION keys.notify_stale();
    `)
  }
}
