import { Migration } from '@mikro-orm/migrations'
import { isEveryone } from '../../shared/database/tenant.ts'

/** The most rows of an hour: the failures of further clients are in the rows of `others`. */
const maxRowsPerHour = 2000
const retentionDays = 30

/** The order in which every process touches rows: no two wait for each other. */
const key = 'hour, environment, client, result'

/**
 * Refusals of callers that nobody knows, as sums of an hour and client: beside the audit trail, because
 * anybody can cause them. The service adds to the sums and forgets old ones, and can do nothing else.
 */
export class AnonymousFailures0012 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE usage.anonymous_failure (
        hour timestamptz(3) NOT NULL CHECK (extract(epoch FROM hour) % 3600 = 0),
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        -- A v4 address, the /64 network of a v6 one, 'unknown' or 'others'.
        client text COLLATE "C" NOT NULL CHECK (length(client) BETWEEN 1 AND 64),
        -- The code of the error.
        result text COLLATE "C" NOT NULL CHECK (result ~ '^([a-z_]+|[A-Z_]+)$'),
        failures bigint NOT NULL CHECK (failures > 0),
        first_at timestamptz(3) NOT NULL,
        last_at timestamptz(3) NOT NULL,
        last_route text NOT NULL CHECK (length(last_route) <= 200),
        last_request_id text COLLATE "C" NOT NULL CHECK (length(last_request_id) <= 200),
        PRIMARY KEY (${key})
      );
      ALTER TABLE usage.anonymous_failure ENABLE ROW LEVEL SECURITY;
      ALTER TABLE usage.anonymous_failure FORCE ROW LEVEL SECURITY;
      CREATE POLICY nobodys ON usage.anonymous_failure USING ((SELECT ${isEveryone}));
      GRANT SELECT ON usage.anonymous_failure TO gateway_service;`)
    this.addSql(count)
    this.addSql(forget)
    this.addSql(`
      REVOKE ALL ON FUNCTION usage.count_anonymous_failures FROM PUBLIC;
      REVOKE ALL ON FUNCTION usage.forget_anonymous_failures FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION usage.count_anonymous_failures TO gateway_service;
      GRANT EXECUTE ON FUNCTION usage.forget_anonymous_failures TO gateway_service;`)
  }
}

const count = `
  CREATE FUNCTION usage.count_anonymous_failures(sums jsonb) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
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
          OVER (PARTITION BY g.hour, g.is_known ORDER BY g.failures DESC) <= ${maxRowsPerHour}
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
    ON CONFLICT (${key}) DO UPDATE SET failures = a.failures + excluded.failures,
      first_at = least(a.first_at, excluded.first_at),
      last_at = greatest(a.last_at, excluded.last_at),
      last_route = CASE WHEN excluded.last_at >= a.last_at
        THEN excluded.last_route ELSE a.last_route END,
      last_request_id = CASE WHEN excluded.last_at >= a.last_at
        THEN excluded.last_request_id ELSE a.last_request_id END;
  $body$;`

const forget = `
  -- The oldest first; returns how many.
  CREATE FUNCTION usage.forget_anonymous_failures(at_most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    WITH forgotten AS (
      DELETE FROM usage.anonymous_failure WHERE (${key}) IN (
        SELECT ${key} FROM usage.anonymous_failure
        WHERE hour < now() - interval '${retentionDays} days' ORDER BY ${key} LIMIT at_most
        FOR UPDATE SKIP LOCKED
      ) RETURNING 1
    ) SELECT count(*) FROM forgotten;
  $body$;`
