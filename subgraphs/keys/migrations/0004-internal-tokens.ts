import { Migration } from '@mikro-orm/migrations'
import { isEveryone } from '../../shared/database/tenant.ts'

/** Which tokens of the internal listener were minted, and which are revoked; never a token itself. */
export class InternalTokens0004 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE keys.internal_token (
        id text COLLATE "C" PRIMARY KEY,
        -- Null for one that was revoked, and that nobody has recorded.
        role text CHECK (role IN ('admin', 'support', 'readonly')),
        minted_at timestamptz(3),
        -- It is forgotten then: an expired token is refused anyway.
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3)
      );
      CREATE INDEX internal_token_expires_at ON keys.internal_token (expires_at);
      ALTER TABLE keys.internal_token ENABLE ROW LEVEL SECURITY;
      ALTER TABLE keys.internal_token FORCE ROW LEVEL SECURITY;
      CREATE POLICY nobodys ON keys.internal_token USING ((SELECT ${isEveryone}));
      GRANT SELECT, INSERT, UPDATE, DELETE ON keys.internal_token TO gateway_service;
    `)
  }
}
