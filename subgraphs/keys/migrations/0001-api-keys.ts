import { Migration } from '@mikro-orm/migrations'

/** API keys: only the SHA-256 of the secret is kept, with what recognises it again. */
export class ApiKeys0001 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE SCHEMA IF NOT EXISTS keys;

      CREATE TABLE keys.api_key (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        name text NOT NULL,
        prefix text NOT NULL,
        last4 text NOT NULL CHECK (length(last4) = 4),
        secret_hash text COLLATE "C" NOT NULL UNIQUE,
        scopes text[] NOT NULL,
        ip_allowlist text[] NOT NULL DEFAULT '{}',
        expires_at timestamptz(3),
        last_used_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        revoked_at timestamptz(3),
        replaced_by text COLLATE "C" REFERENCES keys.api_key
      );
      CREATE INDEX api_key_newest ON keys.api_key (account_id, environment, id DESC);

      CREATE FUNCTION keys.notify_stale() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', NEW.account_id);
          RETURN NULL;
        END $body$;
      CREATE TRIGGER api_key_stale
        AFTER UPDATE OF scopes, ip_allowlist, expires_at, revoked_at ON keys.api_key
        FOR EACH ROW EXECUTE FUNCTION keys.notify_stale();

      GRANT USAGE ON SCHEMA keys TO gateway_service;
      GRANT SELECT, INSERT, UPDATE ON keys.api_key TO gateway_service;
    `)
  }
}
