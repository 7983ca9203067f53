-- The gateway's own functions and grants in the schema of pg-boss, in release 1.0.0. Until that release is tagged this
-- file is edited in place; afterwards steps in this folder change it (subgraphs/README.md).

-- Enqueues a job as pg-boss does: the settings of a queue go for its jobs, and a waiting worker is woken.
-- Jobs that failed too often have a queue of their own, which only the worker fills.
CREATE FUNCTION jobs.enqueue(operation text, variables jsonb, at timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
  BEGIN
    INSERT INTO jobs.job (name, data, start_after, keep_until, policy, retry_limit, retry_delay,
      retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter)
    SELECT q.name, variables, at, at + q.retention_seconds * interval '1 s', q.policy,
      q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.expire_seconds,
      q.deletion_seconds, q.dead_letter
    FROM jobs.queue q WHERE q.name = operation AND q.dead_letter IS NOT NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'No queue is named %.', operation; END IF;
    IF at <= now() THEN
      PERFORM pg_notify('pgboss_' || left(encode(sha224('jobs'), 'hex'), 24), operation);
    END IF;
  END $body$;

-- Jobs of these operations that wait or run; those about one thing, if its id is given. It tells when,
-- and nothing of what is in them.
CREATE FUNCTION jobs.unfinished(operations text[], about text DEFAULT NULL)
RETURNS TABLE (due_at timestamptz, is_active boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    SELECT start_after, false FROM jobs.job
    WHERE name = ANY (operations) AND state < 'active' AND (about IS NULL OR data ->> 'id' = about)
    UNION ALL
    SELECT start_after, true FROM jobs.job
    WHERE name = ANY (operations) AND state = 'active' AND (about IS NULL OR data ->> 'id' = about)
  $body$;

-- Jobs that failed too often: those of the queue of dead letters that nobody has retried. Operators see and retry them.
CREATE FUNCTION jobs.dead(most integer)
RETURNS TABLE (id uuid, operation text, variables jsonb, reason text, failed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    SELECT id, source_name, data, source_output ->> 'reason', created_on FROM jobs.job
    WHERE name = 'dead_letter' AND state = 'created' ORDER BY created_on LIMIT most
  $body$;

CREATE FUNCTION jobs.count_dead() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    SELECT count(*) FROM jobs.job WHERE name = 'dead_letter' AND state = 'created'
  $body$;

-- Enqueues the oldest thousand of them again, or those that are named; returns how many.
CREATE FUNCTION jobs.retry_dead(of_id uuid, of_operation text)
RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    WITH dead AS (
      DELETE FROM jobs.job WHERE name = 'dead_letter' AND id IN (
        SELECT j.id FROM jobs.job j JOIN jobs.queue q ON q.name = j.source_name
        WHERE j.name = 'dead_letter' AND j.state = 'created'
          AND (of_id IS NULL OR j.id = of_id) AND (of_operation IS NULL OR j.source_name = of_operation)
        ORDER BY j.created_on LIMIT 1000 FOR UPDATE OF j SKIP LOCKED)
      RETURNING source_name, data
    )
    SELECT count(*) FROM dead, LATERAL (SELECT jobs.enqueue(source_name, data, now())) again
  $body$;

-- Jobs are the worker's: a queue holds lines of the audit trail and events of every account. Requests add to it by
-- functions alone, which are the owner's. A pg-boss with tables that are new needs grants like these.
REVOKE EXECUTE ON FUNCTION jobs.enqueue, jobs.unfinished, jobs.dead, jobs.count_dead, jobs.retry_dead FROM PUBLIC;
GRANT EXECUTE ON FUNCTION jobs.enqueue, jobs.unfinished, jobs.dead, jobs.count_dead, jobs.retry_dead TO gateway_service;
GRANT USAGE ON SCHEMA jobs TO gateway_service, gateway_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA jobs TO gateway_worker;
REVOKE ALL ON jobs.migration FROM gateway_worker;
-- Every process compares these with its build when it starts: names and numbers, no row of an account's.
GRANT SELECT ON jobs.migration, jobs.version, jobs.queue TO gateway_service;
