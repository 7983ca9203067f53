import { Migration } from '@mikro-orm/migrations'

/** Accounts, and for each environment a tier, a balance, an append-only ledger and open holds. */
export class AccountsAndLedger0001 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE SCHEMA IF NOT EXISTS account;

      CREATE TABLE account.account (
        id text COLLATE "C" PRIMARY KEY,
        name text NOT NULL,
        email text NOT NULL,
        status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'SUSPENDED', 'CLOSED')),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );

      -- Everything that a call can change or show exists once per environment (docs/contract.md §9).
      CREATE TABLE account.plan (
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        tier text NOT NULL
          CHECK (tier IN ('STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE')),
        subscription_tier text
          CHECK (subscription_tier IN ('pro_sub', 'business_sub', 'enterprise_sub')),
        PRIMARY KEY (account_id, environment)
      );

      -- One row that every charge updates: room on the page keeps those updates off the index.
      CREATE TABLE account.balance (
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        balance bigint NOT NULL DEFAULT 0 CHECK (balance BETWEEN 0 AND 9007199254740991),
        held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
        last_seq bigint NOT NULL DEFAULT 0,
        -- Of the newest entry: the next ones are chained to it.
        last_hash bytea NOT NULL DEFAULT '',
        PRIMARY KEY (account_id, environment),
        CHECK (held <= balance)
      ) WITH (fillfactor = 50);

      -- No foreign key here nor on holds: each row is made from its balance's row, which has one.
      CREATE TABLE account.ledger_entry (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        seq bigint NOT NULL CHECK (seq > 0),
        id text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN
          ('grant', 'purchase', 'allowance', 'charge', 'refund', 'expiry', 'adjustment')),
        credits bigint NOT NULL CHECK (abs(credits) <= 9007199254740991),
        balance_after bigint NOT NULL CHECK (balance_after >= 0),
        description text NOT NULL,
        -- The request of a charge, else what makes the entry happen once.
        ref text COLLATE "C" NOT NULL,
        -- The entry of the usage log for a charge, in case the process dies before it writes the entry.
        request jsonb,
        created_at timestamptz(3) NOT NULL,
        -- On the last entry of each commit: SHA-256 over the hash before and all entries since. Who
        -- rewrites one must rewrite the rest.
        hash bytea,
        PRIMARY KEY (account_id, environment, seq),
        UNIQUE (account_id, environment, kind, ref),
        CHECK (kind <> 'charge' OR (credits < 0 AND request IS NOT NULL))
      );

      -- Charges are looked for by time only after a crash.
      CREATE INDEX ledger_entry_created_at ON account.ledger_entry USING brin (created_at);

      -- The text of an entry that a hash covers.
      CREATE FUNCTION account.entry_content(
        account_id text, environment text, seq bigint, id text, kind text, credits bigint,
        balance_after bigint, description text, ref text, request jsonb, created_at timestamptz
      ) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
        RETURN concat_ws(chr(10), account_id, environment, seq, id, kind, credits,
          balance_after, quote_literal(description), quote_literal(ref),
          coalesce(request::text, ''), (extract(epoch FROM created_at) * 1000)::bigint) || chr(10);

      -- Enters anything but a charge, once for each reference; the balance's row is the lock.
      -- Nothing comes back for an unknown account; \`is_new\` is false for an entry made before.
      CREATE FUNCTION account.post_entry(
        to_account text, to_environment text, new_kind text, amount bigint, new_description text,
        new_ref text, new_id text
      ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
      LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        owner account.balance;
        made account.ledger_entry;
      BEGIN
        SELECT * INTO owner FROM account.balance b
          WHERE b.account_id = to_account AND b.environment = to_environment FOR UPDATE;
        IF NOT FOUND THEN RETURN; END IF;
        SELECT * INTO made FROM account.ledger_entry e
          WHERE e.account_id = to_account AND e.environment = to_environment
            AND e.kind = new_kind AND e.ref = new_ref;
        IF FOUND THEN RETURN QUERY SELECT false, made; RETURN; END IF;
        made := ROW(to_account, to_environment, owner.last_seq + 1, new_id, new_kind, amount,
          owner.balance + amount, new_description, new_ref, NULL,
          date_trunc('milliseconds', now()), NULL);
        made.hash := sha256(owner.last_hash || convert_to(account.entry_content(made.account_id,
          made.environment, made.seq, made.id, made.kind, made.credits, made.balance_after,
          made.description, made.ref, made.request, made.created_at), 'UTF8'));
        INSERT INTO account.ledger_entry SELECT made.*;
        UPDATE account.balance b
          SET balance = made.balance_after, last_seq = made.seq, last_hash = made.hash
          WHERE b.account_id = to_account AND b.environment = to_environment;
        RETURN QUERY SELECT true, made;
      END $body$;

      -- Only open holds have a row; resolving one deletes it.
      CREATE TABLE account.hold (
        request_id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        credits bigint NOT NULL CHECK (credits >= 0),
        request jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
      CREATE INDEX hold_expires_at ON account.hold (expires_at);

      -- How much of \`available\` is used after this item, when items that do not fit are left out.
      CREATE FUNCTION account.fit(used bigint, credits bigint, available bigint) RETURNS bigint
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN used + credits <= available THEN used + credits ELSE used END;
      CREATE AGGREGATE account.running_fit(credits bigint, available bigint)
        (SFUNC = account.fit, STYPE = bigint, INITCOND = '0');

      -- For auditors and tests; read-only (docs/credits.md §6).
      CREATE VIEW account.ledger_audit AS
        SELECT account_id, seq, kind, credits AS delta, ref, created_at
        FROM account.ledger_entry WHERE environment = 'live';
      CREATE VIEW account.open_holds AS
        SELECT account_id, credits AS amount, expires_at
        FROM account.hold WHERE environment = 'live' AND expires_at > now();

      CREATE FUNCTION account.notify_stale() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM pg_notify('gateway_stale', to_jsonb(NEW) ->> TG_ARGV[0]);
          RETURN NULL;
        END $body$;
      CREATE TRIGGER account_stale AFTER UPDATE ON account.account
        FOR EACH ROW EXECUTE FUNCTION account.notify_stale('id');
      CREATE TRIGGER plan_stale AFTER UPDATE ON account.plan
        FOR EACH ROW EXECUTE FUNCTION account.notify_stale('account_id');

      GRANT USAGE ON SCHEMA account TO gateway_service, gateway_auditor;
      GRANT SELECT, INSERT, UPDATE ON account.account, account.plan, account.balance
        TO gateway_service;
      GRANT SELECT, INSERT ON account.ledger_entry TO gateway_service;
      GRANT SELECT, INSERT, DELETE ON account.hold TO gateway_service;
      GRANT SELECT ON account.ledger_audit, account.open_holds TO gateway_auditor;
    `)
  }
}
