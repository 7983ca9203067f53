import { Migration } from '@mikro-orm/migrations'
import { isEveryone } from '../../shared/database/tenant.ts'

/** How many months have their partition ahead of time. */
const monthsAhead = 3
/** The least that can be kept, in days: what is compared with the ledger all the time is there. */
const minRetentionDays = 31

const wanted = `date_trunc('month', now()) + interval '${monthsAhead + 1} months'`

/**
 * Entries are added to the sums later than to the log: all those of an epoch at once, in the transaction
 * that ends the epoch. The build before adds its own at once; they are in no epoch.
 */
export class UsageEpochs0014 extends Migration {
  override up(): void {
    this.addSql(epochs)
    this.addSql(foldEpoch)
    this.addSql(keepLog)
  }
}

const epochs = `
  -- Those that are open: entries of these are in no sum yet, and all others are.
  CREATE TABLE usage.usage_epoch (
    epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- No entry of it has a lower id, and none arrived earlier.
    from_id text COLLATE "C" NOT NULL,
    from_at timestamptz(3) NOT NULL,
    started_at timestamptz(3) NOT NULL DEFAULT now()
  );
  -- A recording locks the row, and that takes UPDATE.
  GRANT SELECT, INSERT, UPDATE, DELETE ON usage.usage_epoch TO gateway_service;

  -- 0 is the standing epoch of entries that are added to the sums by the statement that records them.
  ALTER TABLE usage.usage_log ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
`

const foldEpoch = `
  -- Ends the epoch and adds its entries to the sums. Returns false when another session has done so.
  CREATE FUNCTION usage.fold_epoch(ending bigint) RETURNS boolean
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
          count(*) AS requests, sum(credits)::bigint AS credits
        FROM usage.usage_log
        WHERE epoch = ending AND request_id >= first_id AND ts >= first_at
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
      -- A statement that records and adds at once takes the same order: no two wait for each other.
      ), endpoints AS (
        INSERT INTO usage.usage_endpoint AS e (account_id, environment, unit, start, service,
          endpoint, latency_class, requests, successes, credits)
        SELECT account_id, environment, unit, date_trunc(unit, hour) AS start, service,
          method || ' ' || route AS endpoint, latency_class, sum(requests), coalesce(sum(requests) FILTER (WHERE status_class < 4), 0),
          sum(credits)
        FROM entries CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
        GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (account_id, environment, unit, start, service, endpoint, latency_class)
        DO UPDATE SET requests = e.requests + excluded.requests,
          successes = e.successes + excluded.successes, credits = e.credits + excluded.credits
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

const keepLog = `
  -- As before; what is in no sum yet is not forgotten.
  CREATE OR REPLACE FUNCTION usage.keep_log(retention_days integer) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
  SET lock_timeout = '500ms' AS $body$
    BEGIN
      -- A session that sees no rows would take a partition for an empty one.
      IF ${isEveryone} IS NOT TRUE THEN RAISE 'Only for a session of everyone''s.'; END IF;
      IF retention_days <> 0 AND retention_days < ${minRetentionDays} THEN
        RAISE 'The usage log is kept for ${minRetentionDays} days at least.';
      END IF;
      -- One at a time; all others find nothing left to do.
      PERFORM 1 FROM usage.usage_log_extent FOR UPDATE;
      PERFORM usage.add_months(${wanted});
      IF retention_days > 0 THEN
        PERFORM usage.drop_months(least(now() - make_interval(days => retention_days),
          (SELECT min(from_at) FROM usage.usage_epoch)));
      END IF;
      RETURN (SELECT ends_at >= ${wanted} FROM usage.usage_log_extent);
    EXCEPTION WHEN lock_not_available THEN RETURN false;
    END $body$;
`
