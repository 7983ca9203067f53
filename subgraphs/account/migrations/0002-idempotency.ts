import { Migration } from '@mikro-orm/migrations'

/** Idempotency keys, which the transaction of the hold claims; the functions reserve and settle. */
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

      -- All callers lock balances in one order. Everything else that belongs to an account is
      -- then read afresh and belongs to this transaction alone.
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

      -- Decides each item of a batch, in order: keys are looked up, and only the items that do not
      -- fit are left out. The balances are locked.
      CREATE FUNCTION account.judge(
        account_ids text[], environments text[], amounts bigint[], key_hashes text[],
        request_hashes text[]
      ) RETURNS text[] LANGUAGE sql STABLE AS $body$
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
      $body$;

      -- \`owner_ids\` with \`owner_environments\` are the balances of a batch, \`owners\` the place of
      -- each item's balance among them.
      CREATE FUNCTION account.reserve(
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
        -- Only a batch with keys, or one that asks for too much, must be looked at item by item.
        IF are_keyed OR NOT are_covered THEN
          PERFORM account.before_reserve(owner_ids, owner_environments);
          SELECT account.judge(array_agg(owner_ids[o.owner] ORDER BY o.place),
              array_agg(owner_environments[o.owner] ORDER BY o.place),
              amounts, key_hashes, request_hashes)
            INTO verdicts FROM unnest(owners) WITH ORDINALITY AS o (owner, place);
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
        SELECT i.place, coalesce(i.verdict, 'accepted'), availables[i.owner], k.answer, k.body
        FROM unnest(owners, key_hashes, verdicts) WITH ORDINALITY
          AS i (owner, key_hash, verdict, place)
        LEFT JOIN LATERAL (
          SELECT k.answer, k.body FROM account.idempotency_key k
          WHERE k.account_id = owner_ids[i.owner] AND k.environment = owner_environments[i.owner]
            AND k.key_hash = i.key_hash
        ) k ON i.verdict = 'replay';
      END $body$;

      -- Ends open holds; nothing comes back for one that has ended before. Owners as above.
      CREATE FUNCTION account.settle(
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
          RETURNING i.*, h.account_id, h.environment, h.request, h.credits AS held,
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
