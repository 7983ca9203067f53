import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/**
 * Credits are kept in lots, one for each entry that brought some, and payments that come back take
 * credits back. The functions of charges are untouched: lots follow the balance late.
 *
 * The build before calls the same functions, so it keeps lots too. `account.expiring_grant` has no rows
 * of a balance whose lots have begun; a later release drops it.
 */
export class Lots0032 extends Migration {
  override up(): void {
    this.addSql(tables)
    this.addSql(taking)
    this.addSql(beginning)
    this.addSql(burning)
    this.addSql(posting)
    this.addSql(returning)
    this.addSql(expiring)
    this.addSql(allowances)
    this.addSql(clawingBack)
    this.addSql(reinstating)
    this.addSql(settlingLost)
    this.addSql(reading)
  }
}

const tables = `
  CREATE TABLE account.lot (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    -- Of the entry that brought the credits.
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    -- The kind of that entry.
    source text NOT NULL,
    granted bigint NOT NULL CHECK (granted > 0),
    -- As of the entry \`burnt_seq\` of the balance.
    remaining bigint NOT NULL,
    expired bigint NOT NULL DEFAULT 0 CHECK (expired >= 0),
    -- The lowest burns first; among equals the soonest to expire, then the oldest. 101: never expires.
    priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 101),
    expires_at timestamptz(3) NOT NULL,
    payment_id text COLLATE "C",
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (account_id, environment, seq),
    CHECK (remaining BETWEEN 0 AND granted),
    CHECK ((priority = 101) = (expires_at = 'infinity'))
  );
  CREATE INDEX lot_left ON account.lot (account_id, environment, priority, expires_at, seq)
    WHERE remaining > 0;
  CREATE INDEX lot_payment ON account.lot (payment_id, account_id) WHERE payment_id IS NOT NULL;

  -- Which lots paid for the entries after \`since_seq\` up to \`until_seq\`: this one, while the
  -- balance fell from \`top\` by \`credits\`.
  CREATE TABLE account.lot_burn (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    since_seq bigint NOT NULL,
    until_seq bigint NOT NULL,
    lot_seq bigint NOT NULL,
    top bigint NOT NULL,
    credits bigint NOT NULL,
    PRIMARY KEY (account_id, environment, until_seq, lot_seq)
  );

  -- The credits that were taken back of a payment; 0 is recorded too.
  CREATE TABLE account.clawback (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    ref text COLLATE "C" NOT NULL,
    payment_id text COLLATE "C" NOT NULL,
    taken bigint NOT NULL CHECK (taken >= 0),
    reinstated bigint NOT NULL DEFAULT 0 CHECK (reinstated BETWEEN 0 AND taken),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, environment, ref)
  );
  CREATE INDEX clawback_payment ON account.clawback (payment_id, account_id);

  GRANT SELECT, INSERT, UPDATE ON account.lot, account.clawback TO gateway_service;
  GRANT SELECT, INSERT ON account.lot_burn TO gateway_service;
  ${isolateTenants('account', ['lot', 'lot_burn', 'clawback'])}
`

/** All functions here are called with the row of the balance locked. */
const taking = `
  -- Takes credits from the lots of one balance in the order in which they burn; with \`of_payment\`
  -- from its lots only. Credits of lots that end by \`until\` expire, unless that is infinity.
  CREATE FUNCTION account.take_from_lots(
    of_account text, of_environment text, amount bigint, until timestamptz, of_payment text
  ) RETURNS TABLE (lot_seq bigint, top bigint, credits bigint) LANGUAGE sql VOLATILE AS $body$
    WITH share AS (
      SELECT l.seq, l.remaining, (sum(l.remaining) OVER ())::bigint AS total,
        (sum(l.remaining) OVER (ORDER BY l.priority, l.expires_at, l.seq) - l.remaining)::bigint
          AS before
      FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0
        AND l.expires_at <= until AND (of_payment IS NULL OR l.payment_id = of_payment)
    )
    UPDATE account.lot l SET remaining = l.remaining - least(s.remaining, amount - s.before),
      expired = l.expired
        + CASE WHEN until < 'infinity' THEN least(s.remaining, amount - s.before) ELSE 0 END
    FROM share s
    WHERE l.account_id = of_account AND l.environment = of_environment AND l.seq = s.seq
      AND s.before < amount
    RETURNING s.seq, s.total - s.before, least(s.remaining, amount - s.before)
  $body$;

  -- A lot with the credits of an entry, or with a part of them.
  CREATE FUNCTION account.add_lot(
    entry account.ledger_entry, amount bigint, burn_priority int, ends_at timestamptz,
    of_payment text
  ) RETURNS void LANGUAGE sql VOLATILE AS $body$
    INSERT INTO account.lot (account_id, environment, seq, id, source, granted, remaining, priority,
      expires_at, payment_id, created_at)
    VALUES (entry.account_id, entry.environment, entry.seq, 'lot_' || substr(entry.id, 5), entry.kind,
      amount, amount, CASE WHEN ends_at < 'infinity' THEN coalesce(burn_priority, 50) ELSE 101 END,
      coalesce(ends_at, 'infinity'), of_payment, entry.created_at)
  $body$;
`

/**
 * Credits without an expiry burned last and by age. So those that are left are of the newest entries,
 * whenever the others were spent. Of an entry whose credits are used up, an older build kept no expiry: an
 * allowance always had one, and a grant by hand has it with its key.
 */
const beginning = `
  -- The subscription's payment that an allowance came with.
  CREATE FUNCTION account.payment_of_allowance(
    of_account text, of_environment text, allowance_ref text
  ) RETURNS account.payment LANGUAGE sql STABLE STRICT AS $body$
    SELECT p FROM account.payment p
    WHERE p.account_id = of_account AND p.environment = of_environment
      AND p.kind = 'subscription' AND p.status = 'succeeded'
      AND (allowance_ref = account.allowance_ref(p.period_start)
        OR starts_with(allowance_ref, account.allowance_ref(p.period_start) || ':'))
    ORDER BY p.created_at DESC LIMIT 1
  $body$;

  -- The lots of a balance that had none: from what was kept of expiring grants, and the rest.
  CREATE FUNCTION account.begin_lots(of_account text, of_environment text) RETURNS void
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    spent bigint;
    rest bigint;
  BEGIN
    IF EXISTS (SELECT FROM account.expiring_grant g
      WHERE g.account_id = of_account AND g.environment = of_environment)
    THEN
      SELECT coalesce(-sum(e.credits), 0) INTO spent
        FROM account.balance b JOIN account.ledger_entry e USING (account_id, environment)
        WHERE b.account_id = of_account AND b.environment = of_environment
          AND e.seq > b.burnt_seq AND e.credits < 0 AND e.kind <> 'expiry';
      PERFORM account.take_from_grants(of_account, of_environment, spent, 'infinity');
    END IF;
    SELECT greatest(0, b.balance) - coalesce((SELECT sum(g.remaining) FROM account.expiring_grant g
        WHERE g.account_id = of_account AND g.environment = of_environment), 0)
      INTO rest FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    WITH source AS (
      SELECT e.*, coalesce(g.remaining, 0) AS kept, p.id AS payment_id,
        coalesce(g.priority, (k.posting ->> 'priority')::int, 50) AS priority,
        coalesce(g.expires_at, (k.posting ->> 'expiresAt')::timestamptz, p.period_end,
          CASE WHEN e.kind = 'allowance' THEN e.created_at + interval '1 month' END, 'infinity')
          AS ends_at
      FROM account.ledger_entry e
      LEFT JOIN account.expiring_grant g USING (account_id, environment, seq)
      LEFT JOIN account.posting_key k ON e.kind = 'grant' AND starts_with(e.ref, 'internal:')
        AND k.account_id = e.account_id AND k.environment = e.environment
        AND k.key = substr(e.ref, 10)
      LEFT JOIN LATERAL account.payment_of_allowance(e.account_id, e.environment,
        CASE WHEN e.kind = 'allowance' THEN e.ref END) p ON true
      WHERE e.account_id = of_account AND e.environment = of_environment
        AND e.kind <> 'charge' AND e.credits > 0
    ), sized AS (
      SELECT s.*, CASE WHEN s.ends_at < 'infinity' THEN s.kept ELSE greatest(0, least(s.credits,
          rest - (sum(s.credits) OVER newer_of_its_sort - s.credits))) END::bigint AS remaining,
        lead(s.ends_at, 1, 'infinity') OVER (ORDER BY s.ends_at, s.seq) AS next_end
      FROM source s
      WINDOW newer_of_its_sort AS (PARTITION BY s.ends_at < 'infinity' ORDER BY s.seq DESC)
    )
    INSERT INTO account.lot (account_id, environment, seq, id, source, granted, remaining, expired,
      priority, expires_at, payment_id, created_at)
    SELECT s.account_id, s.environment, s.seq, 'lot_' || substr(s.id, 5), s.kind, s.credits,
      s.remaining, CASE WHEN s.ends_at < 'infinity' THEN least(s.credits - s.remaining, coalesce((
        -- An expiry is of what had ended last; that of an unpaid period says which.
        SELECT -sum(x.credits) FROM account.ledger_entry x
        WHERE x.account_id = of_account AND x.environment = of_environment AND x.kind = 'expiry'
          AND CASE WHEN starts_with(x.ref, 'expiry:')
            THEN x.created_at >= s.ends_at AND x.created_at < s.next_end
            ELSE starts_with(x.ref, s.ref || ':unpaid:') END), 0)) ELSE 0 END::bigint,
      CASE WHEN s.ends_at < 'infinity' THEN s.priority ELSE 101 END, s.ends_at,
      CASE s.kind WHEN 'purchase' THEN s.ref ELSE s.payment_id END, s.created_at
    FROM sized s;
    DELETE FROM account.expiring_grant g
      WHERE g.account_id = of_account AND g.environment = of_environment;
  END $body$;

  -- A posting of the build before that was under way during this step has no lot.
  CREATE FUNCTION account.add_missing_lots(of_account text, of_environment text) RETURNS void
  LANGUAGE sql VOLATILE AS $body$
    SELECT account.add_lot(e, e.credits, g.priority, g.expires_at,
      CASE e.kind WHEN 'purchase' THEN e.ref END)
    FROM account.balance b JOIN account.ledger_entry e USING (account_id, environment)
    LEFT JOIN account.expiring_grant g USING (account_id, environment, seq)
    LEFT JOIN account.lot l USING (account_id, environment, seq)
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND e.kind <> 'charge' AND e.credits > 0 AND e.seq > b.burnt_seq AND l.seq IS NULL;
    DELETE FROM account.expiring_grant g
      WHERE g.account_id = of_account AND g.environment = of_environment;
  $body$;
`

/**
 * The lots sum up to the balance, or to 0 where that is negative. If they have more, the surplus was spent
 * or pays a debt. No charge needs to be read for it.
 */
const burning = `
  CREATE OR REPLACE FUNCTION account.burn_grants(of_account text, of_environment text) RETURNS void
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    owner account.balance;
    total bigint;
  BEGIN
    IF NOT EXISTS (SELECT FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment)
    THEN
      PERFORM account.begin_lots(of_account, of_environment);
    END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    total := account.total_of_lots(of_account, of_environment);
    IF total < owner.balance THEN
      PERFORM account.add_missing_lots(of_account, of_environment);
      total := account.total_of_lots(of_account, of_environment);
    END IF;
    INSERT INTO account.lot_burn
      (account_id, environment, since_seq, until_seq, lot_seq, top, credits)
    SELECT of_account, of_environment, owner.burnt_seq, owner.last_seq, t.lot_seq, t.top, t.credits
    FROM account.take_from_lots(of_account, of_environment, total - greatest(0, owner.balance),
      'infinity', NULL) t;
    UPDATE account.balance b SET burnt_seq = b.last_seq,
      next_expiry_at = (SELECT nullif(min(l.expires_at), 'infinity') FROM account.lot l
        WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0)
      WHERE b.account_id = of_account AND b.environment = of_environment;
  END $body$;

  CREATE FUNCTION account.total_of_lots(of_account text, of_environment text) RETURNS bigint
  LANGUAGE sql STABLE AS $body$
    SELECT coalesce(sum(l.remaining), 0)::bigint FROM account.lot l
    WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0
  $body$;
`

const posting = `
  -- As \`account.post_entry\`, which see; with \`may_overdraw\` it takes what is held too, and more.
  CREATE FUNCTION account.append_entry(
    to_account text, to_environment text, new_kind text, amount bigint, new_description text,
    new_ref text, new_id text, may_overdraw boolean
  ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    owner account.balance;
    made account.ledger_entry;
  BEGIN
    IF new_kind NOT IN ('grant', 'purchase', 'allowance', 'refund', 'expiry', 'adjustment',
      'clawback', 'reinstatement')
    THEN
      RAISE check_violation USING MESSAGE = format('No entry of the kind "%s" can be posted.', new_kind);
    END IF;
    IF new_kind IN ('expiry', 'clawback') AND amount > 0 THEN
      RAISE check_violation USING MESSAGE = format('An entry of the kind "%s" gives nothing.', new_kind);
    END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = to_account AND b.environment = to_environment FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO made FROM account.ledger_entry e
      WHERE e.account_id = to_account AND e.environment = to_environment
        AND e.kind = new_kind AND e.kind <> 'charge' AND e.ref = new_ref;
    IF FOUND THEN RETURN QUERY SELECT false, made; RETURN; END IF;
    IF amount < 0 AND owner.balance + amount < owner.held AND NOT may_overdraw THEN
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

  CREATE OR REPLACE FUNCTION account.post_entry(
    to_account text, to_environment text, new_kind text, amount bigint, new_description text,
    new_ref text, new_id text
  ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
  LANGUAGE sql VOLATILE AS $body$
    SELECT a.is_new, a.entry FROM account.append_entry(to_account, to_environment, new_kind, amount,
      new_description, new_ref, new_id, false) a
  $body$;

  -- The id of the next entry, where no process gives one.
  CREATE FUNCTION account.next_entry_id(of_account text, of_environment text) RETURNS text
  LANGUAGE sql STABLE AS $body$
    SELECT 'led_0' || substr(md5(of_account || of_environment || b.last_seq), 1, 25)
    FROM account.balance b WHERE b.account_id = of_account AND b.environment = of_environment
  $body$;

  -- Enters credits and their lot, once for each reference. Earlier spending is not taken from it.
  CREATE FUNCTION account.post_credits(
    to_account text, to_environment text, new_kind text, amount bigint, new_description text,
    new_ref text, new_id text, ends_at timestamptz, burn_priority int, may_overdraw boolean
  ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    posted record;
  BEGIN
    PERFORM account.lock_balances(ARRAY[to_account], ARRAY[to_environment]);
    IF amount > 0 THEN
      PERFORM account.burn_grants(to_account, to_environment);
    END IF;
    FOR posted IN SELECT * FROM account.append_entry(to_account, to_environment, new_kind, amount,
      new_description, new_ref, new_id, may_overdraw)
    LOOP
      IF posted.is_new AND amount > 0 THEN
        IF new_kind = 'refund' THEN
          PERFORM account.return_to_lots(posted.entry);
        ELSE
          PERFORM account.add_lot(posted.entry, amount, burn_priority, ends_at, CASE new_kind
            WHEN 'purchase' THEN new_ref WHEN 'allowance' THEN (account.payment_of_allowance(
              to_account, to_environment, new_ref)).id END);
        END IF;
        PERFORM account.burn_grants(to_account, to_environment);
      END IF;
      is_new := posted.is_new;
      entry := posted.entry;
      RETURN NEXT;
    END LOOP;
  END $body$;

  -- As the build before calls it.
  CREATE OR REPLACE FUNCTION account.post_expiring_entry(
    to_account text, to_environment text, new_kind text, amount bigint, new_description text,
    new_ref text, new_id text, ends_at timestamptz, burn_priority int
  ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
  LANGUAGE sql VOLATILE AS $body$
    SELECT p.is_new, p.entry FROM account.post_credits(to_account, to_environment, new_kind, amount,
      new_description, new_ref, new_id, ends_at, burn_priority, false) p
  $body$;
`

/**
 * A charge lowered the balance from one level to another; the lots that burned in between paid for it.
 * Nothing is known of charges before the lots began, and nothing paid for what was charged to a debt.
 */
const returning = `
  CREATE FUNCTION account.return_to_lots(refund account.ledger_entry) RETURNS void
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    charge account.ledger_entry;
    part record;
    left_over bigint := refund.credits;
    ended bigint := 0;
  BEGIN
    SELECT * INTO charge FROM account.ledger_entry e
      WHERE e.kind = 'charge' AND e.ref = refund.ref
        AND e.account_id = refund.account_id AND e.environment = refund.environment;
    FOR part IN
      SELECT l.seq, l.expires_at <= now() AS is_over, l.granted - l.remaining AS room,
        least(b.top, charge.balance_after - charge.credits)
          - greatest(b.top - b.credits, charge.balance_after) AS credits
      FROM account.lot_burn b
      JOIN account.lot l ON l.account_id = b.account_id AND l.environment = b.environment
        AND l.seq = b.lot_seq
      WHERE b.account_id = refund.account_id AND b.environment = refund.environment
        AND b.since_seq < charge.seq AND b.until_seq = (
          SELECT min(w.until_seq) FROM account.lot_burn w
          WHERE w.account_id = refund.account_id AND w.environment = refund.environment
            AND w.until_seq >= charge.seq)
    LOOP
      CONTINUE WHEN part.credits <= 0;
      IF part.is_over THEN
        ended := ended + part.credits;
      ELSE
        part.credits := least(part.credits, part.room);
        UPDATE account.lot l SET remaining = l.remaining + part.credits
          WHERE l.account_id = refund.account_id AND l.environment = refund.environment
            AND l.seq = part.seq;
        left_over := left_over - part.credits;
      END IF;
    END LOOP;
    -- Credits whose lot has expired meanwhile are good for 30 days.
    IF left_over > 0 THEN
      PERFORM account.add_lot(refund, left_over, NULL,
        CASE WHEN left_over = ended THEN now() + interval '30 days' END, NULL);
    END IF;
  END $body$;
`

/** As before, of lots. */
const expiring = `
  CREATE OR REPLACE FUNCTION account.expire_grants(of_account text, of_environment text)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    owner account.balance;
    due bigint;
  BEGIN
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT coalesce(sum(l.remaining), 0) INTO due FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment
        AND l.remaining > 0 AND l.expires_at <= now();
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    due := greatest(0, least(due, owner.balance - owner.held));
    IF due = 0 THEN RETURN; END IF;
    PERFORM account.post_entry(of_account, of_environment, 'expiry', -due, 'Expired credits',
      'expiry:' || (owner.last_seq + 1), account.next_entry_id(of_account, of_environment));
    PERFORM account.take_from_lots(of_account, of_environment, due, now(), NULL);
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;
`

const allowances = `
  -- As before; and the lots of the period are known to be of this payment.
  CREATE OR REPLACE FUNCTION account.grant_paid_allowance(of_payment text, new_id text)
  RETURNS TABLE (entry account.ledger_entry, ends_at timestamptz)
  LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    paid account.payment;
    period_ref text;
    given bigint;
    is_first boolean;
  BEGIN
    SELECT * INTO paid FROM account.payment p
      WHERE p.id = of_payment AND p.kind = 'subscription' AND p.status = 'succeeded';
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM account.lock_balances(ARRAY[paid.account_id], ARRAY[paid.environment]);
    PERFORM account.burn_grants(paid.account_id, paid.environment);
    period_ref := account.allowance_ref(paid.period_start);
    UPDATE account.lot l SET payment_id = of_payment FROM account.ledger_entry e
      WHERE e.account_id = paid.account_id AND e.environment = paid.environment
        AND e.kind = 'allowance'
        AND (e.ref = period_ref OR (e.ref >= period_ref || ':' AND e.ref < period_ref || ';'))
        AND l.account_id = e.account_id AND l.environment = e.environment AND l.seq = e.seq
        AND l.payment_id IS NULL;
    SELECT coalesce(sum(e.credits), 0), coalesce(bool_and(e.kind <> 'allowance'), true)
      INTO given, is_first FROM account.ledger_entry e
      WHERE e.account_id = paid.account_id AND e.environment = paid.environment
        AND e.kind IN ('allowance', 'expiry')
        AND (e.ref = period_ref OR (e.ref >= period_ref || ':' AND e.ref < period_ref || ';'));
    IF given >= paid.credits THEN RETURN; END IF;
    ends_at := coalesce(paid.period_end, (SELECT s.current_period_end FROM account.subscription s
      WHERE s.account_id = paid.account_id AND s.environment = paid.environment
        AND s.current_period_start = paid.period_start));
    IF ends_at IS NULL OR ends_at <= now() THEN
      ends_at := now() + interval '30 days';
    END IF;
    FOR entry IN SELECT (posted.entry).* FROM account.post_credits(paid.account_id,
      paid.environment, 'allowance', paid.credits - given, paid.package_name || ' subscription',
      CASE WHEN is_first THEN period_ref ELSE period_ref || ':paid' END, new_id, ends_at, 50,
      false) posted
      WHERE posted.is_new
    LOOP
      RETURN NEXT;
    END LOOP;
  END $body$;

  -- As before, of lots.
  CREATE OR REPLACE FUNCTION account.end_grace(
    of_account text, of_environment text, began_at timestamptz, OUT taken bigint, OUT kept bigint
  ) LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    period_ref text := account.allowance_ref(began_at);
    unpaid account.lot;
    owner account.balance;
  BEGIN
    taken := 0;
    kept := 0;
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    PERFORM FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
      WHERE i.account_id = of_account AND i.environment = of_environment AND i.status = 'open'
        AND p.period_start = began_at;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT l.* INTO unpaid FROM account.ledger_entry e
      JOIN account.lot l USING (account_id, environment, seq)
      WHERE e.account_id = of_account AND e.environment = of_environment
        AND e.kind = 'allowance' AND e.ref = period_ref;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    taken := greatest(0, least(unpaid.remaining, owner.balance - owner.held));
    kept := unpaid.remaining - taken;
    IF taken = 0 THEN RETURN; END IF;
    PERFORM account.post_entry(of_account, of_environment, 'expiry', -taken,
      'Allowance of an unpaid period', period_ref || ':unpaid:' || (owner.last_seq + 1),
      account.next_entry_id(of_account, of_environment));
    UPDATE account.lot l SET remaining = kept, expired = l.expired + taken
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.seq = unpaid.seq;
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;
`

const clawingBack = `
  -- Takes back credits of a payment whose money went back, once for each reference: first from the
  -- payment's own lots, then from others in the order in which they burn, then below 0. What has
  -- expired of the payment's lots is not taken, and never more than they brought.
  CREATE FUNCTION account.claw_back(
    of_account text, of_environment text, of_payment text, amount bigint, new_ref text,
    new_description text, OUT taken bigint
  ) LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    most bigint;
  BEGIN
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    SELECT c.taken INTO taken FROM account.clawback c
      WHERE c.account_id = of_account AND c.environment = of_environment AND c.ref = new_ref;
    IF FOUND THEN RETURN; END IF;
    PERFORM account.expire_grants(of_account, of_environment);
    SELECT sum(CASE WHEN l.source = 'reinstatement' THEN 0 ELSE l.granted END - l.expired) INTO most
      FROM account.lot l WHERE l.payment_id = of_payment
        AND l.account_id = of_account AND l.environment = of_environment;
    IF most IS NULL THEN
      RAISE no_data_found USING MESSAGE = 'No credits came with this payment.';
    END IF;
    SELECT most - coalesce(sum(c.taken - c.reinstated), 0) INTO most
      FROM account.clawback c WHERE c.payment_id = of_payment
        AND c.account_id = of_account AND c.environment = of_environment;
    taken := greatest(0, least(amount, most));
    INSERT INTO account.clawback (account_id, environment, ref, payment_id, taken)
      VALUES (of_account, of_environment, new_ref, of_payment, taken);
    IF taken = 0 THEN RETURN; END IF;
    PERFORM account.append_entry(of_account, of_environment, 'clawback', -taken, new_description,
      new_ref, account.next_entry_id(of_account, of_environment), true);
    PERFORM account.take_from_lots(of_account, of_environment, taken, 'infinity', of_payment);
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;
`

const reinstating = `
  -- Gives back what a clawback took, or a part of it, once for each reference: into the lots of the
  -- payment, with their expiry. Credits that do not fit there become a lot of their own; it is good for
  -- 30 days if all of them are over.
  CREATE FUNCTION account.reinstate(
    of_account text, of_environment text, of_payment text, clawback_ref text, amount bigint,
    new_ref text, new_description text, OUT given bigint
  ) LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    posted account.ledger_entry;
    home account.lot;
    part bigint;
    left_over bigint;
  BEGIN
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    SELECT e.credits INTO given FROM account.ledger_entry e
      WHERE e.account_id = of_account AND e.environment = of_environment
        AND e.kind = 'reinstatement' AND e.kind <> 'charge' AND e.ref = new_ref;
    IF FOUND THEN RETURN; END IF;
    SELECT greatest(0, least(amount, c.taken - c.reinstated)) INTO given FROM account.clawback c
      WHERE c.account_id = of_account AND c.environment = of_environment
        AND c.ref = clawback_ref AND c.payment_id = of_payment;
    given := coalesce(given, 0);
    IF given = 0 THEN RETURN; END IF;
    UPDATE account.clawback c SET reinstated = c.reinstated + given
      WHERE c.account_id = of_account AND c.environment = of_environment AND c.ref = clawback_ref;
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT (a.entry).* INTO posted FROM account.append_entry(of_account, of_environment,
      'reinstatement', given, new_description, new_ref,
      account.next_entry_id(of_account, of_environment), false) a;
    left_over := given;
    FOR home IN
      SELECT l.* FROM account.lot l WHERE l.payment_id = of_payment
        AND l.account_id = of_account AND l.environment = of_environment
      ORDER BY l.priority, l.expires_at, l.seq
    LOOP
      CONTINUE WHEN home.expires_at <= now();
      part := least(left_over, home.granted - home.remaining);
      UPDATE account.lot l SET remaining = l.remaining + part
        WHERE l.account_id = of_account AND l.environment = of_environment AND l.seq = home.seq;
      left_over := left_over - part;
    END LOOP;
    -- \`home\` is the lot that ends last.
    IF left_over > 0 THEN
      PERFORM account.add_lot(posted, left_over, home.priority, CASE
        WHEN home.expires_at <= now() THEN now() + interval '30 days'
        ELSE home.expires_at END, of_payment);
    END IF;
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;
`

/** As before. A free call needs no credits, also while the balance is negative. */
const settlingLost = `
  CREATE OR REPLACE FUNCTION account.settle_lost(
    request_ids text[], account_ids text[], environments text[], amounts bigint[], endpoints text[],
    calls text[], key_hashes text[], answers text[], bodies text[]
  ) RETURNS TABLE (place bigint, outcome text, credits bigint, available bigint)
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $body$
  #variable_conflict use_column
  DECLARE
    item record;
    owner account.balance;
    claim account.idempotency_key;
    at timestamptz := date_trunc('milliseconds', now());
  BEGIN
    -- Whatever is read from here on is of this transaction alone.
    PERFORM account.lock_balances(account_ids, environments);
    PERFORM account.before_reserve(account_ids, environments);
    FOR item IN
      SELECT * FROM unnest(request_ids, account_ids, environments, amounts, endpoints, calls,
        key_hashes, answers, bodies) WITH ORDINALITY AS i (request_id, account_id, environment,
        credits, endpoint, call, key_hash, answer, body, place)
    LOOP
      place := item.place;
      outcome := 'expired';
      credits := 0;
      SELECT * INTO owner FROM account.balance b
        WHERE b.account_id = item.account_id AND b.environment = item.environment;
      SELECT * INTO claim FROM account.idempotency_key k
        WHERE k.account_id = item.account_id AND k.environment = item.environment
          AND k.key_hash = item.key_hash AND k.request_id = item.request_id;
      SELECT -e.credits INTO credits FROM account.ledger_entry e
        WHERE e.kind = 'charge' AND e.ref = item.request_id AND e.account_id = item.account_id
          AND e.environment = item.environment;
      IF credits IS NOT NULL THEN
        outcome := 'captured';
      ELSIF claim.answer IS NOT NULL THEN
        outcome := 'voided';
      ELSIF (item.credits = 0 OR owner.balance - owner.held >= item.credits)
        AND (item.key_hash IS NULL OR claim.request_id IS NOT NULL)
        AND NOT EXISTS (SELECT FROM account.hold h WHERE h.request_id = item.request_id)
        AND NOT EXISTS (SELECT FROM account.ended_hold e WHERE e.request_id = item.request_id)
      THEN
        IF item.credits > 0 THEN
          outcome := 'captured';
          credits := item.credits;
          UPDATE account.balance b SET balance = b.balance - item.credits, last_seq = b.last_seq + 1,
            last_hash = sha256(b.last_hash || convert_to(
              account.charge_header(b.account_id, b.environment, b.last_seq, b.balance)
              || account.charge_line(item.request_id, item.credits,
                (extract(epoch FROM at) * 1000)::bigint, item.endpoint, item.call), 'UTF8'))
            WHERE b.account_id = item.account_id AND b.environment = item.environment
            RETURNING * INTO owner;
          INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
            balance_after, description, ref, call, created_at, hash)
          VALUES (owner.account_id, owner.environment, owner.last_seq,
            'led_' || substr(item.request_id, 5), 'charge', -item.credits, owner.balance,
            item.endpoint, item.request_id, item.call, at, owner.last_hash);
        ELSE
          outcome := 'voided';
        END IF;
        UPDATE account.idempotency_key k
          SET answer = item.answer::jsonb, body = item.body, lease_expires_at = NULL
          WHERE k.account_id = item.account_id AND k.environment = item.environment
            AND k.key_hash = item.key_hash AND k.request_id = item.request_id
            AND item.answer IS NOT NULL;
      END IF;
      credits := coalesce(credits, 0);
      available := coalesce(owner.balance - owner.held, 0);
      RETURN NEXT;
    END LOOP;
  END $body$;
`

/**
 * Lots as they are at this moment: what was spent since they were written is taken off while they are
 * read. So reading locks nothing, but for the first time of a balance whose lots have not begun.
 */
const reading = `
  CREATE FUNCTION account.lots_left(
    of_account text, of_environment text, after_priority int, after_expires_at timestamptz,
    after_seq bigint, most int
  ) RETURNS TABLE (lot account.lot, credits_left bigint) LANGUAGE plpgsql VOLATILE AS $body$
  BEGIN
    IF NOT EXISTS (SELECT FROM account.lot l
      WHERE l.account_id = of_account AND l.environment = of_environment)
    THEN
      PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
      PERFORM account.burn_grants(of_account, of_environment);
    END IF;
    RETURN QUERY
    WITH ordered AS (
      SELECT l AS lot, greatest(0, b.balance) AS balance, sum(l.remaining) OVER () AS total,
        sum(l.remaining) OVER (ORDER BY l.priority, l.expires_at, l.seq) AS up_to
      FROM account.lot l JOIN account.balance b USING (account_id, environment)
      WHERE l.account_id = of_account AND l.environment = of_environment AND l.remaining > 0
    )
    SELECT o.lot, least((o.lot).remaining, o.up_to - (o.total - o.balance))::bigint
    FROM ordered o
    WHERE o.up_to > o.total - o.balance
      AND ((o.lot).priority, (o.lot).expires_at, (o.lot).seq)
        > (after_priority, after_expires_at, after_seq)
    ORDER BY (o.lot).priority, (o.lot).expires_at, (o.lot).seq LIMIT most;
  END $body$;

  -- The first entry since an instant, by halving. Entries are in the order of their time but for those
  -- whose transaction had to wait for the balance.
  CREATE FUNCTION account.first_seq_since(of_account text, of_environment text, at timestamptz)
  RETURNS bigint LANGUAGE plpgsql STABLE AS $body$
  DECLARE
    low bigint := 1;
    high bigint;
    middle bigint;
  BEGIN
    SELECT b.last_seq + 1 INTO high FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    WHILE low < high LOOP
      middle := (low + high) / 2;
      IF (SELECT e.created_at >= at FROM account.ledger_entry e WHERE e.account_id = of_account
        AND e.environment = of_environment AND e.seq = middle)
      THEN
        high := middle;
      ELSE
        low := middle + 1;
      END IF;
    END LOOP;
    RETURN low;
  END $body$;
`
