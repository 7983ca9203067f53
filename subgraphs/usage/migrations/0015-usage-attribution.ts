import { Migration } from '@mikro-orm/migrations'
import { isEveryone, isolateTenants } from '../../shared/database/tenant.ts'
import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/**
 * Entries say which app, which external id and which end user they are of, and there are sums by key. The
 * build before leaves the new columns null, and folds its epochs into the new sums too.
 */
export class UsageAttribution0015 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE usage.usage_log
        ADD COLUMN client_id text COLLATE "C",
        -- That of the key or app at the time of the call.
        ADD COLUMN external_id text COLLATE "C",
        ADD COLUMN end_user text COLLATE "C",
        -- Null means no, so that an entry of a key or token takes no more room than before.
        ADD COLUMN is_session boolean`)
    this.addSql(sums)
    this.addSql(foldEpoch)
  }
}

const sums = `
  -- Sums of each hour and day by caller and service. An empty text means none: it can be in a key.
  CREATE TABLE usage.usage_key (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    unit text NOT NULL CHECK (unit IN ('hour', 'day')),
    start timestamptz(0) NOT NULL,
    service text NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    is_session boolean NOT NULL,
    requests bigint NOT NULL,
    successes bigint NOT NULL,
    credits bigint NOT NULL,
    -- Between these are all of its entries, so that a filter leaves out the rest of the log.
    first_id text COLLATE "C" NOT NULL,
    last_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, environment, unit, start, service, key_id, client_id, external_id,
      is_session)
  ) WITH (fillfactor = 70);
  -- Of each caller, whatever the number of the others.
  CREATE INDEX usage_key_key ON usage.usage_key (account_id, environment, unit, key_id, start);
  CREATE INDEX usage_key_client ON usage.usage_key (account_id, environment, unit, client_id, start)
    WHERE client_id <> '';
  CREATE INDEX usage_key_external ON usage.usage_key
    (account_id, environment, unit, external_id, start) WHERE external_id <> '';
  GRANT SELECT, INSERT, UPDATE ON usage.usage_key TO gateway_service;
  ${isolateTenants('usage', ['usage_key'])}

  -- One row: from when on the sums by key have all entries. A job adds the older ones, and sets -infinity.
  CREATE TABLE usage.usage_key_extent (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    complete_since timestamptz NOT NULL
  );
  -- A whole day that begins an hour later: by then no session folds an epoch as before.
  INSERT INTO usage.usage_key_extent (complete_since)
    SELECT CASE WHEN EXISTS (SELECT FROM usage.usage_log)
      THEN date_trunc('day', now() + interval '1 hour', 'UTC') + interval '1 day' ELSE '-infinity' END;
  GRANT SELECT, UPDATE ON usage.usage_key_extent TO gateway_service;
`

const foldEpoch = `
  -- As before, and the sums by key, after those by endpoint.
  CREATE OR REPLACE FUNCTION usage.fold_epoch(ending bigint) RETURNS boolean
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
  -- Whatever PostgreSQL knows of a log that grows: by the index of times, each entry read once, no more
  -- than one processor, nothing on disk.
  SET enable_seqscan = off SET enable_sort = off SET max_parallel_workers_per_gather = 0
  SET work_mem = '64MB' SET jit = off AS $body$
    DECLARE
      first_id text COLLATE "C";
      first_at timestamptz;
    BEGIN
      -- A session that sees no rows would end an epoch without adding anything.
      IF ${isEveryone} IS NOT TRUE THEN RAISE 'Only for a session of everyone''s.'; END IF;
      PERFORM pg_advisory_xact_lock(7462004);
      -- This waits for recordings in the epoch. The statement below sees their entries in a newer snapshot.
      DELETE FROM usage.usage_epoch e WHERE e.epoch = ending
        RETURNING e.from_id, e.from_at INTO first_id, first_at;
      IF NOT FOUND THEN RETURN false; END IF;
      WITH entries AS MATERIALIZED (
        SELECT account_id, environment, date_trunc('hour', ts) AS hour, service, status_class,
          method, route, usage.latency_class(latency_ms) AS latency_class,
          key_id, client_id, external_id, is_session,
          count(*) AS requests, sum(credits)::bigint AS credits,
          min(request_id) AS lowest_id, max(request_id) AS highest_id
        FROM usage.usage_log
        WHERE epoch = ending AND request_id >= first_id AND ts >= first_at
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
      -- A statement that records and adds at once takes the same order: no two wait for each other.
      ), endpoints AS (
        INSERT INTO usage.usage_endpoint AS e (account_id, environment, unit, start, service,
          endpoint, latency_class, requests, successes, credits)
        SELECT account_id, environment, unit, date_trunc(unit, hour) AS start, service,
          method || ' ' || route AS endpoint, latency_class, sum(requests),
          coalesce(sum(requests) FILTER (WHERE status_class < 4), 0), sum(credits)
        FROM entries CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
        GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (account_id, environment, unit, start, service, endpoint, latency_class)
        DO UPDATE SET requests = e.requests + excluded.requests,
          successes = e.successes + excluded.successes, credits = e.credits + excluded.credits
      ), keys AS (
        INSERT INTO usage.usage_key AS k (account_id, environment, unit, start, service, key_id,
          client_id, external_id, is_session, requests, successes, credits, first_id, last_id)
        SELECT account_id, environment, unit, date_trunc(unit, hour) AS start, service,
          coalesce(key_id, ''), coalesce(client_id, ''), coalesce(external_id, ''),
          coalesce(is_session, false), sum(requests),
          coalesce(sum(requests) FILTER (WHERE status_class < 4), 0), sum(credits),
          min(lowest_id), max(highest_id)
        FROM entries CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
        ON CONFLICT (account_id, environment, unit, start, service, key_id, client_id, external_id,
          is_session)
        DO UPDATE SET requests = k.requests + excluded.requests,
          successes = k.successes + excluded.successes, credits = k.credits + excluded.credits,
          first_id = least(k.first_id, excluded.first_id),
          last_id = greatest(k.last_id, excluded.last_id)
      )
      INSERT INTO usage.usage_hour AS h
        (account_id, environment, hour, service, status_class, requests, credits)
      SELECT account_id, environment, hour, service, status_class, sum(requests), sum(credits)
      FROM entries GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (account_id, environment, hour, service, status_class) DO UPDATE SET
        requests = h.requests + excluded.requests, credits = h.credits + excluded.credits;
      RETURN true;
    END $body$;
`

/** An export of requests may be of one caller or end user. */
export class AuditExportCallers0016 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE usage.audit_export
        ADD COLUMN key_id text,
        ADD COLUMN client_id text,
        ADD COLUMN external_id text,
        ADD COLUMN end_user text`)
  }
}

/** End users have no sums. Entries without one, which most are, are not in the index. */
export class UsageLogEndUsers0017 extends ConcurrentIndex {
  protected readonly table = 'usage.usage_log'
  protected readonly index = 'usage_log_end_user'
  protected readonly definition = `(account_id, environment, end_user, request_id)
    WHERE end_user IS NOT NULL`
}
