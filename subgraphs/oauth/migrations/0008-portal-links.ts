import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** How a person comes to a session without a key: a portal link, or a session of the other listener. */
export class PortalLinks0008 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE oauth.portal_link (
        id text COLLATE "C" PRIMARY KEY,
        -- Lower-case hexadecimal SHA-256: the token itself is in the link alone.
        token_hash text COLLATE "C" NOT NULL UNIQUE,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        role text NOT NULL,
        -- Whom the operator's backend names: 1 to 200 characters.
        actor text NOT NULL,
        -- Where the page leads back to.
        return_url text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        used_at timestamptz(3)
      );
      CREATE INDEX portal_link_expires_at ON oauth.portal_link (expires_at);

      CREATE TABLE oauth.session_handover (
        code_hash text COLLATE "C" PRIMARY KEY,
        -- The session that hands over whom it has.
        session_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        -- Where the code opens a session: the other one than that of the session.
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        used_at timestamptz(3)
      );
      CREATE INDEX session_handover_expires_at ON oauth.session_handover (expires_at);

      ${isolateTenants('oauth', ['portal_link', 'session_handover'])}
      GRANT SELECT, INSERT, UPDATE, DELETE ON oauth.portal_link, oauth.session_handover
        TO gateway_service;
    `)
  }
}
