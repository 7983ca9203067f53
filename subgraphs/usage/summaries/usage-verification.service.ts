import type { Database, Statement } from '../../shared/database/database.ts'
import { callerColumns } from '../callers/caller-columns.ts'
import { isInSums } from '../recording/usage-epoch.service.ts'
import type { UsageAudit, UsageDrift } from './usage-verification.type.ts'

const maxDrifts = 100

/** Deleted entries are only in the sums. */
const keptSince = '(SELECT kept_since FROM usage.usage_log_extent)'

const serviceDrifts = `
  SELECT account_id AS "accountId", environment,
    format('usage_service has %s requests, %s successes and %s credits of %s, step %s, in the %s of %s, the log %s, %s and %s',
      coalesce(s.requests, 0), coalesce(s.successes, 0), coalesce(s.credits, 0), service,
      latency_class, unit, start, coalesce(l.requests, 0), coalesce(l.successes, 0),
      coalesce(l.credits, 0)) AS problem
  FROM (
    SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC')::timestamptz(0) AS start,
      service, usage.latency_class(latency_ms) AS latency_class, count(*) AS requests,
      count(*) FILTER (WHERE status < 400) AS successes, sum(credits)::bigint AS credits
    FROM usage.usage_log CROSS JOIN (VALUES ('hour'), ('day')) AS u (unit)
    WHERE ts >= ${keptSince} AND ${isInSums} GROUP BY 1, 2, 3, 4, 5, 6
  ) l FULL JOIN (SELECT * FROM usage.usage_service WHERE start >= ${keptSince}) s
    USING (account_id, environment, unit, start, service, latency_class)
  WHERE (l.requests, l.successes, l.credits) IS DISTINCT FROM (s.requests, s.successes, s.credits)`

const endpointDrifts = `
  SELECT account_id, environment,
    format('usage_endpoint has %s requests, %s successes and %s credits of %s of %s, step %s, in the %s of %s, the log %s, %s and %s',
      coalesce(e.requests, 0), coalesce(e.successes, 0), coalesce(e.credits, 0), endpoint, service,
      latency_class, unit, start, coalesce(l.requests, 0), coalesce(l.successes, 0),
      coalesce(l.credits, 0)) AS problem
  FROM (
    SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC')::timestamptz(0) AS start,
      service, method || ' ' || route AS endpoint, usage.latency_class(latency_ms) AS latency_class,
      count(*) AS requests, count(*) FILTER (WHERE status < 400) AS successes,
      sum(credits)::bigint AS credits
    FROM usage.usage_log CROSS JOIN (VALUES ('hour'), ('day')) AS u (unit)
    WHERE ts >= ${keptSince} AND ${isInSums} GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) l FULL JOIN (SELECT * FROM usage.usage_endpoint WHERE start >= ${keptSince}) e
    USING (account_id, environment, unit, start, service, endpoint, latency_class)
  WHERE (l.requests, l.successes, l.credits) IS DISTINCT FROM (e.requests, e.successes, e.credits)`

const keyDrifts = `
  SELECT account_id, environment,
    format('usage_key has %s requests, %s successes and %s credits of key "%s", client "%s" and external id "%s" of %s in the %s of %s, the log %s, %s and %s',
      coalesce(k.requests, 0), coalesce(k.successes, 0), coalesce(k.credits, 0), key_id, client_id,
      external_id, service, unit, start, coalesce(l.requests, 0), coalesce(l.successes, 0),
      coalesce(l.credits, 0)) AS problem
  FROM (
    SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC')::timestamptz(0) AS start,
      service, ${callerColumns}, count(*) AS requests,
      count(*) FILTER (WHERE status < 400) AS successes, sum(credits)::bigint AS credits
    FROM usage.usage_log CROSS JOIN (VALUES ('hour'), ('day')) AS u (unit)
    WHERE ts >= ${keptSince} AND ${isInSums} GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
  ) l FULL JOIN (SELECT * FROM usage.usage_key WHERE start >= ${keptSince}) k
    USING (account_id, environment, unit, start, service, key_id, client_id, external_id, is_session)
  WHERE (l.requests, l.successes, l.credits) IS DISTINCT FROM (k.requests, k.successes, k.credits)`

/** A filter would not find these. Kinds without entries do no harm. */
const missingKinds = `
  SELECT DISTINCT account_id, environment,
    format('usage_kind lacks %s %sxx of credit class %s', service, status_class, credit_class)
  FROM usage.usage_log l
  WHERE NOT EXISTS (
    SELECT FROM usage.usage_kind k
    WHERE (k.account_id, k.environment, k.service, k.status_class, k.credit_class)
      = (l.account_id, l.environment, l.service, l.status_class, l.credit_class)
  )`

const countEntries: Statement = {
  name: 'usage-entries-counted',
  text: 'SELECT count(*) AS entries FROM usage.usage_log',
}

const allDrifts: Statement = {
  name: 'usage-drifts',
  text: `${[serviceDrifts, endpointDrifts, keyDrifts, missingKinds]
    .map((sql) => `(${sql})`)
    .join(' UNION ALL ')} LIMIT ${maxDrifts}`,
}

/** Adds up the whole log again, at one instant, beside running requests: PostgreSQL sorts on disk. */
export function verifyUsage(database: Database): Promise<UsageAudit> {
  return database.readLong(async (read) => {
    const [count] = await read<{ entries: number }>(countEntries, [])
    const drifts = await read<UsageDrift>(allDrifts, [])
    return { entries: count?.entries ?? 0, drifts }
  })
}
