import { Migration } from '@mikro-orm/migrations'
import { isEveryone } from '../../shared/database/tenant.ts'

/**
 * Entries after the last month become a partition of their own, and nobody waits while they are read: a
 * constraint limits their months, is proved beside other work, and then the partition is known to fit.
 */
export class LateEntries0010 extends Migration {
  override up(): void {
    this.addSql(`
      -- Entries in \`usage_log_after\` are older than this, once its constraint \`late\` is valid.
      ALTER TABLE usage.usage_log_extent ADD COLUMN late_until timestamptz`)
    this.addSql(limitLate)
    this.addSql(addMonths)
    this.addSql(keepLog)
  }
}

/** How many months have their partition ahead of time. */
const monthsAhead = 3
/** The least that can be kept, in days: what is compared with the ledger all the time is there. */
const minRetentionDays = 31

const wanted = `date_trunc('month', now()) + interval '${monthsAhead + 1} months'`

const isProved = `EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = 'usage.usage_log_after'::regclass AND conname = 'late' AND convalidated)`

const limitLate = `
  CREATE FUNCTION usage.has_late_entries() RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $body$ SELECT EXISTS (SELECT FROM usage.usage_log_after) $body$;

  -- Reads all of it, and locks for a moment. From then on nothing that is later is taken: that it goes on
  -- for as long as months are made ahead leaves as much time for the rest.
  CREATE FUNCTION usage.limit_late_entries() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
  SET lock_timeout = '500ms' AS $body$
    DECLARE
      starts timestamptz := (SELECT ends_at FROM usage.usage_log_extent);
      newest text COLLATE "C" := (SELECT max(request_id) FROM usage.usage_log_after);
      ends timestamptz := greatest(starts, ${wanted});
    BEGIN
      -- A session that sees no rows would take a partition for an empty one.
      IF ${isEveryone} IS NOT TRUE THEN RAISE 'Only for a session of everyone''s.'; END IF;
      IF newest IS NULL OR ${isProved} THEN RETURN; END IF;
      WHILE usage.lowest_request_id(ends) <= newest LOOP ends := ends + interval '1 month'; END LOOP;
      PERFORM FROM usage.usage_log_extent WHERE ends_at = starts FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
      ALTER TABLE usage.usage_log_after DROP CONSTRAINT IF EXISTS late;
      EXECUTE format('ALTER TABLE usage.usage_log_after ADD CONSTRAINT late
        CHECK (request_id >= %L AND request_id < %L) NOT VALID',
        usage.lowest_request_id(starts), usage.lowest_request_id(ends));
      UPDATE usage.usage_log_extent SET late_until = ends;
    END $body$;

  -- Reads all of it once more, while others read and write.
  CREATE FUNCTION usage.prove_late_entries() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  SET lock_timeout = '5s' AS $body$
    BEGIN
      IF EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = 'usage.usage_log_after'::regclass AND conname = 'late' AND NOT convalidated)
      THEN ALTER TABLE usage.usage_log_after VALIDATE CONSTRAINT late; END IF;
    END $body$;
`

const addMonths = `
  CREATE OR REPLACE FUNCTION usage.add_months(wanted timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $body$
    DECLARE
      starts timestamptz;
      ends timestamptz;
      late_until timestamptz;
      is_proved boolean := ${isProved};
    BEGIN
      SELECT e.ends_at, e.ends_at, e.late_until INTO starts, ends, late_until
        FROM usage.usage_log_extent e;
      IF starts >= wanted OR NOT is_proved AND usage.has_late_entries() THEN RETURN; END IF;
      ALTER TABLE usage.usage_log DETACH PARTITION usage.usage_log_after;
      IF is_proved THEN
        ends := late_until;
        EXECUTE format('ALTER TABLE usage.usage_log_after RENAME TO %I', usage.partition_of(starts));
        EXECUTE format(
          'ALTER TABLE usage.usage_log ATTACH PARTITION usage.%I FOR VALUES FROM (%L) TO (%L)',
          usage.partition_of(starts), usage.lowest_request_id(starts), usage.lowest_request_id(ends));
        EXECUTE format('ALTER TABLE usage.%I DROP CONSTRAINT late', usage.partition_of(starts));
      ELSE
        -- Others may have written entries until this moment; the next run treats them as late ones.
        IF usage.has_late_entries() THEN RAISE lock_not_available; END IF;
        DROP TABLE usage.usage_log_after;
      END IF;
      WHILE ends < wanted LOOP
        starts := ends;
        ends := starts + interval '1 month';
        PERFORM usage.add_partition(usage.partition_of(starts), usage.lowest_request_id(starts),
          usage.lowest_request_id(ends));
      END LOOP;
      PERFORM usage.add_partition('usage_log_after', usage.lowest_request_id(ends), NULL);
      UPDATE usage.usage_log_extent SET ends_at = ends, late_until = NULL;
    END $body$;
`

const keepLog = `
  -- Returns false also when there are late entries that nobody has proved yet.
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
        PERFORM usage.drop_months(now() - make_interval(days => retention_days));
      END IF;
      RETURN (SELECT ends_at >= ${wanted} FROM usage.usage_log_extent);
    EXCEPTION WHEN lock_not_available THEN RETURN false;
    END $body$;
`
