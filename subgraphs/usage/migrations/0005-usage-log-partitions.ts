import { Migration } from '@mikro-orm/migrations'
import { isEveryone, isolateTenants } from '../../shared/database/tenant.ts'

/** The least that can be kept, in days: what is compared with the ledger all the time is there. */
const minRetentionDays = 31

/** For `format`, with the partition's name. */
export const securePartition = isolateTenants('usage', ['%1$I'])

/**
 * The usage log in partitions of a month, by the time that a request id starts with; the roll-ups that
 * summaries need; and what finds the entries of a filter without looking at the others.
 */
export class UsageLogPartitions0005 extends Migration {
  override up(): void {
    this.addSql(classes)
    this.addSql(partitionedLog)
    this.addSql(keepLog)
    this.addSql(rollUps)
    this.addSql(moveEntries)
  }
}

const classes = `
  -- As \`lowestId\` (schema/vocabulary/ids.ts) says it.
  CREATE FUNCTION usage.lowest_request_id(instant timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $body$
    SELECT 'req_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
      (floor(extract(epoch FROM instant) * 1000)::bigint >> 5 * digit & 31)::integer + 1, 1), ''
      ORDER BY digit DESC) || repeat('0', 16)
    FROM generate_series(0, 9) AS digit
  $body$;

  -- Exact up to 128; above, two share a class when they differ by a 64th of an octave or less.
  CREATE FUNCTION usage.credit_class(credits bigint) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (least(credits, 128) + floor(64 * ln(greatest(credits, 128)::float8 / 128) / ln(2::float8)))::smallint;

  -- The steps of latencies: each 15 % wider than the one before. Less than a millisecond is -1.
  CREATE FUNCTION usage.latency_class(latency_ms integer) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN latency_ms < 1 THEN -1
    ELSE floor(ln(latency_ms::float8) / ln(1.15::float8)) END::smallint;

  -- The latency that stands for a step: at most a tenth off any latency in it.
  CREATE FUNCTION usage.latency_of_class(class smallint) RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN class < 0 THEN 0 ELSE round(power(1.15::float8, class + 0.5)) END::integer;
`

const partitionedLog = `
  ALTER TABLE usage.usage_log RENAME TO usage_log_whole;
  ALTER TABLE usage.usage_log_whole RENAME CONSTRAINT usage_log_pkey TO usage_log_whole_pkey;
  ALTER INDEX usage.usage_log_ts RENAME TO usage_log_whole_ts;

  CREATE TABLE usage.usage_log (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    request_id text COLLATE "C" NOT NULL,
    ts timestamptz(3) NOT NULL,
    method text NOT NULL,
    endpoint text NOT NULL,
    -- The endpoint's template: of these there are only so many.
    route text NOT NULL DEFAULT '*',
    service text NOT NULL,
    status smallint NOT NULL,
    credits bigint NOT NULL CHECK (credits >= 0),
    latency_ms integer NOT NULL CHECK (latency_ms >= 0),
    trace_id text NOT NULL,
    backend_module text NOT NULL,
    key_id text COLLATE "C",
    status_class smallint NOT NULL GENERATED ALWAYS AS (status / 100) STORED,
    credit_class smallint NOT NULL GENERATED ALWAYS AS (usage.credit_class(credits)) STORED,
    PRIMARY KEY (account_id, environment, request_id)
  ) PARTITION BY RANGE (request_id);

  -- For what compares the newest entries of all accounts with the ledger.
  CREATE INDEX usage_log_ts ON usage.usage_log USING brin (ts) WITH (autosummarize = on);
  -- The newest of each kind: a filter is a few kinds.
  CREATE INDEX usage_log_kind ON usage.usage_log
    (account_id, environment, service, status_class, credit_class, request_id);
  GRANT SELECT, INSERT ON usage.usage_log TO gateway_service;

  -- Which kinds of entries a log has.
  CREATE TABLE usage.usage_kind (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    service text NOT NULL,
    status_class smallint NOT NULL,
    credit_class smallint NOT NULL,
    PRIMARY KEY (account_id, environment, service, status_class, credit_class)
  );
  GRANT SELECT, INSERT ON usage.usage_kind TO gateway_service;

  -- One row. Months have a partition each from \`begins_at\` to \`ends_at\`; what is older or newer is in
  -- \`usage_log_before\` and \`usage_log_after\`. Entries from before \`kept_since\` are gone.
  CREATE TABLE usage.usage_log_extent (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    begins_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    kept_since timestamptz NOT NULL
  );
  GRANT SELECT ON usage.usage_log_extent TO gateway_service;

  ${isolateTenants('usage', ['usage_log', 'usage_kind'])}
`

/** How many months have their partition ahead of time. */
const monthsAhead = 3

const keepLog = `
  -- A partition that is read by its own name shows one account's rows, as the whole table does.
  CREATE FUNCTION usage.add_partition(name text, from_id text, until_id text) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      EXECUTE format(
        'CREATE TABLE usage.%I PARTITION OF usage.usage_log FOR VALUES FROM (%s) TO (%s)', name,
        coalesce(quote_literal(from_id), 'MINVALUE'), coalesce(quote_literal(until_id), 'MAXVALUE'));
      EXECUTE format($sql$ ${securePartition} $sql$, name);
    END $body$;

  CREATE FUNCTION usage.partition_of(month timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  RETURN 'usage_log_' || to_char(month AT TIME ZONE 'UTC', 'YYYYMM');

  -- Entries after the last month, which came because nobody had added months, stay where they are:
  -- their partition becomes one of several months.
  CREATE FUNCTION usage.add_months(wanted timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $body$
    DECLARE
      starts timestamptz := (SELECT ends_at FROM usage.usage_log_extent);
      ends timestamptz := starts;
      newest text COLLATE "C";
    BEGIN
      IF starts >= wanted THEN RETURN; END IF;
      ALTER TABLE usage.usage_log DETACH PARTITION usage.usage_log_after;
      SELECT max(request_id) INTO newest FROM usage.usage_log_after;
      IF newest IS NULL THEN
        DROP TABLE usage.usage_log_after;
      ELSE
        WHILE usage.lowest_request_id(ends) <= newest LOOP ends := ends + interval '1 month'; END LOOP;
        EXECUTE format('ALTER TABLE usage.usage_log_after RENAME TO %I', usage.partition_of(starts));
        EXECUTE format(
          'ALTER TABLE usage.usage_log ATTACH PARTITION usage.%I FOR VALUES FROM (%L) TO (%L)',
          usage.partition_of(starts), usage.lowest_request_id(starts), usage.lowest_request_id(ends));
      END IF;
      WHILE ends < wanted LOOP
        starts := ends;
        ends := starts + interval '1 month';
        PERFORM usage.add_partition(usage.partition_of(starts), usage.lowest_request_id(starts),
          usage.lowest_request_id(ends));
      END LOOP;
      PERFORM usage.add_partition('usage_log_after', usage.lowest_request_id(ends), NULL);
      UPDATE usage.usage_log_extent SET ends_at = ends;
    END $body$;

  -- Partitions of which nothing need be kept, and what is older than all of them.
  CREATE FUNCTION usage.drop_months(until timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $body$
    DECLARE
      extent usage.usage_log_extent := (SELECT e FROM usage.usage_log_extent e);
      first timestamptz;
      month text;
    BEGIN
      SELECT max(start) INTO first FROM (
        SELECT to_timestamp(right(c.relname, 6), 'YYYYMM') AS start FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'usage.usage_log'::regclass AND c.relname ~ '^usage_log_[0-9]{6}$'
        UNION ALL SELECT extent.ends_at
      ) s WHERE start <= until;
      IF first IS NULL OR first <= extent.kept_since THEN RETURN; END IF;
      DROP TABLE usage.usage_log_before;
      FOR month IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'usage.usage_log'::regclass AND c.relname ~ '^usage_log_[0-9]{6}$'
          AND to_timestamp(right(c.relname, 6), 'YYYYMM') < first
      LOOP EXECUTE format('DROP TABLE usage.%I', month); END LOOP;
      PERFORM usage.add_partition('usage_log_before', NULL, usage.lowest_request_id(first));
      UPDATE usage.usage_log_extent SET begins_at = first, kept_since = first;
    END $body$;

  REVOKE EXECUTE ON FUNCTION usage.add_partition, usage.add_months, usage.drop_months FROM PUBLIC;

  -- For the service, which owns nothing: months ahead, and no more than it may be told to forget.
  -- Returns false when somebody was reading or writing for too long: the caller calls again.
  CREATE FUNCTION usage.keep_log(retention_days integer) RETURNS boolean
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
      PERFORM usage.add_months(date_trunc('month', now()) + interval '${monthsAhead + 1} months');
      IF retention_days > 0 THEN
        PERFORM usage.drop_months(now() - make_interval(days => retention_days));
      END IF;
      RETURN true;
    EXCEPTION WHEN lock_not_available THEN RETURN false;
    END $body$;
  REVOKE EXECUTE ON FUNCTION usage.keep_log FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION usage.keep_log TO gateway_service;
`

const rollUps = `
  -- Sums of each hour and day by endpoint and step of latency, for time series and percentiles.
  CREATE TABLE usage.usage_endpoint (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    unit text NOT NULL CHECK (unit IN ('hour', 'day')),
    start timestamptz(0) NOT NULL,
    service text NOT NULL,
    endpoint text NOT NULL,
    latency_class smallint NOT NULL,
    requests bigint NOT NULL,
    successes bigint NOT NULL,
    credits bigint NOT NULL,
    PRIMARY KEY (account_id, environment, unit, start, service, endpoint, latency_class)
  ) WITH (fillfactor = 70);
  GRANT SELECT, INSERT, UPDATE ON usage.usage_endpoint TO gateway_service;
  ${isolateTenants('usage', ['usage_endpoint'])}
`

const moveEntries = `
  INSERT INTO usage.usage_log_extent (begins_at, ends_at, kept_since)
    SELECT month, month, '-infinity' FROM (
      SELECT date_trunc('month', coalesce(min(ts), now()), 'UTC') AS month FROM usage.usage_log_whole
    ) oldest;
  SELECT usage.add_partition('usage_log_before', NULL, usage.lowest_request_id(begins_at)),
    usage.add_partition('usage_log_after', usage.lowest_request_id(begins_at), NULL)
    FROM usage.usage_log_extent;
  SELECT usage.keep_log(0);

  INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
      status, credits, latency_ms, trace_id, backend_module, key_id)
    SELECT account_id, environment, request_id, ts, method, endpoint, service, status, credits,
      latency_ms, trace_id, backend_module, key_id FROM usage.usage_log_whole;
  DROP TABLE usage.usage_log_whole;
  INSERT INTO usage.usage_kind
    SELECT DISTINCT account_id, environment, service, status_class, credit_class
    FROM usage.usage_log;
  INSERT INTO usage.usage_endpoint
    SELECT account_id, environment, i.name, date_trunc(i.name, ts, 'UTC'), service,
      method || ' ' || route, usage.latency_class(latency_ms), count(*),
      count(*) FILTER (WHERE status < 400), sum(credits)
    FROM usage.usage_log CROSS JOIN (VALUES ('hour'), ('day')) AS i (name) GROUP BY 1, 2, 3, 4, 5, 6, 7;
`
