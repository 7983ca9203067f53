import { Migration } from '@mikro-orm/migrations'
import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/**
 * A hold is what a settlement and the sweeper need: one index, and no JSON that anybody parses. The
 * build before writes `request`; a later release drops it, with what is said to go here.
 */
export class HoldCalls0015 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.hold
        ADD COLUMN endpoint text,
        -- JSON: [processId, ts, method, route, service, traceId, backendModule, keyId]
        ADD COLUMN call text,
        -- The ids of whatever budgets count for the call, and since when they do: null without one.
        ADD COLUMN spenders text[],
        ADD COLUMN reserved_at timestamptz(3),
        ALTER COLUMN request DROP NOT NULL,
        -- CHECKs are read anew by each statement, and constants of text cost most. The environment comes
        -- from the row of the balance.
        DROP CONSTRAINT hold_environment_check;
      -- The table is small: the sweeper reads all of it.
      DROP INDEX account.hold_expires_at;
    `)
  }
}

const mostCredits = 9_007_199_254_740_991

/** An entry carries the line of its call, so that the usage log can be written from the ledger. */
export class LedgerCalls0016 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.ledger_entry
        -- Of a charge, as in account.hold; \`description\` is its endpoint.
        ADD COLUMN call text,
        DROP CONSTRAINT ledger_entry_environment_check,
        DROP CONSTRAINT ledger_entry_seq_check,
        DROP CONSTRAINT ledger_entry_kind_check,
        DROP CONSTRAINT ledger_entry_credits_check,
        DROP CONSTRAINT ledger_entry_balance_after_check,
        DROP CONSTRAINT ledger_entry_check,
        ADD CONSTRAINT ledger_entry_bounds CHECK (
          credits BETWEEN -${mostCredits} AND ${mostCredits}
          AND balance_after BETWEEN -${mostCredits} AND ${mostCredits}) NOT VALID;
    `)
    this.addSql(chargeContent)
    this.addSql(postEntry)
  }
}

/**
 * The text of charges with a line that a hash covers: where the ledger stood before the first entry of a
 * commit, then each entry. `entry_content` says the same, so that the build before can verify such entries.
 */
const chargeContent = `
  CREATE FUNCTION account.charge_header(account_id text, environment text, seq bigint, balance bigint)
    RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN concat_ws(chr(10), account_id, environment, seq, balance, '');

  CREATE FUNCTION account.charge_line(
    ref text, credits bigint, created_ms bigint, endpoint text, call text
  ) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN concat_ws(chr(10), ref, credits, created_ms, length(endpoint), endpoint, call, '');

  -- As the reservation named what it was for.
  CREATE FUNCTION account.request_of(endpoint text, call text) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE AS $body$
      SELECT jsonb_build_object('endpoint', endpoint, 'processId', c -> 0, 'ts', c -> 1,
        'method', c -> 2, 'route', c -> 3, 'service', c -> 4, 'traceId', c -> 5,
        'backendModule', c -> 6, 'keyId', c -> 7)
      FROM (SELECT call::jsonb AS c) line
    $body$;

  CREATE OR REPLACE FUNCTION account.entry_content(
    account_id text, environment text, seq bigint, id text, kind text, credits bigint,
    balance_after bigint, description text, ref text, request jsonb, created_at timestamptz
  ) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN kind = 'charge' AND request IS NULL THEN (
      SELECT CASE WHEN p.seq IS NULL OR p.hash IS NOT NULL
          THEN account.charge_header(e.account_id, e.environment, e.seq - 1,
            entry_content.balance_after - entry_content.credits)
          ELSE '' END
        || account.charge_line(entry_content.ref, -entry_content.credits,
          (extract(epoch FROM entry_content.created_at) * 1000)::bigint,
          entry_content.description, e.call)
      FROM account.ledger_entry e
      LEFT JOIN account.ledger_entry p ON p.account_id = e.account_id
        AND p.environment = e.environment AND p.seq = e.seq - 1
      WHERE e.account_id = entry_content.account_id AND e.environment = entry_content.environment
        AND e.seq = entry_content.seq
        AND entry_content.id = 'led_' || substr(entry_content.ref, 5)
    ) ELSE concat_ws(chr(10), account_id, environment, seq, id, kind, credits,
      balance_after, quote_literal(description), quote_literal(ref),
      coalesce(request::text, ''), (extract(epoch FROM created_at) * 1000)::bigint) || chr(10) END;
`

/**
 * As before, and three things that were CHECKs: which kinds there are, that nothing takes what is held,
 * and that an entry is looked for among those that are no charges, which have their own index.
 */
const postEntry = `
  CREATE OR REPLACE FUNCTION account.post_entry(
    to_account text, to_environment text, new_kind text, amount bigint, new_description text,
    new_ref text, new_id text
  ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    owner account.balance;
    made account.ledger_entry;
  BEGIN
    IF new_kind NOT IN ('grant', 'purchase', 'allowance', 'refund', 'expiry', 'adjustment') THEN
      RAISE check_violation USING MESSAGE = format('No entry of the kind "%s" can be posted.', new_kind);
    END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = to_account AND b.environment = to_environment FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO made FROM account.ledger_entry e
      WHERE e.account_id = to_account AND e.environment = to_environment
        AND e.kind = new_kind AND e.kind <> 'charge' AND e.ref = new_ref;
    IF FOUND THEN RETURN QUERY SELECT false, made; RETURN; END IF;
    IF amount < 0 AND owner.balance + amount < owner.held THEN
      RAISE check_violation USING MESSAGE = 'The entry would take credits that are held.';
    END IF;
    made := ROW(to_account, to_environment, owner.last_seq + 1, new_id, new_kind, amount,
      owner.balance + amount, new_description, new_ref, NULL,
      date_trunc('milliseconds', now()), NULL, NULL);
    made.hash := sha256(owner.last_hash || convert_to(account.entry_content(made.account_id,
      made.environment, made.seq, made.id, made.kind, made.credits, made.balance_after,
      made.description, made.ref, made.request, made.created_at), 'UTF8'));
    INSERT INTO account.ledger_entry SELECT made.*;
    UPDATE account.balance b
      SET balance = made.balance_after, last_seq = made.seq, last_hash = made.hash
      WHERE b.account_id = to_account AND b.environment = to_environment;
    RETURN QUERY SELECT true, made;
  END $body$;
`

export class LedgerBounds0017 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account.ledger_entry VALIDATE CONSTRAINT ledger_entry_bounds')
  }
}

/**
 * A balance may be below 0, and below what is held, after credits were taken back. That a charge never
 * takes it there is in the statements of charges and in `gateway ledger verify`.
 */
export class BalanceBounds0018 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.balance
        DROP CONSTRAINT balance_environment_check,
        DROP CONSTRAINT balance_balance_check,
        DROP CONSTRAINT balance_held_check,
        DROP CONSTRAINT balance_check,
        ADD CONSTRAINT balance_bounds CHECK (held >= 0
          AND balance BETWEEN -${mostCredits} AND ${mostCredits}) NOT VALID;

      -- Noticed after the update: a trigger before it locks every row once more, with a WAL record each.
      CREATE OR REPLACE FUNCTION account.note_crossing() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          UPDATE account.balance b SET watch_below = NULL, watch_above = NULL
            WHERE b.account_id = NEW.account_id AND b.environment = NEW.environment;
          PERFORM jobs.enqueue('WatchBalance', jsonb_build_object(
            'accountId', NEW.account_id, 'environment', NEW.environment), now());
          RETURN NULL;
        END $body$;
      CREATE OR REPLACE TRIGGER balance_crossing AFTER UPDATE OF balance ON account.balance
        FOR EACH ROW WHEN (NEW.balance < NEW.watch_below OR NEW.balance >= NEW.watch_above)
        EXECUTE FUNCTION account.note_crossing();
    `)
  }
}

export class BalanceBoundsValid0019 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account.balance VALIDATE CONSTRAINT balance_bounds')
  }
}

export class KeyChecks0020 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.idempotency_key DROP CONSTRAINT idempotency_key_environment_check`)
  }
}

/**
 * The build before cannot read which charges a process of this build has made: it must not take one for
 * dead and forget it. So \`seen_at\` of such a process is a day ahead.
 */
export class ReportedProcesses0021 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account.facade_process ADD COLUMN reported_at timestamptz(3)')
  }
}

/**
 * A request is charged at most once. Its id starts with the time, so this index grows at its right end,
 * where one by account is entered at any leaf.
 */
export class LedgerCharges0022 extends ConcurrentIndex {
  protected readonly table = 'account.ledger_entry'
  protected readonly index = 'ledger_entry_charge'
  protected readonly definition = `(ref, account_id) WHERE kind = 'charge'`
  protected override readonly isUnique = true
}

/** Every other entry happens once for its reference. */
export class LedgerReferences0023 extends ConcurrentIndex {
  protected readonly table = 'account.ledger_entry'
  protected readonly index = 'ledger_entry_ref'
  protected readonly definition = `(account_id, environment, kind, ref) WHERE kind <> 'charge'`
  protected override readonly isUnique = true
}

/** As `ledger_entry_promote`, which a later release drops, for charges with a line as well. */
export class LedgerPromotions0024 extends ConcurrentIndex {
  protected readonly table = 'account.ledger_entry'
  protected readonly index = 'ledger_entry_promotion'
  protected readonly definition = `(account_id, environment, created_at) INCLUDE (credits)
    WHERE kind = 'charge' AND starts_with(description, '/v1/promote/')`
}

/** No function of any build asks for it by name; the two unique indexes above say the same. */
export class LedgerUnique0025 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.ledger_entry
        DROP CONSTRAINT ledger_entry_account_id_environment_kind_ref_key`)
  }
}
