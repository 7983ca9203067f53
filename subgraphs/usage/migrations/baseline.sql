-- The schema of the usage subgraph in release 1.0.0. Until that release is tagged this file is edited in place;
-- afterwards steps in this folder change the schema (subgraphs/README.md).

-- Functions name each other, in any order.
SET LOCAL check_function_bodies = off;

-- The class of a number of credits: exact up to 128. Above, two numbers share a class when they differ by a
-- 64th of an octave or less.
CREATE FUNCTION usage.credit_class(credits bigint) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (least(credits, 128) + floor(64 * ln(greatest(credits, 128)::float8 / 128) / ln(2::float8)))::smallint;

CREATE FUNCTION usage.chain_of(account_id text, environment text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN coalesce(account_id, '') || '/' || environment;

CREATE FUNCTION usage.shown_actor(actor_kind text, actor_id text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN actor_kind = 'internal' THEN 'internal' ELSE actor_id END;

-- The usage log

CREATE TABLE usage.usage_log (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  ts timestamptz(3) NOT NULL,
  method text NOT NULL,
  endpoint text NOT NULL,
  -- The template of the endpoint, of which there are only so many.
  route text NOT NULL DEFAULT '*',
  service text NOT NULL,
  status smallint NOT NULL,
  credits bigint NOT NULL,
  latency_ms integer NOT NULL,
  trace_id text NOT NULL,
  backend_module text NOT NULL,
  key_id text COLLATE "C",
  status_class smallint NOT NULL GENERATED ALWAYS AS ((status / 100)) STORED,
  credit_class smallint NOT NULL GENERATED ALWAYS AS (usage.credit_class(credits)) STORED,
  -- 0 is the standing epoch of entries that are added to the sums by the statement that records them.
  epoch bigint NOT NULL DEFAULT 0,
  client_id text COLLATE "C",
  -- The external id of the key or app at the time of the call.
  external_id text COLLATE "C",
  end_user text COLLATE "C",
  -- Null means no, so that an entry of a key or token takes no room for it.
  is_session boolean,
  -- Of a request that failed: its code, and what is kept of it, JSON of at most 256 bytes.
  error_code text COLLATE "C",
  error_details text COLLATE "C",
  PRIMARY KEY (account_id, environment, request_id),
  CONSTRAINT usage_log_environment_check1 CHECK (environment IN ('live', 'sandbox')),
  CONSTRAINT usage_log_credits_check1 CHECK (credits >= 0),
  CONSTRAINT usage_log_latency_ms_check1 CHECK (latency_ms >= 0)
) PARTITION BY RANGE (request_id);
-- The job that compares the newest entries of all accounts with the ledger reads by this index.
CREATE INDEX usage_log_ts ON usage.usage_log USING brin (ts) WITH (autosummarize='on');
-- Filters read the newest entries of each kind by these indexes: a filter lets a few kinds through.
CREATE INDEX usage_log_kind ON usage.usage_log (account_id, environment, service, status_class, credit_class, request_id);
CREATE INDEX usage_log_end_user ON usage.usage_log (account_id, environment, end_user, request_id) WHERE end_user IS NOT NULL;
CREATE INDEX usage_log_error ON usage.usage_log (account_id, environment, error_code, request_id) WHERE error_code IS NOT NULL;
CREATE INDEX usage_log_session ON usage.usage_log (account_id, environment, request_id) WHERE is_session;

-- One row. Months have a partition each from `begins_at` to `ends_at`; what is older or newer is in
-- `usage_log_before` and `usage_log_after`. Entries from before `kept_since` are gone.
CREATE TABLE usage.usage_log_extent (
  is_only boolean NOT NULL DEFAULT true,
  begins_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  kept_since timestamptz NOT NULL,
  -- Entries in `usage_log_after` are older than this, once its constraint `late` is valid.
  late_until timestamptz,
  PRIMARY KEY (is_only),
  CHECK (is_only)
);

-- The kinds of entries that the log of an account has.
CREATE TABLE usage.usage_kind (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  service text NOT NULL,
  status_class smallint NOT NULL,
  credit_class smallint NOT NULL,
  PRIMARY KEY (account_id, environment, service, status_class, credit_class),
  CHECK (environment IN ('live', 'sandbox'))
);

-- Epochs and sums

-- The open epochs. Entries of open epochs are in no sum yet; all other entries are.
CREATE TABLE usage.usage_epoch (
  epoch bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  -- No entry of the epoch has a lower id, and none arrived earlier.
  from_id text COLLATE "C" NOT NULL,
  from_at timestamptz(3) NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (epoch)
);

-- Sums of each hour and day by service, for totals, time series and percentiles. "steps" has the requests of each
-- step of latencies, from usage.latency_class -1 on; the last is not 0.
CREATE TABLE usage.usage_service (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  unit text NOT NULL,
  start timestamptz(0) NOT NULL,
  service text NOT NULL,
  requests bigint NOT NULL,
  successes bigint NOT NULL,
  credits bigint NOT NULL,
  steps bigint[] NOT NULL,
  PRIMARY KEY (account_id, environment, unit, start, service),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (unit IN ('hour', 'day'))
) WITH (fillfactor = 70);

-- Sums of each hour and day by endpoint: several times as many rows as by service.
CREATE TABLE usage.usage_endpoint (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  unit text NOT NULL,
  start timestamptz(0) NOT NULL,
  service text NOT NULL,
  endpoint text NOT NULL,
  requests bigint NOT NULL,
  successes bigint NOT NULL,
  credits bigint NOT NULL,
  steps bigint[] NOT NULL,
  PRIMARY KEY (account_id, environment, unit, start, service, endpoint),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (unit IN ('hour', 'day'))
) WITH (fillfactor = 70);

-- The hours in which an endpoint was called.
CREATE INDEX usage_endpoint_endpoint ON usage.usage_endpoint (account_id, environment, unit, endpoint, start);

-- Sums of each hour and day by caller and service. An empty text means none: it can be in a key.
CREATE TABLE usage.usage_key (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  unit text NOT NULL,
  start timestamptz(0) NOT NULL,
  service text NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  is_session boolean NOT NULL,
  requests bigint NOT NULL,
  successes bigint NOT NULL,
  credits bigint NOT NULL,
  -- All entries of the row are between these ids, so that a filter leaves out the rest of the log.
  first_id text COLLATE "C" NOT NULL,
  last_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, environment, unit, start, service, key_id, client_id, external_id, is_session),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (unit IN ('hour', 'day'))
) WITH (fillfactor = 70);
-- Sums of one caller are found by these indexes, whatever the number of callers.
CREATE INDEX usage_key_key ON usage.usage_key (account_id, environment, unit, key_id, start);
CREATE INDEX usage_key_client ON usage.usage_key (account_id, environment, unit, client_id, start) WHERE client_id <> '';
CREATE INDEX usage_key_external ON usage.usage_key (account_id, environment, unit, external_id, start) WHERE external_id <> '';

-- The audit trail

-- The newest event of each chain: who adds to it locks this row first.
CREATE TABLE usage.audit_chain (
  chain text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  environment text NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0,
  last_hash bytea NOT NULL DEFAULT '\x',
  PRIMARY KEY (chain),
  CHECK (chain = usage.chain_of(account_id, environment)),
  CHECK (environment IN ('live', 'sandbox'))
) WITH (fillfactor = 50);

CREATE TABLE usage.audit_event (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  environment text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  actor_kind text NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  actor_role text,
  action text NOT NULL,
  resource_id text COLLATE "C",
  address text,
  request_id text COLLATE "C",
  trace_id text,
  result text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}',
  recorded_at timestamptz(3) NOT NULL DEFAULT now(),
  chain text COLLATE "C" NOT NULL,
  -- An account holder does not learn which token of an internal tool it was.
  shown_actor_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (chain, seq),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (action ~ '^[a-z_]+([.][a-z_]+)+$'),
  CHECK (result ~ '^([a-z_]+|[A-Z_]+)$'),
  CHECK (jsonb_typeof(details) = 'object'),
  CHECK ((actor_kind = 'internal') = (actor_role IS NOT NULL)),
  CHECK (seq > 0),
  CHECK (length(hash) = 32),
  CONSTRAINT audit_event_check1 CHECK (chain = usage.chain_of(account_id, environment)),
  CONSTRAINT audit_event_check2 CHECK (shown_actor_id = usage.shown_actor(actor_kind, actor_id)),
  CONSTRAINT audit_event_actor_kinds CHECK (actor_kind IN ('key', 'oauth_client', 'internal', 'system', 'anonymous', 'session'))
);
-- A trail is read newest first: all events, or the events that one filter lets through.
CREATE INDEX audit_event_newest ON usage.audit_event (chain, occurred_at, id);
CREATE INDEX audit_event_actor ON usage.audit_event (chain, shown_actor_id, occurred_at, id);
CREATE INDEX audit_event_member ON usage.audit_event (chain, (details ->> 'member_id'), occurred_at, id)
  WHERE details ->> 'member_id' IS NOT NULL;
CREATE INDEX audit_event_action ON usage.audit_event (chain, action, occurred_at, id);
CREATE INDEX audit_event_resource ON usage.audit_event (chain, resource_id, occurred_at, id);
CREATE INDEX audit_event_result ON usage.audit_event (chain, result, occurred_at, id);

CREATE TABLE usage.anonymous_failure (
  hour timestamptz(3) NOT NULL,
  environment text NOT NULL,
  -- A v4 address, the /64 network of a v6 one, 'unknown' or 'others'.
  client text COLLATE "C" NOT NULL,
  -- The code of the error that refused the request.
  result text COLLATE "C" NOT NULL,
  failures bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  last_route text NOT NULL,
  last_request_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (hour, environment, client, result),
  CHECK ((EXTRACT(epoch FROM hour) % 3600::numeric) = 0::numeric),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (length(client) >= 1 AND length(client) <= 64),
  CHECK (result ~ '^([a-z_]+|[A-Z_]+)$'),
  CHECK (failures > 0),
  CHECK (length(last_route) <= 200),
  CHECK (length(last_request_id) <= 200)
);

-- Exports

CREATE TABLE usage.audit_export (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  from_at timestamptz(3),
  to_at timestamptz(3),
  service text,
  status_class smallint,
  actor text,
  status text NOT NULL DEFAULT 'queued',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  row_count bigint,
  error text,
  -- How often a worker has begun the export. The number is part of the name of the file: no two workers write
  -- the same one.
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  -- The export belongs to the worker of the last attempt until this time.
  lease_until timestamptz(3),
  -- Null while there is no file, and again when the file is deleted.
  file text,
  kept_until timestamptz(3),
  key_id text,
  client_id text,
  external_id text,
  end_user text,
  sources text[],
  error_code text,
  -- Whether the rows say who has called and why a request failed; null means no.
  is_extended boolean,
  PRIMARY KEY (id),
  CHECK (environment IN ('live', 'sandbox')),
  CHECK (kind IN ('activity', 'requests')),
  CHECK (status_class BETWEEN 1 AND 5),
  CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  CHECK (row_count >= 0),
  CHECK (to_at > from_at),
  CONSTRAINT audit_export_check1 CHECK (kind = 'requests' OR service IS NULL AND status_class IS NULL),
  CONSTRAINT audit_export_check2 CHECK (kind = 'activity' OR actor IS NULL),
  CONSTRAINT audit_export_check3 CHECK ((status = 'failed') = (error IS NOT NULL)),
  CONSTRAINT audit_export_check4 CHECK ((status IN ('completed', 'failed')) = (completed_at IS NOT NULL)),
  CONSTRAINT audit_export_check5 CHECK (file IS NULL OR status = 'completed')
);
CREATE INDEX audit_export_account ON usage.audit_export (account_id, environment, id);
CREATE INDEX audit_export_kept_until ON usage.audit_export (kept_until) WHERE kept_until IS NOT NULL;
CREATE INDEX audit_export_unfinished ON usage.audit_export (account_id, id) WHERE status IN ('queued', 'running');

-- Changes that are made once

CREATE TABLE usage.done_change (
  account_id text COLLATE "C" NOT NULL,
  environment text NOT NULL,
  reference text COLLATE "C" NOT NULL,
  action text NOT NULL,
  request jsonb NOT NULL,
  -- Null only within the transaction that makes the change.
  result jsonb,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, environment, reference),
  CHECK (environment IN ('live', 'sandbox'))
);
CREATE INDEX done_change_expires_at ON usage.done_change (expires_at);

-- Functions

CREATE FUNCTION usage.lowest_request_id(instant timestamptz)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
        SELECT 'req_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
          (ms >> 5 * digit & 31)::integer + 1, 1), '' ORDER BY digit DESC) || repeat('0', 16)
        FROM (SELECT least(greatest(floor(extract(epoch FROM instant) * 1000), 0),
            (1::bigint << 48) - 1)::bigint AS ms) i
          CROSS JOIN generate_series(0, 9) AS digit
      $body$;

-- The step of a latency. Each step is 15 % wider than the one before; less than a millisecond is step -1.
CREATE FUNCTION usage.latency_class(latency_ms integer) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN latency_ms < 1 THEN -1
    ELSE floor(ln(latency_ms::float8) / ln(1.15::float8)) END::smallint;

-- Adds requests to a step in an array of steps, whose first element is step -1.
CREATE FUNCTION usage.add_to_step(steps bigint[], latency_class smallint, requests bigint) RETURNS bigint[]
 LANGUAGE plpgsql
 IMMUTABLE STRICT PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    BEGIN
      IF cardinality(steps) < latency_class + 2 THEN
        steps := steps || array_fill(0::bigint, ARRAY[latency_class + 2 - cardinality(steps)]);
      END IF;
      steps[latency_class + 2] := steps[latency_class + 2] + requests;
      RETURN steps;
    END $body$;

-- An array of steps with the requests of each.
CREATE AGGREGATE usage.count_steps(smallint, bigint) (
  SFUNC = usage.add_to_step, STYPE = bigint[], INITCOND = '{}', PARALLEL = SAFE
);

-- The sum of two arrays of steps, step by step.
CREATE FUNCTION usage.add_steps(one bigint[], other bigint[]) RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE STRICT PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    SELECT array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY step)
    FROM unnest(one, other) WITH ORDINALITY AS s (a, b, step);
  $body$;

CREATE FUNCTION usage.add_partition(name text, from_id text, until_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
        BEGIN
          EXECUTE format('CREATE TABLE usage.%I PARTITION OF usage.usage_log FOR VALUES FROM (%s) TO (%s)
            WITH (autovacuum_analyze_scale_factor = 1, autovacuum_analyze_threshold = 20000)', name,
            coalesce(quote_literal(from_id), 'MINVALUE'), coalesce(quote_literal(until_id), 'MAXVALUE'));
          EXECUTE format($sql$ 
        ALTER TABLE usage.%1$I ENABLE ROW LEVEL SECURITY;
        ALTER TABLE usage.%1$I FORCE ROW LEVEL SECURITY;
        CREATE POLICY tenant ON usage.%1$I
          USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true)); $sql$, name);
        END $body$;

CREATE FUNCTION usage.partition_of(month timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  RETURN 'usage_log_' || to_char(month AT TIME ZONE 'UTC', 'YYYYMM');

CREATE FUNCTION usage.add_months(wanted timestamptz)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $body$
    DECLARE
      starts timestamptz;
      ends timestamptz;
      late_until timestamptz;
      is_proved boolean := EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = 'usage.usage_log_after'::regclass AND conname = 'late' AND convalidated);
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
        -- Other sessions may have written entries until this moment; the next run treats them as late ones.
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

-- Drops the partitions of which nothing need be kept, and what is older than all of them.
CREATE FUNCTION usage.drop_months(until timestamptz)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $body$
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

-- Drops the months of the log that need not be kept, and makes those to come. Entries that are in no sum yet
-- are kept.
CREATE FUNCTION usage.keep_log(retention_days integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '500ms'
AS $body$
    BEGIN
      -- A session that sees no rows would take a partition for an empty one.
      IF current_setting('gateway.account_id', true) = '*' IS NOT TRUE THEN RAISE 'Only for a session of everyone''s.'; END IF;
      IF retention_days <> 0 AND retention_days < 31 THEN
        RAISE 'The usage log is kept for 31 days at least.';
      END IF;
      -- One session works at a time; all others find nothing left to do.
      PERFORM 1 FROM usage.usage_log_extent FOR UPDATE;
      PERFORM usage.add_months(date_trunc('month', now()) + interval '4 months');
      IF retention_days > 0 THEN
        PERFORM usage.drop_months(least(now() - make_interval(days => retention_days),
          (SELECT min(from_at) FROM usage.usage_epoch)));
      END IF;
      RETURN (SELECT ends_at >= date_trunc('month', now()) + interval '4 months' FROM usage.usage_log_extent);
    EXCEPTION WHEN lock_not_available THEN RETURN false;
    END $body$;

-- The text of an event that a hash covers: JSON tells where a member ends, and null from an empty text.
CREATE FUNCTION usage.audit_event_content(
  chain text, seq bigint, id text, account_id text, environment text, occurred_at timestamptz,
  actor_kind text, actor_id text, actor_role text, action text, resource_id text, address text,
  request_id text, trace_id text, result text, details jsonb, recorded_at timestamptz
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN jsonb_build_array(chain, seq, id, account_id, environment,
    (extract(epoch FROM occurred_at) * 1000)::bigint, actor_kind, actor_id, actor_role, action,
    resource_id, address, request_id, trace_id, result, details,
    (extract(epoch FROM recorded_at) * 1000)::bigint)::text;

-- The hash of each event of a run that follows `first`, as a window function.
CREATE FUNCTION usage.follow(hash bytea, first bytea, content text) RETURNS bytea
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN sha256(coalesce(hash, first) || convert_to(content, 'UTF8'));

CREATE AGGREGATE usage.running_hash(first bytea, content text)
  (SFUNC = usage.follow, STYPE = bytea);

-- Records events: one transaction, several statements. The statements behind the lock see all events of those
-- who had the lock before.
CREATE FUNCTION usage.record_audit_events(events jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $body$
  DECLARE
    now_recorded timestamptz(3);
  BEGIN
    INSERT INTO usage.audit_chain (chain, account_id, environment)
      SELECT DISTINCT usage.chain_of(account_id, environment) AS chain, account_id, environment
      FROM jsonb_populate_recordset(NULL::usage.audit_event, events)
      -- Every recording takes this order, so that no two wait for each other.
      ORDER BY chain
      ON CONFLICT DO NOTHING;
    PERFORM FROM usage.audit_chain
      WHERE chain IN (SELECT usage.chain_of(account_id, environment)
        FROM jsonb_populate_recordset(NULL::usage.audit_event, events))
      ORDER BY chain FOR UPDATE;
    now_recorded := clock_timestamp();
    WITH given AS (
      SELECT DISTINCT ON (id) id, account_id, environment, occurred_at, actor_kind, actor_id, actor_role, action,
  resource_id, address, request_id, trace_id, result, details, usage.chain_of(account_id, environment) AS chain
      FROM jsonb_populate_recordset(NULL::usage.audit_event, events) WITH ORDINALITY
      ORDER BY id, ordinality
    ), numbered AS (
      SELECT g.*, c.last_hash, now_recorded AS recorded_at,
        c.last_seq + row_number() OVER (PARTITION BY g.chain ORDER BY g.id) AS seq
      FROM given g JOIN usage.audit_chain c ON c.chain = g.chain
      WHERE NOT EXISTS (SELECT FROM usage.audit_event e WHERE e.id = g.id)
    ), added AS (
      INSERT INTO usage.audit_event (id, account_id, environment, occurred_at, actor_kind, actor_id, actor_role, action,
  resource_id, address, request_id, trace_id, result, details, recorded_at, chain, shown_actor_id, seq, hash)
      SELECT id, account_id, environment, occurred_at, actor_kind, actor_id, actor_role, action,
  resource_id, address, request_id, trace_id, result, details, recorded_at, chain, usage.shown_actor(actor_kind, actor_id), seq,
        usage.running_hash(last_hash, usage.audit_event_content(chain, seq, id, account_id, environment, occurred_at, actor_kind, actor_id, actor_role,
  action, resource_id, address, request_id, trace_id, result, details, recorded_at))
          OVER (PARTITION BY chain ORDER BY seq)
      FROM numbered
      RETURNING chain, seq, hash
    )
    UPDATE usage.audit_chain c SET last_seq = a.seq, last_hash = a.hash
    FROM (SELECT DISTINCT ON (chain) * FROM added ORDER BY chain, seq DESC) a
    WHERE c.chain = a.chain;
  END $body$;

CREATE FUNCTION usage.refuse_rewriting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $body$
      BEGIN
        RAISE EXCEPTION '% is append-only.', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
      END $body$;

-- Text as a cell of RFC 4180 that no spreadsheet takes for a formula.
CREATE FUNCTION usage.csv_cell(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $body$
        SELECT CASE WHEN cell ~ E'[",\\r\\n]' THEN '"' || replace(cell, '"', '""') || '"' ELSE cell END
        FROM (SELECT CASE WHEN value ~ E'^[-=+@\\t\\r]' THEN '''' || value ELSE value END AS cell) c
      $body$;

-- Whether the log has entries that are later than its last month.
CREATE FUNCTION usage.has_late_entries()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$ SELECT EXISTS (SELECT FROM usage.usage_log_after) $body$;

-- Bounds the times of late entries. This reads all of them, and locks the table for a moment. From then on it
-- takes no entry that is later. Months are made far ahead, which leaves as much time for the steps that
-- follow.
CREATE FUNCTION usage.limit_late_entries()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '500ms'
AS $body$
    DECLARE
      starts timestamptz := (SELECT ends_at FROM usage.usage_log_extent);
      newest text COLLATE "C" := (SELECT max(request_id) FROM usage.usage_log_after);
      ends timestamptz := greatest(starts, date_trunc('month', now()) + interval '4 months');
    BEGIN
      -- A session that sees no rows would take a partition for an empty one.
      IF current_setting('gateway.account_id', true) = '*' IS NOT TRUE THEN RAISE 'Only for a session of everyone''s.'; END IF;
      IF newest IS NULL OR EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = 'usage.usage_log_after'::regclass AND conname = 'late' AND convalidated) THEN RETURN; END IF;
      WHILE usage.lowest_request_id(ends) <= newest LOOP ends := ends + interval '1 month'; END LOOP;
      PERFORM FROM usage.usage_log_extent WHERE ends_at = starts FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
      ALTER TABLE usage.usage_log_after DROP CONSTRAINT IF EXISTS late;
      EXECUTE format('ALTER TABLE usage.usage_log_after ADD CONSTRAINT late
        CHECK (request_id >= %L AND request_id < %L) NOT VALID',
        usage.lowest_request_id(starts), usage.lowest_request_id(ends));
      UPDATE usage.usage_log_extent SET late_until = ends;
    END $body$;

-- Proves that all late entries are within their bounds. This reads all of them once more, while others read
-- and write.
CREATE FUNCTION usage.prove_late_entries()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET lock_timeout TO '5s'
AS $body$
    BEGIN
      IF EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = 'usage.usage_log_after'::regclass AND conname = 'late' AND NOT convalidated)
      THEN ALTER TABLE usage.usage_log_after VALIDATE CONSTRAINT late; END IF;
    END $body$;

CREATE FUNCTION usage.count_anonymous_failures(sums jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    WITH given AS (
      SELECT g.*, EXISTS (
        SELECT FROM usage.anonymous_failure a WHERE (a.hour, a.environment, a.client, a.result)
          = (g.hour, g.environment, g.client, g.result)
      ) AS is_known
      FROM jsonb_populate_recordset(NULL::usage.anonymous_failure, sums) g
    ), counted AS (
      SELECT h.hour, (SELECT count(*) FROM usage.anonymous_failure a WHERE a.hour = h.hour) AS rows
      FROM (SELECT DISTINCT hour FROM given) h
    ), placed AS (
      -- A new client that finds the hour full is one of the others; the loudest come first.
      SELECT g.*, CASE WHEN g.is_known OR c.rows + row_number()
          OVER (PARTITION BY g.hour, g.is_known ORDER BY g.failures DESC) <= 2000
        THEN g.client ELSE 'others' END AS shown
      FROM given g JOIN counted c USING (hour)
    )
    INSERT INTO usage.anonymous_failure AS a (hour, environment, client, result, failures,
      first_at, last_at, last_route, last_request_id)
    SELECT hour, environment, shown, result, sum(failures), min(first_at), max(last_at),
      (array_agg(last_route ORDER BY last_at DESC))[1],
      (array_agg(last_request_id ORDER BY last_at DESC))[1]
    FROM placed GROUP BY hour, environment, shown, result
    ORDER BY hour, environment, shown, result
    ON CONFLICT (hour, environment, client, result) DO UPDATE SET failures = a.failures + excluded.failures,
      first_at = least(a.first_at, excluded.first_at),
      last_at = greatest(a.last_at, excluded.last_at),
      last_route = CASE WHEN excluded.last_at >= a.last_at
        THEN excluded.last_route ELSE a.last_route END,
      last_request_id = CASE WHEN excluded.last_at >= a.last_at
        THEN excluded.last_request_id ELSE a.last_request_id END;
  $body$;

-- Deletes the oldest rows first; returns how many.
CREATE FUNCTION usage.forget_anonymous_failures(at_most integer)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $body$
    WITH forgotten AS (
      DELETE FROM usage.anonymous_failure WHERE (hour, environment, client, result) IN (
        SELECT hour, environment, client, result FROM usage.anonymous_failure
        WHERE hour < now() - interval '30 days' ORDER BY hour, environment, client, result LIMIT at_most
        FOR UPDATE SKIP LOCKED
      ) RETURNING 1
    ) SELECT count(*) FROM forgotten;
  $body$;

-- Ends an epoch, and adds its entries to the sums: by endpoint, by key, and then by service.
CREATE FUNCTION usage.fold_epoch(ending bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET work_mem TO '64MB'
 SET jit TO 'off'
AS $body$
    DECLARE
      first_id text COLLATE "C";
      first_at timestamptz;
    BEGIN
      -- A session that sees no rows would end an epoch without adding anything.
      IF current_setting('gateway.account_id', true) = '*' IS NOT TRUE THEN RAISE 'Only for a session of everyone''s.'; END IF;
      PERFORM pg_advisory_xact_lock(7462004);
      -- The lock waits for recordings in the epoch. The statement below sees their entries in a newer snapshot.
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
          endpoint, requests, successes, credits, steps)
        SELECT account_id, environment, unit, date_trunc(unit, hour) AS start, service,
          method || ' ' || route AS endpoint, sum(requests),
          coalesce(sum(requests) FILTER (WHERE status_class < 4), 0), sum(credits),
          usage.count_steps(latency_class, requests)
        FROM entries CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
        GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (account_id, environment, unit, start, service, endpoint)
        DO UPDATE SET requests = e.requests + excluded.requests,
          successes = e.successes + excluded.successes, credits = e.credits + excluded.credits,
          steps = usage.add_steps(e.steps, excluded.steps)
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
      INSERT INTO usage.usage_service AS s (account_id, environment, unit, start, service,
        requests, successes, credits, steps)
      SELECT account_id, environment, unit, date_trunc(unit, hour) AS start, service,
        sum(requests), coalesce(sum(requests) FILTER (WHERE status_class < 4), 0), sum(credits),
        usage.count_steps(latency_class, requests)
      FROM entries CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit)
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (account_id, environment, unit, start, service)
      DO UPDATE SET requests = s.requests + excluded.requests,
        successes = s.successes + excluded.successes, credits = s.credits + excluded.credits,
        steps = usage.add_steps(s.steps, excluded.steps);
      RETURN true;
    END $body$;

-- Triggers

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON usage.audit_event
  FOR EACH ROW EXECUTE FUNCTION usage.refuse_rewriting();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON usage.audit_event
  FOR EACH STATEMENT EXECUTE FUNCTION usage.refuse_rewriting();
CREATE TRIGGER never_removed BEFORE DELETE ON usage.audit_chain
  FOR EACH ROW EXECUTE FUNCTION usage.refuse_rewriting();
CREATE TRIGGER never_removed_whole BEFORE TRUNCATE ON usage.audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION usage.refuse_rewriting();
CREATE TRIGGER only_forward BEFORE UPDATE ON usage.audit_chain
  FOR EACH ROW WHEN (new.last_seq <= old.last_seq OR new.chain <> old.chain) EXECUTE FUNCTION usage.refuse_rewriting();

-- Policies: a statement sees the rows of one account only, its owner's statements too. The policy asks for '*'
-- (all tenants) once for each statement, so batches stay fast.

ALTER TABLE usage.usage_service ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.audit_event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.usage_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.usage_kind ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.usage_endpoint ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.audit_chain ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.audit_export ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.done_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.anonymous_failure ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE usage.usage_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY tenant ON usage.usage_service
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.audit_event
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.usage_log
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.usage_kind
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.usage_endpoint
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.audit_chain
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.audit_export
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY tenant ON usage.done_change
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));
CREATE POLICY nobodys ON usage.anonymous_failure
  USING ((SELECT current_setting('gateway.account_id', true) = '*'));
CREATE POLICY tenant ON usage.usage_key
  USING ((SELECT current_setting('gateway.account_id', true) = '*') OR account_id = current_setting('gateway.account_id', true));

-- Grants

REVOKE EXECUTE ON FUNCTION usage.add_partition, usage.add_months, usage.drop_months, usage.keep_log,
  usage.record_audit_events, usage.has_late_entries, usage.limit_late_entries,
  usage.prove_late_entries, usage.count_anonymous_failures, usage.forget_anonymous_failures FROM PUBLIC;
GRANT USAGE ON SCHEMA usage TO gateway_service;
GRANT SELECT, INSERT, UPDATE ON usage.usage_service, usage.usage_endpoint, usage.usage_key TO gateway_service;
GRANT SELECT ON usage.audit_event, usage.usage_log_extent, usage.audit_chain,
  usage.anonymous_failure TO gateway_service;
GRANT SELECT, INSERT ON usage.usage_log, usage.usage_kind TO gateway_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON usage.audit_export, usage.done_change, usage.usage_epoch TO gateway_service;
GRANT EXECUTE ON FUNCTION usage.keep_log, usage.record_audit_events, usage.has_late_entries,
  usage.limit_late_entries, usage.prove_late_entries, usage.count_anonymous_failures,
  usage.forget_anonymous_failures TO gateway_service;

-- The log begins with this month.

INSERT INTO usage.usage_log_extent (begins_at, ends_at, kept_since)
  VALUES (date_trunc('month', now(), 'UTC'), date_trunc('month', now(), 'UTC'), '-infinity');
SELECT usage.add_partition('usage_log_before', NULL, usage.lowest_request_id(begins_at)),
  usage.add_partition('usage_log_after', usage.lowest_request_id(begins_at), NULL)
FROM usage.usage_log_extent;
SELECT usage.keep_log(0);
