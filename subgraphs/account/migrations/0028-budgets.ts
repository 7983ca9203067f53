import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/**
 * Budgets, and what counts in them. Every row of a budget is read and written under the lock of its
 * balance, so that nothing else has to be locked.
 */
export class Budgets0028 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account.hold ADD COLUMN counted bigint')
    this.addSql(tables)
    this.addSql(clock)
    this.addSql(reading)
    this.addSql(setting)
    this.addSql(counting)
    this.addSql(reserving)
    this.addSql(settling)
    this.addSql(settlingLost)
    this.addSql(expiring)
  }
}

const tables = `
  CREATE TABLE account.budget (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    -- key:…, consent:…, external_id:… or account
    spender text COLLATE "C" NOT NULL,
    period text NOT NULL CHECK (period IN ('day', 'week', 'month', 'total')),
    limit_credits bigint NOT NULL CHECK (limit_credits >= 1),
    -- Without it, nothing is refused.
    is_enforced boolean NOT NULL DEFAULT true,
    used bigint NOT NULL DEFAULT 0,
    held bigint NOT NULL DEFAULT 0,
    -- Calls that were reserved from here on count: the start of the window, or of the budget.
    counts_from timestamptz(3) NOT NULL,
    -- The highest threshold that was announced in this window.
    announced_percent smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, environment, spender, period)
  );

  -- The credits that a request has counted in budgets: for refunds, and to recompute the use of a window.
  CREATE TABLE account.spending (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    spenders text[] NOT NULL,
    reserved_at timestamptz(3) NOT NULL,
    credits bigint NOT NULL,
    refunded bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (request_id, account_id)
  );
  CREATE INDEX spending_reserved_at ON account.spending (account_id, environment, reserved_at);

  GRANT SELECT, INSERT, UPDATE, DELETE ON account.budget TO gateway_service;
  GRANT SELECT, INSERT, UPDATE ON account.spending TO gateway_service;
  GRANT UPDATE (counted) ON account.hold TO gateway_service;
  ${isolateTenants('account', ['budget', 'spending'])}

  -- Every process remembers which spenders have budgets: a change of a limit needs no notice.
  CREATE FUNCTION account.notify_budget() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      PERFORM pg_notify('gateway_stale', coalesce(NEW.account_id, OLD.account_id));
      RETURN NULL;
    END $body$;
  CREATE TRIGGER budget_stale AFTER INSERT OR DELETE ON account.budget
    FOR EACH ROW EXECUTE FUNCTION account.notify_budget();
`

/** Windows are of the calendar, in UTC, and a week begins on Monday. */
const clock = `
  -- The clock of budgets. In milliseconds, as every reader of an instant sees it.
  CREATE FUNCTION account.budget_now() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $body$ SELECT date_trunc('milliseconds', clock_timestamp()) $body$;

  CREATE FUNCTION account.window_start(period text, at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE AS $body$
      SELECT CASE period WHEN 'total' THEN '-infinity'
        ELSE date_trunc(period, at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' END
    $body$;

  CREATE FUNCTION account.window_end(period text, at timestamptz) RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE AS $body$
      SELECT CASE WHEN period <> 'total'
        THEN (date_trunc(period, at AT TIME ZONE 'UTC') + ('1 ' || period)::interval)
          AT TIME ZONE 'UTC' END
    $body$;
`

const reading = `
  -- The budgets of an account as they are now, whether or not a call has come in this window.
  CREATE FUNCTION account.budgets_of(of_account text, of_environment text, of_spenders text[])
  RETURNS TABLE (spender text, period text, limit_credits bigint, used bigint, held bigint,
    is_enforced boolean, resets_at timestamptz)
  LANGUAGE sql VOLATILE AS $body$
    SELECT b.spender, b.period, b.limit_credits,
      CASE WHEN b.counts_from < account.window_start(b.period, n.at) THEN 0 ELSE b.used END,
      CASE WHEN b.counts_from < account.window_start(b.period, n.at) THEN 0 ELSE b.held END,
      b.is_enforced, account.window_end(b.period, n.at)
    FROM account.budget b CROSS JOIN (SELECT account.budget_now() AS at) n
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND b.spender = ANY (of_spenders)
    ORDER BY array_position(of_spenders, b.spender),
      array_position(ARRAY['day', 'week', 'month', 'total'], b.period)
  $body$;

  -- The tightest of those that are enforced; of the others where none is.
  CREATE FUNCTION account.budget_remaining(of_account text, of_environment text, of_spenders text[])
  RETURNS bigint LANGUAGE sql VOLATILE AS $body$
    SELECT coalesce(min(limit_credits - used - held) FILTER (WHERE is_enforced),
      min(limit_credits - used - held))
    FROM account.budgets_of(of_account, of_environment, of_spenders)
  $body$;
`

/**
 * An instant from which a budget counts is later than that of any call before it, also within one
 * millisecond: see `account.reserve_in_budgets`, which reserves no earlier than a budget counts.
 */
const setting = `
  CREATE FUNCTION account.next_count(of_account text, of_environment text)
  RETURNS timestamptz LANGUAGE sql VOLATILE AS $body$
    SELECT greatest(account.budget_now(), max(b.counts_from)) + interval '1 ms'
    FROM account.budget b WHERE b.account_id = of_account AND b.environment = of_environment
  $body$;

  -- The balance is locked. Periods that stay keep their use.
  CREATE FUNCTION account.set_budgets(
    of_account text, of_environment text, of_spender text, periods text[], limits bigint[],
    are_enforced boolean[]
  ) RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    since timestamptz := account.next_count(of_account, of_environment);
  BEGIN
    DELETE FROM account.budget b WHERE b.account_id = of_account
      AND b.environment = of_environment AND b.spender = of_spender
      AND b.period <> ALL (periods);
    INSERT INTO account.budget AS b (account_id, environment, spender, period, limit_credits,
      is_enforced, counts_from)
    SELECT of_account, of_environment, of_spender, i.period, i.limit_credits, i.is_enforced, since
    FROM unnest(periods, limits, are_enforced) AS i (period, limit_credits, is_enforced)
    ON CONFLICT (account_id, environment, spender, period) DO UPDATE
      SET limit_credits = excluded.limit_credits, is_enforced = excluded.is_enforced;
  END $body$;

  -- The balance is locked. Calls under way count no more: they are of the time before.
  CREATE FUNCTION account.reset_budget(
    of_account text, of_environment text, of_spender text, of_period text
  ) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    since timestamptz := account.next_count(of_account, of_environment);
  BEGIN
    UPDATE account.budget b SET used = 0, held = 0, announced_percent = 0, counts_from = since
      WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = of_spender AND b.period = of_period;
    RETURN FOUND;
  END $body$;
`

const counting = `
  -- The balance is locked. Begins the windows of these budgets whose time has come.
  CREATE FUNCTION account.turn_windows(
    of_account text, of_environment text, of_spenders text[], at timestamptz
  ) RETURNS void LANGUAGE sql VOLATILE AS $body$
    UPDATE account.budget b SET used = 0, held = 0, announced_percent = 0,
      counts_from = account.window_start(b.period, at)
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND b.spender = ANY (of_spenders) AND b.counts_from < account.window_start(b.period, at)
  $body$;

  -- The balance is locked. Releases the held credits, and counts the spent ones as used in the window
  -- in which they were reserved. Returns the thresholds that were crossed, each budget's ascending.
  CREATE FUNCTION account.count_spending(
    of_account text, of_environment text, of_request text, of_spenders text[],
    was_reserved_at timestamptz, was_held bigint, spent bigint
  ) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $body$
  DECLARE
    crossed jsonb;
  BEGIN
    WITH counted AS (
      SELECT b.spender, b.period, b.announced_percent AS announced,
        greatest(b.announced_percent, p.percent) AS reached
      FROM account.budget b CROSS JOIN LATERAL (
        SELECT coalesce(max(t), 0)::smallint AS percent FROM unnest(ARRAY[50, 80, 100]) AS t
        WHERE spent > 0 AND (b.used + spent) * 100 >= b.limit_credits * t
      ) p
      WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = ANY (of_spenders) AND b.counts_from <= was_reserved_at
    ), updated AS (
      UPDATE account.budget b SET held = b.held - was_held, used = b.used + spent,
        announced_percent = c.reached
      FROM counted c
      WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = c.spender AND b.period = c.period
      RETURNING b.spender, b.period, b.limit_credits, b.used, b.counts_from, c.announced, c.reached
    )
    SELECT jsonb_agg(jsonb_build_object('spender', u.spender, 'period', u.period,
        'percent', t, 'limitCredits', u.limit_credits, 'usedCredits', u.used,
        'resetsAt', account.window_end(u.period, was_reserved_at))
        ORDER BY array_position(of_spenders, u.spender), u.period, t)
      INTO crossed
      FROM updated u JOIN unnest(ARRAY[50, 80, 100]) AS t ON t > u.announced AND t <= u.reached;
    IF spent > 0 THEN
      INSERT INTO account.spending
        (account_id, environment, request_id, spenders, reserved_at, credits)
      VALUES (of_account, of_environment, of_request, of_spenders, was_reserved_at, spent)
      ON CONFLICT DO NOTHING;
    END IF;
    RETURN crossed;
  END $body$;

  -- The balance is locked. A refund comes back in the window in which the call was reserved.
  CREATE FUNCTION account.refund_spending(
    of_account text, of_environment text, of_request text, amount bigint
  ) RETURNS void LANGUAGE sql VOLATILE AS $body$
    WITH refunded AS (
      UPDATE account.spending s SET refunded = s.refunded + amount
      WHERE s.request_id = of_request AND s.account_id = of_account
        AND s.environment = of_environment
      RETURNING s.spenders, s.reserved_at
    )
    UPDATE account.budget b SET used = b.used - amount
    FROM refunded r
    WHERE b.account_id = of_account AND b.environment = of_environment
      AND b.spender = ANY (r.spenders) AND b.counts_from <= r.reserved_at
  $body$;
`

/**
 * In place of `account.reserve_spending`, which the build before has and never calls. Each item by
 * itself, because one that a budget refuses must leave its credits to the next. What the
 * budgets refuse is judged for the balance and the idempotency key all the same: those go first.
 */
const reserving = `
  -- A request that a budget refuses: what the balance and the idempotency key say of it goes first. It
  -- is reserved to find that out, and nothing of it is left.
  CREATE FUNCTION account.refuse_exhausted(
    of_account text, of_environment text, amount bigint, of_request text, ttl int, request jsonb,
    key_hash text, request_hash text, key_ttl int, OUT verdict text, OUT available bigint,
    OUT answer jsonb, OUT body text
  ) LANGUAGE plpgsql VOLATILE AS $body$
  BEGIN
    SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
      FROM account.reserve(ARRAY[of_account], ARRAY[of_environment], ARRAY[amount],
        ARRAY[of_request], ARRAY[1], ARRAY[amount], ARRAY[ttl], ARRAY[request], ARRAY[key_hash],
        ARRAY[request_hash], ARRAY[key_ttl]) r;
    IF verdict = 'accepted' THEN
      PERFORM account.refuse('a budget does not cover the request');
    END IF;
  EXCEPTION WHEN SQLSTATE 'GW001' THEN
    verdict := 'exhausted';
    available := available + amount;
  END $body$;

  CREATE FUNCTION account.reserve_in_budgets(
    owner_ids text[], owner_environments text[],
    request_ids text[], owners int[], amounts bigint[], ttls int[], requests jsonb[],
    key_hashes text[], request_hashes text[], key_ttls int[], spender_lists jsonb[], counts bigint[]
  ) RETURNS TABLE (
    place bigint, verdict text, available bigint, answer jsonb, body text, reserved_at timestamptz,
    budget_remaining bigint, refusing jsonb
  )
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $body$
  #variable_conflict use_column
  DECLARE
    item record;
    at timestamptz;
    counts_from timestamptz;
    does_fit boolean;
    stands boolean;
    is_counted boolean;
  BEGIN
    PERFORM account.lock_balances(owner_ids, owner_environments);
    at := account.budget_now();
    FOR item IN
      SELECT i.*, owner_ids[i.owner] AS account_id, owner_environments[i.owner] AS environment,
        ARRAY(SELECT jsonb_array_elements_text(i.spender_list)) AS spenders
      FROM unnest(request_ids, owners, amounts, ttls, requests, key_hashes, request_hashes,
        key_ttls, spender_lists, counts) WITH ORDINALITY
        AS i (request_id, owner, credits, ttl, request, key_hash, request_hash, key_ttl,
          spender_list, counted, place)
    LOOP
      place := item.place;
      reserved_at := NULL;
      refusing := NULL;
      PERFORM account.turn_windows(item.account_id, item.environment, item.spenders, at);
      SELECT coalesce(bool_and(b.used + b.held + item.counted <= b.limit_credits)
          FILTER (WHERE b.is_enforced), true), max(b.counts_from)
        INTO does_fit, counts_from
        FROM account.budget b WHERE b.account_id = item.account_id
          AND b.environment = item.environment AND b.spender = ANY (item.spenders);
      stands := EXISTS (SELECT FROM account.hold h WHERE h.request_id = item.request_id);
      IF does_fit OR stands THEN
        SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
          FROM account.reserve(ARRAY[item.account_id], ARRAY[item.environment],
            ARRAY[item.credits], ARRAY[item.request_id], ARRAY[1], ARRAY[item.credits],
            ARRAY[item.ttl], ARRAY[item.request], ARRAY[item.key_hash], ARRAY[item.request_hash],
            ARRAY[item.key_ttl]) r;
      ELSE
        SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
          FROM account.refuse_exhausted(item.account_id, item.environment, item.credits,
            item.request_id, item.ttl, item.request, item.key_hash, item.request_hash,
            item.key_ttl) r;
      END IF;
      IF verdict = 'exhausted' THEN
        SELECT jsonb_agg(to_jsonb(b) || jsonb_build_object('needed', item.counted)) INTO refusing
          FROM account.budgets_of(item.account_id, item.environment, item.spenders) b
          WHERE b.is_enforced AND b.used + b.held + item.counted > b.limit_credits;
      END IF;
      IF verdict = 'accepted' AND cardinality(item.spenders) > 0 THEN
        -- One that holds already has counted since it was reserved first.
        UPDATE account.hold h SET spenders = item.spenders, counted = item.counted,
            reserved_at = greatest(at, counts_from)
          WHERE h.request_id = item.request_id AND h.spenders IS NULL
          RETURNING h.reserved_at INTO reserved_at;
        is_counted := FOUND;
        IF is_counted THEN
          UPDATE account.budget b SET held = b.held + item.counted
            WHERE b.account_id = item.account_id AND b.environment = item.environment
              AND b.spender = ANY (item.spenders);
        ELSE
          SELECT h.reserved_at INTO reserved_at FROM account.hold h
            WHERE h.request_id = item.request_id;
        END IF;
      END IF;
      budget_remaining :=
        account.budget_remaining(item.account_id, item.environment, item.spenders);
      RETURN NEXT;
    END LOOP;
  END $body$;
`

const settling = `
  -- \`account.settle\` for requests with budgets; \`counts\` is what each counts in them, 0 for a
  -- failure. Locks first the holds, then the balances, as every other end of holds does.
  CREATE FUNCTION account.settle_in_budgets(
    owner_ids text[], owner_environments text[],
    request_ids text[], owners int[], amounts bigint[], ledger_ids text[], key_hashes text[],
    answers jsonb[], bodies text[], counts bigint[]
  ) RETURNS TABLE (place bigint, outcome text, credits bigint, available bigint,
    budget_remaining bigint, crossed jsonb)
  LANGUAGE plpgsql VOLATILE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $body$
  #variable_conflict use_column
  DECLARE
    holds account.hold[];
    ended account.hold;
  BEGIN
    holds := ARRAY(SELECT h FROM account.hold h WHERE h.request_id = ANY (request_ids)
      ORDER BY h.request_id FOR UPDATE);
    PERFORM account.lock_balances(owner_ids, owner_environments);
    FOR place, outcome, credits, available IN
      SELECT s.place, s.outcome, s.credits, s.available
      FROM account.settle(owner_ids, owner_environments, request_ids, owners, amounts, ledger_ids,
        key_hashes, answers, bodies) s
    LOOP
      crossed := NULL;
      SELECT * INTO ended FROM unnest(holds) h WHERE h.request_id = request_ids[place];
      IF ended.spenders IS NOT NULL THEN
        -- The sandbox charges nothing, and counts the prices of the catalog.
        crossed := account.count_spending(ended.account_id, ended.environment, ended.request_id,
          ended.spenders, ended.reserved_at, ended.counted,
          CASE WHEN ended.environment = 'live' THEN credits
            ELSE least(counts[place], ended.counted) END);
      END IF;
      budget_remaining :=
        account.budget_remaining(ended.account_id, ended.environment, ended.spenders);
      RETURN NEXT;
    END LOOP;
  END $body$;
`

const settlingLost = `
  -- \`account.settle_lost\` for one request with budgets: it is charged only if they cover it too.
  CREATE FUNCTION account.settle_lost_in_budgets(
    of_request text, of_account text, of_environment text, amount bigint, endpoint text, call text,
    key_hash text, answer text, body text, of_spenders text[], was_reserved_at timestamptz
  ) RETURNS TABLE (outcome text, credits bigint, available bigint, budget_remaining bigint,
    crossed jsonb)
  LANGUAGE plpgsql VOLATILE AS $body$
  #variable_conflict use_column
  DECLARE
    at timestamptz;
    does_fit boolean;
    is_new boolean := false;
  BEGIN
    PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
    at := account.budget_now();
    PERFORM account.turn_windows(of_account, of_environment, of_spenders, at);
    SELECT coalesce(bool_and(b.used + b.held + amount <= b.limit_credits)
        FILTER (WHERE b.is_enforced), true)
      INTO does_fit
      FROM account.budget b WHERE b.account_id = of_account AND b.environment = of_environment
        AND b.spender = ANY (of_spenders);
    is_new := NOT EXISTS (SELECT FROM account.ledger_entry e WHERE e.kind = 'charge'
      AND e.ref = of_request AND e.account_id = of_account);
    BEGIN
      SELECT s.outcome, s.credits, s.available INTO outcome, credits, available
        FROM account.settle_lost(ARRAY[of_request], ARRAY[of_account], ARRAY[of_environment],
          ARRAY[amount], ARRAY[endpoint], ARRAY[call], ARRAY[key_hash], ARRAY[answer],
          ARRAY[body]) s;
      IF outcome = 'captured' AND is_new AND NOT does_fit THEN
        PERFORM account.refuse('a budget does not cover the request');
      END IF;
    EXCEPTION WHEN SQLSTATE 'GW001' THEN
      outcome := 'expired';
      available := available + credits;
      credits := 0;
    END;
    IF outcome = 'captured' AND is_new THEN
      crossed := account.count_spending(of_account, of_environment, of_request, of_spenders,
        was_reserved_at, 0, credits);
    END IF;
    budget_remaining := account.budget_remaining(of_account, of_environment, of_spenders);
    RETURN NEXT;
  END $body$;
`

/** As before, and what held in budgets comes back to them. */
const expiring = `
  CREATE OR REPLACE FUNCTION account.expire_holds(most int)
  RETURNS TABLE (request_id text, account_id text, environment text, request jsonb)
  LANGUAGE plpgsql VOLATILE
  SET enable_hashjoin = off SET enable_mergejoin = off
  AS $body$
  #variable_conflict use_column
  DECLARE
    holds account.hold[];
    ended account.hold;
  BEGIN
    DELETE FROM account.ended_hold WHERE request_id IN (
      SELECT e.request_id FROM account.ended_hold e WHERE e.ended_at <= now() - interval '1 h'
      ORDER BY e.ended_at LIMIT most FOR UPDATE SKIP LOCKED);
    WITH expired AS (
      DELETE FROM account.hold h WHERE h.request_id = ANY (ARRAY(
        SELECT d.request_id FROM account.hold d WHERE d.expires_at <= now()
        ORDER BY d.expires_at LIMIT most))
      RETURNING h AS hold, h.*
    ), entombed AS (
      INSERT INTO account.ended_hold (request_id, account_id)
      SELECT request_id, account_id FROM expired
      ON CONFLICT (request_id) DO UPDATE SET ended_at = excluded.ended_at
    ), released AS (
      UPDATE account.balance b SET held = b.held - t.credits
      FROM (
        SELECT account_id, environment, sum(credits)::bigint AS credits
        FROM expired GROUP BY account_id, environment ORDER BY account_id, environment
      ) t
      WHERE b.account_id = t.account_id AND b.environment = t.environment
    )
    SELECT array_agg(hold) INTO holds FROM expired;
    FOREACH ended IN ARRAY coalesce(holds, '{}') LOOP
      IF ended.spenders IS NOT NULL THEN
        PERFORM account.count_spending(ended.account_id, ended.environment, ended.request_id,
          ended.spenders, ended.reserved_at, ended.counted, 0);
      END IF;
    END LOOP;
    RETURN QUERY
    SELECT h.request_id, h.account_id, h.environment,
      coalesce(h.request, account.request_of(h.endpoint, h.call)) FROM unnest(holds) h;
  END $body$;
`
