import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { addToKeys, callerColumns, epochOf, isCounted } from '../callers/caller-columns.ts'
import {
  type UsageLogEntry,
  type UsageLogEntryInput,
  type UsageLogFilter,
  unknownRoute,
} from './usage-log.type.ts'
import {
  beyond,
  entryColumns,
  type IdRange,
  isOfCallers,
  isOfRare,
  lowest,
  nextId,
  readPageOfCallers,
  readPageOfRare,
} from './usage-log-of-callers.service.ts'

/**
 * Records many entries in one commit. An existing entry stays as it is, so recording may be
 * repeated. New entries go into the roll-ups at the same time.
 */
const recordEntries: Statement = {
  name: 'record-usage',
  text: `
    WITH recorded AS (
      INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, route,
        service, status, credits, latency_ms, trace_id, backend_module, key_id, client_id,
        external_id, end_user, is_session, error_code, error_details, epoch)
      SELECT e.*, ${epochOf('is_session', '0')}
      FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[],
        $6::text[], $7::text[], $8::text[], $9::smallint[], $10::bigint[], $11::int[],
        $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::boolean[],
        $19::text[], $20::text[])
        AS e (account_id, environment, request_id, ts, method, endpoint, route, service, status,
          credits, latency_ms, trace_id, backend_module, key_id, client_id, external_id, end_user,
          is_session, error_code, error_details)
      ON CONFLICT DO NOTHING
      RETURNING account_id, environment, request_id, ts, method, route, service, status, credits,
        latency_ms, status_class, credit_class, key_id, client_id, external_id, is_session, epoch
    -- Every recording takes this order, so that no two wait for each other.
    ), kinds AS (
      INSERT INTO usage.usage_kind
        (account_id, environment, service, status_class, credit_class)
      SELECT DISTINCT account_id, environment, service, status_class, credit_class
      FROM recorded r
      -- Hardly any is new, and looking is cheaper than trying.
      WHERE (SELECT true FROM usage.usage_kind k
        WHERE k.account_id = r.account_id AND k.environment = r.environment
          AND k.service = r.service AND k.status_class = r.status_class
          AND k.credit_class = r.credit_class) IS NULL
      ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT DO NOTHING
    ), endpoints AS (
      INSERT INTO usage.usage_endpoint AS e (account_id, environment, unit, start, service,
        endpoint, requests, successes, credits, steps)
      SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC') AS start, service,
        method || ' ' || route AS endpoint,
        count(*), count(*) FILTER (WHERE status < 400), sum(credits),
        usage.count_steps(usage.latency_class(latency_ms), 1)
      FROM recorded CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit) WHERE ${isCounted}
      GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (account_id, environment, unit, start, service, endpoint)
      DO UPDATE SET requests = e.requests + excluded.requests,
        successes = e.successes + excluded.successes, credits = e.credits + excluded.credits,
        steps = usage.add_steps(e.steps, excluded.steps)
    ), keys AS (
      ${addToKeys(`
        SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC') AS start, service,
          ${callerColumns}, count(*), count(*) FILTER (WHERE status < 400), sum(credits),
          min(request_id), max(request_id)
        FROM recorded CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit) WHERE ${isCounted}
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9`)}
    )
    INSERT INTO usage.usage_service AS s (account_id, environment, unit, start, service,
      requests, successes, credits, steps)
    SELECT account_id, environment, unit, date_trunc(unit, ts, 'UTC') AS start, service,
      count(*), count(*) FILTER (WHERE status < 400), sum(credits),
      usage.count_steps(usage.latency_class(latency_ms), 1)
    FROM recorded CROSS JOIN (VALUES ('day'), ('hour')) AS u (unit) WHERE ${isCounted}
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account_id, environment, unit, start, service)
    DO UPDATE SET requests = s.requests + excluded.requests,
      successes = s.successes + excluded.successes, credits = s.credits + excluded.credits,
      steps = usage.add_steps(s.steps, excluded.steps)`,
}

/** Records entries; they are durable when it returns. */
export async function recordUsage(
  database: Pick<Database, 'query'>,
  entries: readonly UsageLogEntryInput[],
): Promise<void> {
  await database.query(recordEntries, [
    entries.map((entry) => entry.accountId),
    entries.map((entry) => entry.environment),
    entries.map((entry) => entry.requestId),
    entries.map((entry) => entry.ts.toISOString()),
    entries.map((entry) => entry.method),
    entries.map((entry) => entry.endpoint),
    entries.map((entry) => entry.route ?? unknownRoute),
    entries.map((entry) => entry.service),
    entries.map((entry) => entry.status),
    entries.map((entry) => entry.credits),
    entries.map((entry) => entry.latencyMs),
    entries.map((entry) => entry.traceId),
    entries.map((entry) => entry.backendModule),
    entries.map((entry) => entry.keyId ?? null),
    entries.map((entry) => entry.clientId ?? null),
    entries.map((entry) => entry.externalId ?? null),
    entries.map((entry) => entry.endUser ?? null),
    // Null means that the entry is of no session.
    entries.map((entry) => entry.isSession || null),
    entries.map((entry) => entry.errorCode ?? null),
    entries.map((entry) => entry.errorDetails ?? null),
  ])
}

/**
 * The order of the key is newest first, also across partitions; partitions beyond the range are not
 * read.
 */
const readPage: Statement = {
  name: 'usage-log-page',
  text: `
    SELECT ${entryColumns} FROM usage.usage_log
    WHERE account_id = $1 AND environment = $2 AND request_id >= $3 AND request_id < $4
    ORDER BY request_id DESC LIMIT $5`,
}

/**
 * Reads the newest entries of each matching kind, then takes the newest of these. Nothing else is
 * read, however rare they are. A kind is a range of credits, so the kind with the fewest may
 * contain entries below the filter's limit.
 */
const readPageOfKinds: Statement = {
  name: 'usage-log-page-of-kinds',
  text: `
    SELECT l.* FROM (
      SELECT service, status_class, credit_class FROM usage.usage_kind
      WHERE account_id = $1 AND environment = $2 AND ($6::text IS NULL OR service = $6)
        AND ($7::int IS NULL OR status_class = $7) AND credit_class >= usage.credit_class($8::bigint)
    ) k CROSS JOIN LATERAL (
      SELECT ${entryColumns} FROM usage.usage_log
      WHERE account_id = $1 AND environment = $2 AND service = k.service
        AND status_class = k.status_class AND credit_class = k.credit_class
        AND request_id >= $3 AND request_id < $4 AND credits >= $8::bigint
      ORDER BY request_id DESC LIMIT $5
    ) l
    ORDER BY "requestId" DESC LIMIT $5`,
}

/** The requests of an account in one environment that match the whole filter, newest first. */
export function usageLogOf(
  database: Database,
  owner: AccountScope,
  filter: UsageLogFilter = {},
): PagedList<UsageLogEntry> {
  const { accountId, environment } = owner
  const { service = null, statusClass = null, minCredits = null } = filter
  const isOfKinds = service !== null || statusClass !== null || (minCredits ?? 0) > 0

  function readEntries(range: IdRange, limit: number): Promise<UsageLogEntry[]> {
    const page = [accountId, environment, range.fromId, range.untilId, limit]
    if (isOfRare(filter)) return readPageOfRare(database, owner, filter, range, limit)
    if (isOfCallers(filter)) return readPageOfCallers(database, owner, filter, range, limit)
    if (!isOfKinds) return database.query(readPage, page)
    return database.query(readPageOfKinds, [...page, service, statusClass, minCredits ?? 0])
  }

  return {
    name: 'usage-log',
    owner: { accountId, environment },
    positionOf: ({ requestId }) => requestId,
    read: ({ limit, before }) => readEntries(rangeOf(filter, before), limit),
  }
}

function rangeOf({ from, to, requestId }: UsageLogFilter, before: string | null): IdRange {
  const first = [from ? lowestId('req', from.getTime()) : lowest, requestId ?? lowest]
  const until = [
    to ? lowestId('req', to.getTime()) : beyond,
    requestId ? nextId(requestId) : beyond,
    before ?? beyond,
  ]
  return { fromId: first.toSorted().at(-1) ?? lowest, untilId: until.toSorted().at(0) ?? beyond }
}
