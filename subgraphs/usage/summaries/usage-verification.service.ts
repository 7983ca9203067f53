import type { Database, Statement } from '../../shared/database/database.ts'
import { callerColumns } from '../callers/caller-columns.ts'
import { isInSums } from '../recording/usage-epoch.service.ts'
import type { UsageAudit, UsageDrift } from './usage-verification.type.ts'

const maxDrifts = 100

/** The time from which the log is compared: of earlier entries only the sums are left. */
const keptSince = '(SELECT kept_since FROM usage.usage_log_extent)'

/**
 * The drifts of a table whose rows have steps of latencies. `columns` says what a row is about, and how the
 * log says it.
 */
function driftsOfSteps(
  table: string,
  columns: Readonly<Record<string, string>>,
  named: string,
): string {
  const names = ['account_id', 'environment', 'unit', 'start', ...Object.keys(columns)].join(', ')
  const places = Object.keys(columns).map((_, index) => index + 5)
  const selected = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`)
  return `
  SELECT account_id AS "accountId", environment,
    format('${table} has %s requests, %s successes, %s credits and steps %s of ${named} in the %s of %s, the log %s, %s, %s and %s',
      coalesce(s.requests, 0), coalesce(s.successes, 0), coalesce(s.credits, 0), coalesce(s.steps, '{}'),
      ${Object.keys(columns).join(', ')}, unit, start, coalesce(l.requests, 0),
      coalesce(l.successes, 0), coalesce(l.credits, 0), coalesce(l.steps, '{}')) AS problem
  FROM (
    SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC')::timestamptz(0) AS start,
      ${selected.join(', ')}, count(*) AS requests,
      count(*) FILTER (WHERE status < 400) AS successes, sum(credits)::bigint AS credits,
      usage.count_steps(usage.latency_class(latency_ms), 1) AS steps
    FROM usage.usage_log CROSS JOIN (VALUES ('hour'), ('day')) AS u (unit)
    WHERE ts >= ${keptSince} AND ${isInSums} GROUP BY 1, 2, 3, 4, ${places.join(', ')}
  ) l FULL JOIN (SELECT * FROM usage.${table} WHERE start >= ${keptSince}) s USING (${names})
  WHERE (l.requests, l.successes, l.credits, l.steps)
    IS DISTINCT FROM (s.requests, s.successes, s.credits, s.steps)`
}

const serviceDrifts = driftsOfSteps('usage_service', { service: 'service' }, '%s')

const endpointDrifts = driftsOfSteps(
  'usage_endpoint',
  { service: 'service', endpoint: "method || ' ' || route" },
  '%s, %s',
)

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

/**
 * Kinds that entries have and the table lacks: a filter would not find these entries. Kinds without
 * entries do no harm.
 */
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
