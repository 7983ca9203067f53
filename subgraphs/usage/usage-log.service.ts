import type { Environment } from '../../schema/caller.ts'
import type { Database, Statement } from '../shared/database.ts'
import type { UsageLogEntry, UsageLogEntryInput } from './usage-log.type.ts'

/**
 * Group commit; an entry that is there already is left as it is, so recording may be repeated. What is
 * new goes into the hour's sums at the same time.
 */
const recordEntries: Statement = {
  name: 'record-usage',
  text: `
    WITH recorded AS (
    INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint, service,
      status, credits, latency_ms, trace_id, backend_module, key_id)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[],
      $6::text[], $7::text[], $8::smallint[], $9::bigint[], $10::int[], $11::text[], $12::text[],
      $13::text[])
    ON CONFLICT DO NOTHING
    RETURNING account_id, environment, ts, service, status, credits
    )
    INSERT INTO usage.usage_hour AS h
      (account_id, environment, hour, service, status_class, requests, credits)
    SELECT account_id, environment, date_trunc('hour', ts, 'UTC') AS hour, service,
      status / 100 AS status_class, count(*), sum(credits)
    FROM recorded GROUP BY 1, 2, 3, 4, 5
    -- In one order, whoever records: no two wait for each other.
    ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account_id, environment, hour, service, status_class) DO UPDATE SET
      requests = h.requests + excluded.requests, credits = h.credits + excluded.credits`,
}

/** Durable when it returns. */
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
    entries.map((entry) => entry.service),
    entries.map((entry) => entry.status),
    entries.map((entry) => entry.credits),
    entries.map((entry) => entry.latencyMs),
    entries.map((entry) => entry.traceId),
    entries.map((entry) => entry.backendModule),
    entries.map((entry) => entry.keyId ?? null),
  ])
}

/** The id of a request starts with its time of arrival, so the key's own order is newest first. */
const readPage: Statement = {
  name: 'usage-log-page',
  text: `
    SELECT request_id, ts, method, endpoint, service, status, credits, latency_ms, trace_id,
      backend_module
    FROM usage.usage_log
    WHERE account_id = $1 AND environment = $2
      AND ($3::text IS NULL OR request_id < $3)
      AND ($4::text IS NULL OR service = $4)
      AND ($5::int IS NULL OR status BETWEEN $5 * 100 AND $5 * 100 + 99)
    ORDER BY request_id DESC LIMIT $6`,
}

interface UsageLogRow {
  readonly request_id: string
  readonly ts: Date
  readonly method: string
  readonly endpoint: string
  readonly service: string
  readonly status: number
  readonly credits: number
  readonly latency_ms: number
  readonly trace_id: string
  readonly backend_module: string
}

interface UsageLogOwner {
  readonly accountId: string
  readonly environment: Environment
}

export interface UsageLogFilter {
  readonly limit: number
  readonly beforeId: string | null
  readonly service: string | null
  /** 1 to 5: the first digit of the status. */
  readonly statusClass: number | null
}

/** At most `limit` entries, newest first. */
export async function listUsage(
  database: Database,
  { accountId, environment }: UsageLogOwner,
  { limit, beforeId, service, statusClass }: UsageLogFilter,
): Promise<UsageLogEntry[]> {
  const values = [accountId, environment, beforeId, service, statusClass, limit]
  const rows = await database.query<UsageLogRow>(readPage, values)
  return rows.map((row) => ({
    requestId: row.request_id,
    ts: row.ts,
    method: row.method,
    endpoint: row.endpoint,
    service: row.service,
    status: row.status,
    credits: row.credits,
    latencyMs: row.latency_ms,
    traceId: row.trace_id,
    backendModule: row.backend_module,
  }))
}
