import { Migration } from '@mikro-orm/migrations'

/** Functions for charges that are judged one by one, and for grants that expire at a balance below 0. */
export class CarefulCharges0027 extends Migration {
  override up(): void {
    this.addSql(judge)
    this.addSql(reserveSpending)
    this.addSql(expireGrants)
    this.addSql(endGrace)
  }
}

/**
 * As before, in PL/pgSQL: PostgreSQL 15 plans the statement of an SQL function at each call, which took
 * longer than all else that `account.reserve` does.
 */
const judge = `
  CREATE OR REPLACE FUNCTION account.judge(
    account_ids text[], environments text[], amounts bigint[], key_hashes text[],
    request_hashes text[]
  ) RETURNS text[] LANGUAGE plpgsql STABLE AS $body$
  #variable_conflict use_column
  BEGIN
    RETURN (
      WITH known AS (
        SELECT i.*,
          CASE
            WHEN i.key_hash IS NULL THEN 'accepted'
            WHEN coalesce(k.request_hash, first_value(i.request_hash) OVER same_key)
              <> i.request_hash THEN 'mismatch'
            WHEN k.answer IS NOT NULL THEN 'replay'
            WHEN k.lease_expires_at > now() OR row_number() OVER same_key > 1 THEN 'running'
            ELSE 'accepted'
          END AS verdict
        FROM unnest(account_ids, environments, amounts, key_hashes, request_hashes)
          WITH ORDINALITY
          AS i (account_id, environment, credits, key_hash, request_hash, position)
        LEFT JOIN account.idempotency_key k
          ON k.account_id = i.account_id AND k.environment = i.environment
          AND k.key_hash = i.key_hash AND k.expires_at > now()
        WINDOW same_key AS
          (PARTITION BY i.account_id, i.environment, i.key_hash ORDER BY i.position)
      ), fitted AS (
        SELECT n.*, account.running_fit(n.credits, b.balance - b.held) OVER in_order AS used
        FROM known n JOIN account.balance b USING (account_id, environment)
        WHERE n.verdict = 'accepted'
        WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position)
      ), judged AS (
        SELECT position, CASE
          WHEN used - lag(used, 1, 0::bigint) OVER in_order = credits THEN 'accepted'
          ELSE 'insufficient' END AS verdict
        FROM fitted
        WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position)
      )
      SELECT array_agg(CASE WHEN n.verdict = 'accepted' THEN coalesce(j.verdict, 'insufficient')
        ELSE n.verdict END ORDER BY position)
      FROM known n LEFT JOIN judged j USING (position)
    );
  END $body$;
`

/**
 * `account.reserve` for a batch in which requests have budgets: their holds say which, and since when they
 * count, by the clock of the database. `spender_lists` are JSON arrays, null without a budget.
 */
const reserveSpending = `
  GRANT UPDATE (spenders, reserved_at) ON account.hold TO gateway_service;

  CREATE FUNCTION account.reserve_spending(
    owner_ids text[], owner_environments text[], owner_amounts bigint[],
    request_ids text[], owners int[], amounts bigint[], ttls int[], requests jsonb[],
    key_hashes text[], request_hashes text[], key_ttls int[], spender_lists jsonb[]
  ) RETURNS TABLE (
    place bigint, verdict text, available bigint, answer jsonb, body text, reserved_at timestamptz
  )
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $body$
  BEGIN
    FOR place, verdict, available, answer, body IN
      SELECT r.place, r.verdict, r.available, r.answer, r.body
      FROM account.reserve(owner_ids, owner_environments, owner_amounts, request_ids, owners,
        amounts, ttls, requests, key_hashes, request_hashes, key_ttls) r
    LOOP
      reserved_at := NULL;
      IF verdict = 'accepted' AND spender_lists[place] IS NOT NULL THEN
        -- One that holds already has counted since it was reserved first.
        UPDATE account.hold h SET spenders = coalesce(h.spenders,
            ARRAY(SELECT jsonb_array_elements_text(spender_lists[place]))),
            reserved_at = coalesce(h.reserved_at, date_trunc('milliseconds', now()))
          WHERE h.request_id = request_ids[place]
          RETURNING h.reserved_at INTO reserved_at;
      END IF;
      RETURN NEXT;
    END LOOP;
  END $body$;
`

/** As before. Nothing expires while the balance does not cover what is held: it may be below 0. */
const expireGrants = `
  CREATE OR REPLACE FUNCTION account.expire_grants(of_account text, of_environment text)
  RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    owner account.balance;
    due bigint;
  BEGIN
    PERFORM account.burn_grants(of_account, of_environment);
    SELECT coalesce(sum(g.remaining), 0) INTO due FROM account.expiring_grant g
      WHERE g.account_id = of_account AND g.environment = of_environment
        AND g.expires_at <= now();
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    due := greatest(0, least(due, owner.balance - owner.held));
    IF due = 0 THEN RETURN; END IF;
    PERFORM account.post_entry(of_account, of_environment, 'expiry', -due, 'Expired credits',
      'expiry:' || (owner.last_seq + 1),
      'led_0' || substr(md5(of_account || of_environment || owner.last_seq), 1, 25));
    PERFORM account.take_from_grants(of_account, of_environment, due, now());
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;
`

/** As before, with the same bound. */
const endGrace = `
  CREATE OR REPLACE FUNCTION account.end_grace(
    of_account text, of_environment text, began_at timestamptz, OUT taken bigint, OUT kept bigint
  ) LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    period_ref text := account.allowance_ref(began_at);
    lot account.expiring_grant;
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
    SELECT g.* INTO lot FROM account.ledger_entry e
      JOIN account.expiring_grant g USING (account_id, environment, seq)
      WHERE e.account_id = of_account AND e.environment = of_environment
        AND e.kind = 'allowance' AND e.ref = period_ref;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO owner FROM account.balance b
      WHERE b.account_id = of_account AND b.environment = of_environment;
    taken := greatest(0, least(lot.remaining, owner.balance - owner.held));
    kept := lot.remaining - taken;
    IF taken = 0 THEN RETURN; END IF;
    PERFORM account.post_entry(of_account, of_environment, 'expiry', -taken,
      'Allowance of an unpaid period', period_ref || ':unpaid:' || (owner.last_seq + 1),
      'led_0' || substr(md5(of_account || of_environment || owner.last_seq), 1, 25));
    DELETE FROM account.expiring_grant g
      WHERE g.account_id = of_account AND g.environment = of_environment AND g.seq = lot.seq
        AND kept = 0;
    UPDATE account.expiring_grant g SET remaining = kept
      WHERE g.account_id = of_account AND g.environment = of_environment AND g.seq = lot.seq
        AND kept > 0;
    PERFORM account.burn_grants(of_account, of_environment);
  END $body$;
`
