import { Migration } from '@mikro-orm/migrations'

/** Idempotency keys, claimed in the transaction that places the hold; reserve and settle as functions. */
export class Idempotency0002 extends Migration {
  override up(): void {
    this.addSql(`
      -- A key is hashed: it may hold anything that its owner put into it.
      CREATE TABLE account.idempotency_key (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        key_hash text COLLATE "C" NOT NULL,
        request_hash text COLLATE "C" NOT NULL,
        -- The attempt that has the key; only it can store the answer.
        request_id text COLLATE "C" NOT NULL,
        -- Until then the attempt may still be running; null once there is an answer.
        lease_expires_at timestamptz(3),
        answer jsonb,
        body text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (account_id, environment, key_hash),
        CHECK ((lease_expires_at IS NULL) = (answer IS NOT NULL)),
        CHECK ((answer IS NULL) = (body IS NULL))
      );
      CREATE INDEX idempotency_key_expires_at ON account.idempotency_key (expires_at);

      -- Both functions first lock the balances that they touch, in one order. Everything else
      -- that belongs to an account is then read afresh and belongs to this transaction alone.
      CREATE FUNCTION account.lock_balances(account_ids text[], environments text[])
      RETURNS void LANGUAGE sql VOLATILE AS $body$
        SELECT 1 FROM account.balance b
        WHERE (b.account_id, b.environment) IN (SELECT * FROM unnest(account_ids, environments))
        ORDER BY b.account_id, b.environment
        FOR UPDATE
      $body$;

      -- Whatever must be entered before a balance can be relied on; a later step fills this in.
      CREATE FUNCTION account.before_reserve(account_ids text[], environments text[])
      RETURNS void LANGUAGE sql VOLATILE AS 'SELECT';

      CREATE FUNCTION account.reserve(
        request_ids text[], account_ids text[], environments text[], amounts bigint[],
        ttls int[], requests jsonb[], key_hashes text[], request_hashes text[], key_ttls int[]
      ) RETURNS TABLE (verdict text, available bigint, answer jsonb, body text)
      LANGUAGE plpgsql VOLATILE AS $body$
      #variable_conflict use_column
      BEGIN
        PERFORM account.lock_balances(account_ids, environments);
        PERFORM account.before_reserve(account_ids, environments);
        RETURN QUERY
        WITH item AS MATERIALIZED (
          SELECT * FROM unnest(request_ids, account_ids, environments, amounts, ttls, requests,
            key_hashes, request_hashes, key_ttls) WITH ORDINALITY
          AS i (request_id, account_id, environment, credits, ttl, request, key_hash,
            request_hash, key_ttl, position)
        ), known AS (
          SELECT i.*, k.answer, k.body,
            CASE
              WHEN i.key_hash IS NULL THEN 'accepted'
              WHEN coalesce(k.request_hash, first_value(i.request_hash) OVER same_key)
                <> i.request_hash THEN 'mismatch'
              WHEN k.answer IS NOT NULL THEN 'replay'
              WHEN k.lease_expires_at > now() OR row_number() OVER same_key > 1 THEN 'running'
              ELSE 'accepted'
            END AS verdict
          FROM item i
          LEFT JOIN account.idempotency_key k
            ON k.account_id = i.account_id AND k.environment = i.environment
            AND k.key_hash = i.key_hash AND k.expires_at > now()
          WINDOW same_key AS
            (PARTITION BY i.account_id, i.environment, i.key_hash ORDER BY i.position)
        ), fitted AS (
          SELECT n.*, b.balance - b.held AS available,
            account.running_fit(n.credits, b.balance - b.held) OVER in_order AS used
          FROM known n JOIN account.balance b USING (account_id, environment)
          WHERE n.verdict = 'accepted'
          WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position)
        ), judged AS MATERIALIZED (
          SELECT *, used - lag(used, 1, 0::bigint) OVER in_order = credits AS fits
          FROM fitted
          WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position)
        ), held AS (
          UPDATE account.balance b SET held = b.held + t.credits
          FROM (
            SELECT account_id, environment, sum(credits)::bigint AS credits
            FROM judged WHERE fits GROUP BY account_id, environment
          ) t
          WHERE b.account_id = t.account_id AND b.environment = t.environment AND t.credits > 0
        ), kept AS (
          INSERT INTO account.hold
            (request_id, account_id, environment, credits, request, expires_at)
          SELECT request_id, account_id, environment, credits, request,
            now() + make_interval(secs => ttl)
          FROM judged WHERE fits
        ), claimed AS (
          INSERT INTO account.idempotency_key (account_id, environment, key_hash, request_hash,
            request_id, lease_expires_at, expires_at)
          SELECT account_id, environment, key_hash, request_hash, request_id,
            now() + make_interval(secs => ttl), now() + make_interval(secs => key_ttl)
          FROM judged WHERE fits AND key_hash IS NOT NULL
          ON CONFLICT (account_id, environment, key_hash) DO UPDATE SET
            request_hash = excluded.request_hash, request_id = excluded.request_id,
            lease_expires_at = excluded.lease_expires_at, answer = NULL, body = NULL,
            created_at = now(), expires_at = excluded.expires_at
        )
        SELECT
          CASE WHEN n.verdict <> 'accepted' THEN n.verdict
            WHEN j.fits THEN 'accepted' ELSE 'insufficient' END,
          coalesce(j.available - j.used, b.balance - b.held, 0),
          CASE WHEN n.verdict = 'replay' THEN n.answer END,
          CASE WHEN n.verdict = 'replay' THEN n.body END
        FROM known n
        LEFT JOIN judged j USING (position)
        LEFT JOIN account.balance b
          ON b.account_id = n.account_id AND b.environment = n.environment
        ORDER BY n.position;
      END $body$;

      CREATE FUNCTION account.settle(
        request_ids text[], account_ids text[], environments text[], amounts bigint[],
        ledger_ids text[], key_hashes text[], answers jsonb[], bodies text[]
      ) RETURNS TABLE (outcome text, credits bigint, available bigint)
      LANGUAGE plpgsql VOLATILE AS $body$
      #variable_conflict use_column
      BEGIN
        PERFORM account.lock_balances(account_ids, environments);
        RETURN QUERY
        WITH item AS MATERIALIZED (
          SELECT * FROM unnest(request_ids, account_ids, environments, amounts, ledger_ids,
            key_hashes, answers, bodies) WITH ORDINALITY
          AS i (request_id, account_id, environment, credits, ledger_id, key_hash, answer, body,
            position)
        ), resolved AS (
          DELETE FROM account.hold h USING item i
          WHERE h.request_id = i.request_id
            AND h.account_id = i.account_id AND h.environment = i.environment
            AND h.expires_at > clock_timestamp()
          RETURNING i.*, h.request, h.credits AS held, least(i.credits, h.credits) AS charged
        ), posted AS MATERIALIZED (
          SELECT r.*, b.last_hash, request ->> 'endpoint' AS description,
            b.last_seq + count(*) FILTER (WHERE charged > 0) OVER in_order AS seq,
            b.balance - sum(charged) OVER in_order AS balance_after,
            date_trunc('milliseconds', now()) AS created_at,
            (b.balance - sum(charged) OVER whole - (b.held - sum(r.held) OVER whole))::bigint
              AS available
          FROM resolved r JOIN account.balance b USING (account_id, environment)
          WINDOW in_order AS (PARTITION BY account_id, environment ORDER BY position),
            whole AS (PARTITION BY account_id, environment)
        ), chained AS MATERIALIZED (
          SELECT *, account.running_hash(last_hash, CASE WHEN charged > 0 THEN
              account.entry_content(account_id, environment, seq, ledger_id, 'charge', -charged,
                balance_after::bigint, description, request_id, request, created_at)
            END) OVER (PARTITION BY account_id, environment ORDER BY position) AS hash
          FROM posted
        ), entered AS (
          INSERT INTO account.ledger_entry (account_id, environment, seq, id, kind, credits,
            balance_after, description, ref, request, created_at, hash)
          SELECT account_id, environment, seq, ledger_id, 'charge', -charged,
            balance_after, description, request_id, request, created_at, hash
          FROM chained WHERE charged > 0
        ), updated AS (
          UPDATE account.balance b
          SET balance = t.balance_after, held = b.held - t.held, last_seq = t.seq,
            last_hash = t.hash
          FROM (
            SELECT account_id, environment, min(balance_after)::bigint AS balance_after,
              sum(held)::bigint AS held, max(seq) AS seq,
              (array_agg(hash ORDER BY position DESC))[1] AS hash
            FROM chained GROUP BY account_id, environment
          ) t
          WHERE b.account_id = t.account_id AND b.environment = t.environment AND t.held > 0
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
        SELECT
          CASE
            WHEN p.charged > 0 OR s.charged < 0 THEN 'captured'
            WHEN p.request_id IS NOT NULL OR s.is_answered THEN 'voided'
            ELSE 'expired'
          END,
          coalesce(p.charged, -s.charged, 0),
          coalesce(p.available, s.available, 0)
        FROM item i
        LEFT JOIN posted p USING (position)
        -- Only for what was not resolved just now: a look-up each, whatever the tables' sizes.
        LEFT JOIN LATERAL (
          SELECT
            (SELECT e.credits FROM account.ledger_entry e WHERE e.account_id = i.account_id
              AND e.environment = i.environment AND e.kind = 'charge' AND e.ref = i.request_id
            ) AS charged,
            EXISTS (SELECT FROM account.idempotency_key k WHERE k.account_id = i.account_id
              AND k.environment = i.environment AND k.key_hash = i.key_hash
              AND k.request_id = i.request_id AND k.answer IS NOT NULL
            ) AS is_answered,
            (SELECT b.balance - b.held FROM account.balance b
              WHERE b.account_id = i.account_id AND b.environment = i.environment
            ) AS available
          OFFSET 0
        ) s ON p.request_id IS NULL
        ORDER BY i.position;
      END $body$;

      CREATE FUNCTION account.expire_holds(most int)
      RETURNS TABLE (request_id text, account_id text, environment text, request jsonb)
      LANGUAGE plpgsql VOLATILE AS $body$
      #variable_conflict use_column
      DECLARE
        due text[];
      BEGIN
        SELECT array_agg(h.request_id) INTO due FROM (
          SELECT request_id FROM account.hold WHERE expires_at <= now()
          ORDER BY expires_at LIMIT most
        ) h;
        PERFORM account.lock_balances(array_agg(h.account_id), array_agg(h.environment))
          FROM account.hold h WHERE h.request_id = ANY (due);
        RETURN QUERY
        WITH expired AS (
          DELETE FROM account.hold h WHERE h.request_id = ANY (due) RETURNING h.*
        ), released AS (
          UPDATE account.balance b SET held = b.held - t.credits
          FROM (
            SELECT account_id, environment, sum(credits)::bigint AS credits
            FROM expired GROUP BY account_id, environment
          ) t
          WHERE b.account_id = t.account_id AND b.environment = t.environment
        )
        SELECT request_id, account_id, environment, request FROM expired;
      END $body$;

      GRANT SELECT, INSERT, UPDATE, DELETE ON account.idempotency_key TO gateway_service;
    `)
  }
}
