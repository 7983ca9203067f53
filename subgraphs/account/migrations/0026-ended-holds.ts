import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/**
 * The requests whose holds ended without a settlement, for an hour: what has its row here is never
 * charged. The statements of charges are in `holds/`; what is left of them here is the careful way.
 */
export class EndedHolds0026 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.ended_hold (
        request_id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        ended_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX ended_hold_ended_at ON account.ended_hold (ended_at);
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.ended_hold TO gateway_service;
      ${isolateTenants('account', ['ended_hold'])}
    `)
    this.addSql(refuse)
    this.addSql(reserve)
    this.addSql(settle)
    this.addSql(settleLost)
    this.addSql(expireHolds)
  }
}

/** Undoes a statement that must not have happened; a caller that sees the code takes the careful way. */
const refuse = `
  CREATE FUNCTION account.refuse(reason text) RETURNS boolean LANGUAGE plpgsql AS $body$
    BEGIN RAISE EXCEPTION USING ERRCODE = 'GW001', MESSAGE = reason; END $body$;
`

/** As before. A request that holds already is accepted again; one whose hold has ended is not. */
const reserve = `
  -- \`owner_ids\` with \`owner_environments\` are the balances of a batch, \`owners\` the place of
  -- each item's balance among them.
  CREATE OR REPLACE FUNCTION account.reserve(
    owner_ids text[], owner_environments text[], owner_amounts bigint[],
    request_ids text[], owners int[], amounts bigint[], ttls int[], requests jsonb[],
    key_hashes text[], request_hashes text[], key_ttls int[]
  ) RETURNS TABLE (place bigint, verdict text, available bigint, answer jsonb, body text)
  LANGUAGE plpgsql VOLATILE
  -- One plan for batches of every size and tables of every size: by the indexes.
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $body$
  #variable_conflict use_column
  DECLARE
    are_keyed boolean := cardinality(array_remove(key_hashes, NULL)) > 0;
    are_covered boolean;
    verdicts text[];
    availables bigint[];
    -- A repetition: what holds already, and what ended without a settlement.
    standing text[];
    ended text[];
    is_repeated boolean;
  BEGIN
    SELECT count(*) = cardinality(owner_ids) AND bool_and(is_covered) INTO are_covered FROM (
      SELECT b.balance - b.held >= o.credits AND (b.next_expiry_at <= now()) IS NOT TRUE
        AS is_covered
      FROM unnest(owner_ids, owner_environments, owner_amounts)
        AS o (account_id, environment, credits)
      JOIN account.balance b USING (account_id, environment)
      ORDER BY b.account_id, b.environment
      FOR UPDATE OF b
    ) locked;
    standing := ARRAY(
      SELECT h.request_id FROM account.hold h WHERE h.request_id = ANY (request_ids));
    ended := ARRAY(
      SELECT e.request_id FROM account.ended_hold e WHERE e.request_id = ANY (request_ids));
    is_repeated := cardinality(standing || ended) > 0;
    IF is_repeated THEN
      SELECT array_agg(CASE WHEN i.request_id = ANY (standing || ended) THEN 0 ELSE i.credits END
          ORDER BY i.place)
        INTO amounts FROM unnest(request_ids, amounts) WITH ORDINALITY
          AS i (request_id, credits, place);
    END IF;
    -- Only a batch with keys, or one that asks for too much, must be looked at item by item.
    IF are_keyed OR is_repeated OR NOT are_covered THEN
      PERFORM account.before_reserve(owner_ids, owner_environments);
      SELECT account.judge(array_agg(owner_ids[o.owner] ORDER BY o.place),
          array_agg(owner_environments[o.owner] ORDER BY o.place),
          amounts, key_hashes, request_hashes)
        INTO verdicts FROM unnest(owners) WITH ORDINALITY AS o (owner, place);
      IF is_repeated THEN
        SELECT array_agg(CASE WHEN i.request_id = ANY (standing) THEN 'standing'
            WHEN i.request_id = ANY (ended) THEN 'running' ELSE i.verdict END ORDER BY i.place)
          INTO verdicts FROM unnest(request_ids, verdicts) WITH ORDINALITY
            AS i (request_id, verdict, place);
      END IF;
      SELECT array_agg(coalesce(t.credits, 0) ORDER BY o.owner) INTO owner_amounts
      FROM generate_series(1, cardinality(owner_ids)) AS o (owner)
      LEFT JOIN (
        SELECT i.owner, sum(i.credits)::bigint AS credits
        FROM unnest(owners, amounts, verdicts) AS i (owner, credits, verdict)
        WHERE i.verdict = 'accepted' GROUP BY i.owner
      ) t USING (owner);
      INSERT INTO account.idempotency_key AS k (account_id, environment, key_hash, request_hash,
        request_id, lease_expires_at, expires_at)
      SELECT owner_ids[i.owner], owner_environments[i.owner], i.key_hash, i.request_hash,
        i.request_id, now() + make_interval(secs => i.ttl),
        now() + make_interval(secs => i.key_ttl)
      FROM unnest(request_ids, owners, ttls, key_hashes, request_hashes, key_ttls, verdicts)
        AS i (request_id, owner, ttl, key_hash, request_hash, key_ttl, verdict)
      WHERE i.verdict = 'accepted' AND i.key_hash IS NOT NULL
      ON CONFLICT (account_id, environment, key_hash) DO UPDATE SET
        request_hash = excluded.request_hash, request_id = excluded.request_id,
        lease_expires_at = excluded.lease_expires_at, answer = NULL, body = NULL,
        created_at = now(), expires_at = excluded.expires_at;
    END IF;

    WITH held AS (
      UPDATE account.balance b SET held = b.held + o.credits
      FROM unnest(owner_ids, owner_environments, owner_amounts) WITH ORDINALITY
        AS o (account_id, environment, credits, place)
      WHERE b.account_id = o.account_id AND b.environment = o.environment
      RETURNING o.place, b.balance - b.held AS available
    )
    SELECT array_agg(coalesce(h.available, 0) ORDER BY o.place) INTO availables
    FROM generate_series(1, cardinality(owner_ids)) AS o (place)
    LEFT JOIN held h USING (place);

    INSERT INTO account.hold (request_id, account_id, environment, credits, request, expires_at)
    SELECT i.request_id, owner_ids[i.owner], owner_environments[i.owner], i.credits, i.request,
      now() + make_interval(secs => i.ttl)
    FROM unnest(request_ids, owners, amounts, ttls, requests, verdicts)
      AS i (request_id, owner, credits, ttl, request, verdict)
    WHERE i.verdict IS NULL OR i.verdict = 'accepted';

    RETURN QUERY
    SELECT i.place, coalesce(nullif(i.verdict, 'standing'), 'accepted'), availables[i.owner],
      k.answer, k.body
    FROM unnest(owners, key_hashes, verdicts) WITH ORDINALITY
      AS i (owner, key_hash, verdict, place)
    LEFT JOIN LATERAL (
      SELECT k.answer, k.body FROM account.idempotency_key k
      WHERE k.account_id = owner_ids[i.owner] AND k.environment = owner_environments[i.owner]
        AND k.key_hash = i.key_hash
    ) k ON i.verdict = 'replay';
  END $body$;
`

/** As before, also for holds that have the line of their call. */
const settle = `
  -- Ends open holds; nothing comes back for one that has ended before. Owners as above.
  CREATE OR REPLACE FUNCTION account.settle(
    owner_ids text[], owner_environments text[],
    request_ids text[], owners int[], amounts bigint[], ledger_ids text[], key_hashes text[],
    answers jsonb[], bodies text[]
  ) RETURNS TABLE (place bigint, outcome text, credits bigint, available bigint)
  LANGUAGE plpgsql VOLATILE
  -- One plan for batches of every size and tables of every size: by the indexes.
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off
  AS $body$
  #variable_conflict use_column
  BEGIN
    PERFORM FROM unnest(owner_ids, owner_environments) AS o (account_id, environment)
      JOIN account.balance b USING (account_id, environment)
      ORDER BY b.account_id, b.environment
      FOR UPDATE OF b;

    RETURN QUERY
    WITH resolved AS (
      DELETE FROM account.hold h
      USING unnest(request_ids, owners, amounts, ledger_ids, key_hashes, answers, bodies)
        WITH ORDINALITY
        AS i (request_id, owner, credits, ledger_id, key_hash, answer, body, place)
      WHERE h.request_id = i.request_id
        AND h.account_id = owner_ids[i.owner] AND h.environment = owner_environments[i.owner]
        AND h.expires_at > clock_timestamp()
      RETURNING i.*, h.account_id, h.environment, h.credits AS held,
        coalesce(h.request, account.request_of(h.endpoint, h.call)) AS request,
        greatest(0, least(i.credits, h.credits)) AS charged
    ), numbered AS (
      SELECT r.*, b.last_hash, request ->> 'endpoint' AS description,
        b.last_seq + count(*) FILTER (WHERE charged > 0) OVER in_order AS seq,
        (b.balance - sum(charged) OVER in_order)::bigint AS balance_after,
        (b.balance - b.held + sum(r.held - charged) OVER whole)::bigint AS available,
        -- On the last one only, which is a charge if there is any: what the batch releases.
        CASE WHEN row_number() OVER in_order = count(*) OVER whole
          THEN (sum(r.held) OVER whole)::bigint END AS released,
        date_trunc('milliseconds', now()) AS created_at
      FROM resolved r JOIN account.balance b USING (account_id, environment)
      WINDOW in_order AS
          (PARTITION BY account_id, environment ORDER BY charged > 0, place),
        whole AS (PARTITION BY account_id, environment)
    ), posted AS MATERIALIZED (
      SELECT n.*,
        CASE WHEN released IS NOT NULL THEN coalesce(sha256(last_hash ||
          convert_to(string_agg(CASE WHEN charged > 0 THEN account.entry_content(account_id,
            environment, seq, ledger_id, 'charge', -charged, balance_after, description,
            request_id, request, created_at) END, '') OVER whole, 'UTF8')), last_hash)
        END AS hash
      FROM numbered n
      -- Voided holds come first, and add nothing.
      WINDOW whole AS (PARTITION BY account_id, environment ORDER BY seq
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    ), entered AS (
      INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
        balance_after, description, ref, request, created_at, hash)
      SELECT account_id, environment, seq, ledger_id, 'charge', -charged,
        balance_after, description, request_id, request, created_at, hash
      FROM posted WHERE charged > 0
    ), updated AS (
      UPDATE account.balance b
      SET balance = p.balance_after, held = b.held - p.released, last_seq = p.seq,
        last_hash = p.hash
      FROM posted p
      WHERE b.account_id = p.account_id AND b.environment = p.environment AND p.released > 0
    ), answered AS (
      UPDATE account.idempotency_key k
      SET answer = p.answer, body = p.body, lease_expires_at = NULL
      FROM posted p
      WHERE k.account_id = p.account_id AND k.environment = p.environment
        AND k.key_hash = p.key_hash AND k.request_id = p.request_id AND p.answer IS NOT NULL
    ), freed AS (
      DELETE FROM account.idempotency_key k USING posted p
      WHERE k.account_id = p.account_id AND k.environment = p.environment
        AND k.key_hash = p.key_hash AND k.request_id = p.request_id AND p.answer IS NULL
    )
    SELECT place, CASE WHEN charged > 0 THEN 'captured' ELSE 'voided' END, charged, available
    FROM posted;
  END $body$;
`

/**
 * Settles requests that have no open hold, one after the other: the outcome that is known, or a charge
 * where the hold was lost with what a crash of the database forgot. Such a request has neither hold nor
 * entry nor tombstone, and an idempotency key still names it.
 */
const settleLost = `
  CREATE FUNCTION account.settle_lost(
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
      ELSIF owner.balance - owner.held >= item.credits
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
 * Locks first the holds, then the balances in their order, as a settlement does: no two wait for each
 * other. The tombstones come with the end of the holds.
 */
const expireHolds = `
  CREATE OR REPLACE FUNCTION account.expire_holds(most int)
  RETURNS TABLE (request_id text, account_id text, environment text, request jsonb)
  LANGUAGE plpgsql VOLATILE
  SET enable_hashjoin = off SET enable_mergejoin = off
  AS $body$
  #variable_conflict use_column
  BEGIN
    DELETE FROM account.ended_hold WHERE request_id IN (
      SELECT e.request_id FROM account.ended_hold e WHERE e.ended_at <= now() - interval '1 h'
      ORDER BY e.ended_at LIMIT most FOR UPDATE SKIP LOCKED);
    RETURN QUERY
    WITH expired AS (
      DELETE FROM account.hold h WHERE h.request_id = ANY (ARRAY(
        SELECT d.request_id FROM account.hold d WHERE d.expires_at <= now()
        ORDER BY d.expires_at LIMIT most))
      RETURNING h.*
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
    SELECT request_id, account_id, environment,
      coalesce(request, account.request_of(endpoint, call)) FROM expired;
  END $body$;
`
