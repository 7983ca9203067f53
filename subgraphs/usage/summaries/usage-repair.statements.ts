import type { Statement } from '../../shared/database/database.ts'
import { addToKeys, callerColumns } from '../callers/caller-columns.ts'
import { isInSums } from '../recording/usage-epoch.service.ts'

/** Entries of one log: $1 account, $2 environment, ids from $3 to $4, arrived from $5 to $6. */
const ofSpan = `account_id = $1 AND environment = $2 AND request_id >= $3 AND request_id < $4
  AND ts >= $5 AND ts < $6`

export const addKinds: Statement = {
  name: 'usage-repair-kinds',
  text: `
    WITH added AS (
      INSERT INTO usage.usage_kind (account_id, environment, service, status_class, credit_class)
      SELECT DISTINCT account_id, environment, service, status_class, credit_class
      FROM usage.usage_log WHERE ${ofSpan} ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT DO NOTHING RETURNING 1
    ) SELECT count(*)::int AS count FROM added`,
}

/**
 * Inserts the difference between `whole` and the sums, in the order in which recording inserts: so
 * no two transactions wait for each other.
 */
const addMissing = `
  added AS (
    INSERT INTO usage.usage_endpoint AS e (account_id, environment, unit, start, service, endpoint,
      latency_class, requests, successes, credits)
    SELECT account_id, environment, unit, start, service, endpoint, latency_class,
      w.requests - coalesce(s.requests, 0), w.successes - coalesce(s.successes, 0),
      w.credits - coalesce(s.credits, 0)
    FROM whole w LEFT JOIN usage.usage_endpoint s
      USING (account_id, environment, unit, start, service, endpoint, latency_class)
    WHERE w.requests > coalesce(s.requests, 0)
    ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (account_id, environment, unit, start, service, endpoint, latency_class)
    DO UPDATE SET requests = e.requests + excluded.requests,
      successes = e.successes + excluded.successes, credits = e.credits + excluded.credits
    RETURNING 1
  ) SELECT count(*)::int AS count FROM added`

/** Of each hour, from the log. */
export const addHours: Statement = {
  name: 'usage-repair-hour-sums',
  text: `
    WITH whole AS (
      SELECT account_id, environment, 'hour' AS unit,
        date_trunc('hour', ts, 'UTC')::timestamptz(0) AS start, service,
        method || ' ' || route AS endpoint, usage.latency_class(latency_ms) AS latency_class,
        count(*) AS requests, count(*) FILTER (WHERE status < 400) AS successes,
        sum(credits)::bigint AS credits
      FROM usage.usage_log WHERE ${ofSpan} AND ${isInSums} GROUP BY 1, 2, 3, 4, 5, 6, 7
    ), ${addMissing}`,
}

/** Adds the sums of each day from its hours. The hours of the repaired span are complete by then. */
export const addDays: Statement = {
  name: 'usage-repair-day-sums',
  text: `
    WITH whole AS (
      SELECT account_id, environment, 'day' AS unit,
        date_trunc('day', start, 'UTC')::timestamptz(0) AS start, service, endpoint, latency_class,
        sum(requests)::bigint AS requests, sum(successes)::bigint AS successes,
        sum(credits)::bigint AS credits
      FROM usage.usage_endpoint
      WHERE account_id = $1 AND environment = $2 AND unit = 'hour' AND start >= $3 AND start < $4
      GROUP BY 1, 2, 3, 4, 5, 6, 7
    ), ${addMissing}`,
}

/** The same for the sums by key. */
const addMissingKeys = `
  added AS (${addToKeys(`
    SELECT account_id, environment, unit, start, service, key_id, client_id, external_id, is_session,
      w.requests - coalesce(s.requests, 0), w.successes - coalesce(s.successes, 0),
      w.credits - coalesce(s.credits, 0), w.first_id, w.last_id
    FROM whole w LEFT JOIN usage.usage_key s USING (account_id, environment, unit, start, service,
      key_id, client_id, external_id, is_session)
    WHERE w.requests > coalesce(s.requests, 0)
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9`)}
    RETURNING 1
  ) SELECT count(*)::int AS count FROM added`

/** Of each hour, from the log. */
export const addKeyHours: Statement = {
  name: 'usage-repair-key-hours',
  text: `
    WITH whole AS (
      SELECT account_id, environment, 'hour' AS unit,
        date_trunc('hour', ts, 'UTC')::timestamptz(0) AS start, service, ${callerColumns},
        count(*) AS requests, count(*) FILTER (WHERE status < 400) AS successes,
        sum(credits)::bigint AS credits, min(request_id) AS first_id, max(request_id) AS last_id
      FROM usage.usage_log WHERE ${ofSpan} AND ${isInSums} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
    ), ${addMissingKeys}`,
}

/** Adds the sums of each key and day from its hours. The hours of the repaired span are complete by then. */
export const addKeyDays: Statement = {
  name: 'usage-repair-key-days',
  text: `
    WITH whole AS (
      SELECT account_id, environment, 'day' AS unit,
        date_trunc('day', start, 'UTC')::timestamptz(0) AS start, service, key_id, client_id,
        external_id, is_session, sum(requests)::bigint AS requests,
        sum(successes)::bigint AS successes, sum(credits)::bigint AS credits,
        min(first_id) AS first_id, max(last_id) AS last_id
      FROM usage.usage_key
      WHERE account_id = $1 AND environment = $2 AND unit = 'hour' AND start >= $3 AND start < $4
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
    ), ${addMissingKeys}`,
}
