import { Migration } from '@mikro-orm/migrations'
import { doneChanges } from '../../shared/changes/change.ts'
import { isolateTenants } from '../../shared/database/tenant.ts'

/**
 * Apps, consents, grants and what was issued for them. Of every secret only the SHA-256 is kept. An
 * `account_id` is the account that approved; only an app's own is the one that registered it.
 */
export class Provider0003 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE oauth.app (
        client_id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        client_name text NOT NULL,
        application_type text NOT NULL CHECK (application_type IN ('web', 'native', 'spa')),
        token_endpoint_auth_method text NOT NULL
          CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post', 'none')),
        -- Lower-case hexadecimal; a public app has none.
        secret_hash text COLLATE "C"
          CHECK ((secret_hash IS NULL) = (token_endpoint_auth_method = 'none')),
        -- As they were written: they are compared character by character.
        redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 20),
        grant_types text[] NOT NULL,
        scopes text[] NOT NULL,
        require_pkce boolean NOT NULL,
        logo_uri text,
        client_uri text,
        policy_uri text,
        tos_uri text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        suspended_at timestamptz(3)
      );
      CREATE INDEX app_newest ON oauth.app (account_id, environment, client_id DESC);

      -- A browser that is signed in.
      CREATE TABLE oauth.session (
        id text COLLATE "C" PRIMARY KEY,
        secret_hash text COLLATE "C" NOT NULL UNIQUE,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        -- The key that opened it: the session ends with it.
        key_id text COLLATE "C" NOT NULL,
        auth_time timestamptz(3) NOT NULL DEFAULT now(),
        idle_until timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        -- Until then the sign-in was for what is being decided.
        decided_at timestamptz(3),
        ended_at timestamptz(3)
      );
      CREATE INDEX session_expires_at ON oauth.session (expires_at);

      -- The grants of an account to an app, as long as they are remembered.
      CREATE TABLE oauth.consent (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        client_id text COLLATE "C" NOT NULL REFERENCES oauth.app,
        scopes text[] NOT NULL,
        key_id text COLLATE "C" NOT NULL,
        granted_at timestamptz(3) NOT NULL DEFAULT now(),
        revoked_at timestamptz(3),
        PRIMARY KEY (account_id, client_id)
      );
      CREATE INDEX consent_client ON oauth.consent (client_id);

      -- One approval, and with it the family of everything issued for it (RFC 9700 §4.14.2).
      CREATE TABLE oauth.authorization_grant (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        client_id text COLLATE "C" NOT NULL REFERENCES oauth.app,
        scopes text[] NOT NULL,
        -- The approver: a key, or a browser that a key had signed in.
        approved_by_key_id text COLLATE "C",
        session_id text COLLATE "C",
        auth_time timestamptz(3) NOT NULL,
        nonce text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        -- By then nothing that was issued for it is accepted any more.
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3),
        revoked_because text,
        CHECK (approved_by_key_id IS NOT NULL OR session_id IS NOT NULL),
        CHECK ((revoked_at IS NULL) = (revoked_because IS NULL))
      );
      CREATE INDEX authorization_grant_of ON oauth.authorization_grant (client_id, account_id)
        WHERE revoked_at IS NULL;
      CREATE INDEX authorization_grant_account ON oauth.authorization_grant (account_id)
        WHERE revoked_at IS NULL;
      CREATE INDEX authorization_grant_expires_at ON oauth.authorization_grant (expires_at);

      CREATE TABLE oauth.authorization_code (
        code_hash text COLLATE "C" PRIMARY KEY,
        grant_id text COLLATE "C" NOT NULL UNIQUE
          REFERENCES oauth.authorization_grant ON DELETE CASCADE,
        account_id text COLLATE "C" NOT NULL,
        redirect_uri text NOT NULL,
        code_challenge text,
        expires_at timestamptz(3) NOT NULL,
        consumed_at timestamptz(3)
        -- Each is consumed once: in its page is room for that, and no index changes.
      ) WITH (fillfactor = 50);

      CREATE TABLE oauth.access_token (
        token_hash text COLLATE "C" PRIMARY KEY,
        grant_id text COLLATE "C" NOT NULL
          REFERENCES oauth.authorization_grant ON DELETE CASCADE,
        account_id text COLLATE "C" NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3)
      );
      CREATE INDEX access_token_grant ON oauth.access_token (grant_id);
      CREATE INDEX access_token_expires_at ON oauth.access_token (expires_at);

      CREATE TABLE oauth.refresh_token (
        token_hash text COLLATE "C" PRIMARY KEY,
        grant_id text COLLATE "C" NOT NULL
          REFERENCES oauth.authorization_grant ON DELETE CASCADE,
        account_id text COLLATE "C" NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        consumed_at timestamptz(3)
      );
      CREATE INDEX refresh_token_grant ON oauth.refresh_token (grant_id);
      CREATE INDEX refresh_token_expires_at ON oauth.refresh_token (expires_at);

      -- Consent tokens that were used: each works once.
      CREATE TABLE oauth.used_consent_token (
        jti text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX used_consent_token_expires_at ON oauth.used_consent_token (expires_at);

      ${doneChanges('oauth')}

      -- Facades remember who an access token or a client is.
      CREATE FUNCTION oauth.notify_stale() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', NEW.account_id);
          RETURN NULL;
        END $body$;
      CREATE TRIGGER app_stale AFTER UPDATE OF suspended_at, secret_hash ON oauth.app
        FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();
      CREATE TRIGGER authorization_grant_stale
        AFTER UPDATE OF revoked_at ON oauth.authorization_grant
        FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();
      CREATE TRIGGER access_token_stale AFTER UPDATE OF revoked_at ON oauth.access_token
        FOR EACH ROW EXECUTE FUNCTION oauth.notify_stale();

      ${isolateTenants('oauth', [
        'app',
        'session',
        'consent',
        'authorization_grant',
        'authorization_code',
        'access_token',
        'refresh_token',
        'used_consent_token',
        'done_change',
      ])}

      GRANT SELECT, INSERT, UPDATE ON oauth.app, oauth.consent TO gateway_service;
      GRANT SELECT, INSERT, UPDATE, DELETE ON oauth.session, oauth.authorization_grant,
        oauth.authorization_code, oauth.access_token, oauth.refresh_token,
        oauth.used_consent_token TO gateway_service;
    `)
  }
}
