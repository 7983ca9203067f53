import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { lowestId, msOfId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import {
  type Condition,
  callerConditions,
  sourceColumn,
  writeConditions,
} from '../callers/caller-columns.ts'
import { type UsageLogEntry, type UsageLogFilter, UsageSource } from './usage-log.type.ts'

/** A range of ids is a range of time: the id of a request starts with its time of arrival. */
export interface IdRange {
  /** Entries older than this id are left out. */
  readonly fromId: string
  /** Entries older than this id are included. */
  readonly untilId: string
}

/** The lowest and the highest text: every id is between them. */
export const lowest = 'req_'
export const beyond = 'req_~'

/** No id is between an id and the id with this suffix. */
export function nextId(id: string): string {
  return `${id}0`
}

export const entryColumns = `request_id AS "requestId", ts, method, endpoint, service, status, credits,
  latency_ms AS "latencyMs", trace_id AS "traceId", backend_module AS "backendModule",
  key_id AS "keyId", client_id AS "clientId", external_id AS "externalId", end_user AS "endUser",
  ${sourceColumn} AS source, error_code AS "errorCode", error_details::jsonb AS "errorDetails"`

/** Whether the filter has a value that few entries have, so that an index has these alone. */
export function isOfRare({ endUser, errorCode }: UsageLogFilter): boolean {
  return [endUser, errorCode].some((value) => (value ?? null) !== null)
}

/** Whether the filter names a caller, not only an end user, or an endpoint: the sums know the hours of both. */
export function isOfCallers(filter: UsageLogFilter): boolean {
  const { keyId, clientId, externalId, sources, endpoint } = filter
  return [keyId, clientId, externalId, sources, endpoint].some((value) => (value ?? null) !== null)
}

const ofService = ({ service }: UsageLogFilter): Condition => ({
  ...{ name: 's', test: 'service = $1', value: service },
})

const ofSource = ({ sources }: UsageLogFilter): Condition => ({
  ...{ name: 'o', test: `${sourceColumn} = ANY ($1::text[])`, value: sources },
})

const ofCredits = ({ minCredits }: UsageLogFilter): Condition => ({
  ...{ name: 'r', test: 'credits >= $1', value: minCredits },
})

const ofEndpoint = ({ endpoint }: UsageLogFilter): Condition => ({
  ...{ name: 'p', test: "method || ' ' || route = $1", value: endpoint },
})

/** The conditions of a filter, except the span of time and the request. */
function conditionsOf(filter: UsageLogFilter): Condition[] {
  const { statusClass, endUser, errorCode } = filter
  return [
    ...callerConditions(filter),
    ofService(filter),
    ofSource(filter),
    { name: 't', test: 'status_class = $1', value: statusClass },
    ofCredits(filter),
    ofEndpoint(filter),
    { name: 'u', test: 'end_user = $1', value: endUser },
    { name: 'e', test: 'error_code = $1', value: errorCode },
  ]
}

type Page = readonly [
  database: Database,
  owner: AccountScope,
  filter: UsageLogFilter,
  range: IdRange,
  limit: number,
]

/** Reads a page of an end user or an error code, by an index of the entries that have one. */
export function readPageOfRare(...page: Page): Promise<UsageLogEntry[]> {
  return readPageOf('usage-log', '', page)
}

/**
 * The newest entries of a caller. Entries of sessions are found by their own index, because most of
 * them are in no sum; all others are found by the sums.
 */
export async function readPageOfCallers(
  database: Database,
  owner: AccountScope,
  filter: UsageLogFilter,
  range: IdRange,
  limit: number,
): Promise<UsageLogEntry[]> {
  const { sources, clientId } = filter
  const isOfSessions = !clientId && (sources?.includes(UsageSource.session) ?? true)
  const isOfOthers = sources?.some((source) => source !== UsageSource.session) ?? true
  const page = [database, owner, filter, range, limit] as const
  const ofSessions = isOfSessions ? await readPageOfSessions(...page) : []
  if (!isOfOthers) return ofSessions
  const ofOthers = await readPageOfHours(...page)
  if (ofSessions.length === 0) return ofOthers
  // The hours of a caller also contain entries of its sessions.
  const byId = new Map([...ofSessions, ...ofOthers].map((row) => [row.requestId, row]))
  const newest = [...byId.values()].sort((one, other) => (one.requestId < other.requestId ? 1 : -1))
  return newest.slice(0, limit)
}

/** The index does not have the entries of keys and apps, which are the majority. */
function readPageOfSessions(...page: Page): Promise<UsageLogEntry[]> {
  return readPageOf('usage-log-of-sessions', 'is_session AND ', page)
}

function readPageOf(
  statementName: string,
  condition: '' | 'is_session AND ',
  [database, { accountId, environment }, filter, { fromId, untilId }, limit]: Page,
): Promise<UsageLogEntry[]> {
  const { sql, values, name } = writeConditions(conditionsOf(filter), 6)
  const statement = {
    name: `${statementName} ${name}`,
    text: `
      SELECT ${entryColumns} FROM usage.usage_log
      WHERE ${condition}account_id = $1 AND environment = $2
        AND request_id >= $3 AND request_id < $4${sql}
      ORDER BY request_id DESC LIMIT $5`,
  }
  return database.query(statement, [accountId, environment, fromId, untilId, limit, ...values])
}

/** The number of a caller's hours that are looked up first, and the most at once. */
const firstHours = 50
const maxHours = 800

/**
 * The hours in which a caller called limit the search, so that the entries of others are not read,
 * whatever their number.
 */
async function readPageOfHours(
  database: Database,
  owner: AccountScope,
  filter: UsageLogFilter,
  range: IdRange,
  limit: number,
): Promise<UsageLogEntry[]> {
  const { accountId, environment } = owner
  const { values, ...statement } = entriesOf(filter)
  const rows: UsageLogEntry[] = []
  let rest: IdRange | null = range
  for (let hours = firstHours; rest; hours = Math.min(hours * 4, maxHours)) {
    const found = await readSpans(database, owner, filter, { range: rest, hours })
    // A caller that calls every minute fills a page from its last hour; one that calls once a day,
    // from many days.
    let first = 0
    for (let count = 4; first < found.spans.length; count *= 2) {
      const spans = found.spans.slice(first, first + count)
      first += count
      const page = [accountId, environment, limit - rows.length]
      const ends = [spans.map(({ fromId }) => fromId), spans.map(({ untilId }) => untilId)]
      rows.push(...(await database.query<UsageLogEntry>(statement, [...page, ...ends, ...values])))
      if (rows.length === limit) return rows
    }
    rest = found.rest
  }
  return rows
}

type StatementWithValues = Statement & { readonly values: readonly unknown[] }

/** The newest $3 entries that fit, in the spans from $4 to $5. */
function entriesOf(filter: UsageLogFilter): StatementWithValues {
  const isOfKinds = (filter.statusClass ?? null) !== null || (filter.minCredits ?? 0) > 0
  const { text, values, name } = isOfKinds ? ofKinds(filter) : ofAllKinds(filter)
  return {
    name: `usage-log-spans ${name}`,
    text: `
      SELECT l.* FROM unnest($4::text[], $5::text[]) AS s (from_id, until_id)
      CROSS JOIN LATERAL (${text}) l
      ORDER BY "requestId" DESC LIMIT $3`,
    values,
  }
}

const inSpan = `account_id = $1 AND environment = $2
          AND request_id >= s.from_id AND request_id < s.until_id`

function ofAllKinds(filter: UsageLogFilter): StatementWithValues {
  const { sql, values, name } = writeConditions(conditionsOf(filter), 6)
  const text = `
        SELECT ${entryColumns} FROM usage.usage_log WHERE ${inSpan}${sql}
        ORDER BY request_id DESC LIMIT $3`
  return { name, text, values }
}

/**
 * Uses the index of kinds, so the rare failures of a busy caller are found without reading its
 * successes.
 */
function ofKinds(filter: UsageLogFilter): StatementWithValues {
  const { statusClass, minCredits } = filter
  const status = { name: 't', test: 'status_class = $1', value: statusClass }
  const worth = { name: 'w', test: 'credit_class >= usage.credit_class($1::bigint)' }
  const kinds = writeConditions([ofService(filter), status, { ...worth, value: minCredits }], 6)
  const callers = writeConditions(
    [...callerConditions(filter), ofSource(filter), ofCredits(filter), ofEndpoint(filter)],
    6 + kinds.values.length,
  )
  const text = `
        SELECT e.* FROM (
          SELECT service, status_class, credit_class FROM usage.usage_kind
          WHERE account_id = $1 AND environment = $2${kinds.sql}
        ) k CROSS JOIN LATERAL (
          SELECT ${entryColumns} FROM usage.usage_log
          WHERE ${inSpan} AND service = k.service AND status_class = k.status_class
            AND credit_class = k.credit_class${callers.sql}
          ORDER BY request_id DESC LIMIT $3
        ) e
        ORDER BY "requestId" DESC LIMIT $3`
  const values = [...kinds.values, ...callers.values]
  return { name: `${kinds.name} of ${callers.name}`, text, values }
}

/**
 * The hours of a caller, newest first, and the range of the entries of open epochs, which no sum by key has
 * yet.
 */
function spansStatement(conditions: string, name: string): Statement {
  return {
    name: `usage-log-hours ${name}`,
    text: `
      (SELECT min(first_id) AS "fromId", max(last_id) || '0' AS "untilId", true AS "isHour"
        FROM usage.usage_key
        WHERE account_id = $1 AND environment = $2 AND unit = 'hour' AND start >= $5 AND start <= $6
          AND start >= (SELECT kept_since FROM usage.usage_log_extent)
          AND last_id >= $3 AND first_id < $4${conditions}
        GROUP BY start ORDER BY start DESC LIMIT $7)
      UNION ALL
      SELECT min(from_id), '${beyond}', false FROM usage.usage_epoch HAVING count(*) > 0`,
  }
}

/**
 * The hours in which an endpoint was called, newest first: by those callers, if there are conditions on them. Their
 * number is that of hours, so the ids follow from them.
 */
function endpointSpansStatement(conditions: string, name: string): Statement {
  const byCallers = `AND EXISTS (SELECT FROM usage.usage_key
          WHERE account_id = $1 AND environment = $2 AND unit = 'hour' AND start = h.start${conditions})`
  return {
    name: `usage-log-endpoint-hours ${name}`.trim(),
    text: `
      (SELECT start AS hour, NULL AS "fromId" FROM usage.usage_endpoint h
        WHERE account_id = $1 AND environment = $2 AND unit = 'hour' AND endpoint = $3
          AND start >= $4 AND start <= $5
          AND start >= (SELECT kept_since - interval '1 hour' FROM usage.usage_log_extent)
          ${conditions === '' ? '' : byCallers}
        GROUP BY start ORDER BY start DESC LIMIT $6)
      UNION ALL
      SELECT NULL, min(from_id) FROM usage.usage_epoch HAVING count(*) > 0`,
  }
}

interface SpanRow extends IdRange {
  readonly isHour: boolean
}

interface EndpointSpanRow {
  /** Null: the entries of open epochs. */
  readonly hour: Date | null
  readonly fromId: string | null
}

/** An id and the time of arrival are taken at nearly the same moment. */
const apartMs = 1000

function toSpan({ hour, fromId }: EndpointSpanRow): SpanRow {
  if (hour === null) return { fromId: fromId ?? lowest, untilId: beyond, isHour: false }
  const startMs = hour.getTime()
  return {
    fromId: lowestId('req', startMs - apartMs),
    untilId: lowestId('req', startMs + hourMs + apartMs),
    isHour: true,
  }
}

interface Spans {
  /** Ranges that do not overlap, newest first. */
  readonly spans: readonly IdRange[]
  /** The older range that was not looked up; null: there is none. */
  readonly rest: IdRange | null
}

const hourMs = 3_600_000

interface AskedSpans {
  readonly range: IdRange
  /** How many hours, at most. */
  readonly hours: number
}

async function readSpanRows(
  database: Database,
  { accountId, environment }: AccountScope,
  filter: UsageLogFilter,
  { range, hours: limit }: AskedSpans,
): Promise<readonly SpanRow[]> {
  const { endpoint } = filter
  const asked = [...callerConditions(filter), ofService(filter), ofSource(filter)]
  const { sql, values, name } = writeConditions(asked, endpoint ? 7 : 8)
  const from = range.fromId === lowest ? '-infinity' : new Date(msOfId(range.fromId) - 2 * hourMs)
  const until = range.untilId === beyond ? 'infinity' : new Date(msOfId(range.untilId) + hourMs)
  const span = [from, until, limit]
  if (endpoint) {
    const statement = endpointSpansStatement(sql, name)
    const owned = [accountId, environment, endpoint]
    const found = await database.query<EndpointSpanRow>(statement, [...owned, ...span, ...values])
    return found.map(toSpan)
  }
  const within = [accountId, environment, range.fromId, range.untilId]
  return database.query<SpanRow>(spansStatement(sql, name), [...within, ...span, ...values])
}

async function readSpans(
  database: Database,
  owner: AccountScope,
  filter: UsageLogFilter,
  asked: AskedSpans,
): Promise<Spans> {
  const { range, hours: limit } = asked
  const rows = await readSpanRows(database, owner, filter, asked)
  const hours = rows.filter(({ isHour }) => isHour)
  const oldest = hours.reduce((id, { fromId }) => (fromId < id ? fromId : id), beyond)
  const isWhole = hours.length < limit || oldest <= range.fromId
  const looked = isWhole ? range : { ...range, fromId: oldest }
  return {
    spans: joined(rows, looked),
    rest: isWhole ? null : { ...range, untilId: oldest },
  }
}

/** The parts of the spans within the range. Spans that touch become one. */
function joined(spans: readonly IdRange[], range: IdRange): IdRange[] {
  const inside = spans
    .map(({ fromId, untilId }) => ({
      fromId: fromId > range.fromId ? fromId : range.fromId,
      untilId: untilId < range.untilId ? untilId : range.untilId,
    }))
    .filter(({ fromId, untilId }) => fromId < untilId)
    .sort((one, other) => (one.untilId < other.untilId ? 1 : -1))
  const apart: IdRange[] = []
  for (const span of inside) {
    const newer = apart.at(-1)
    if (!newer || span.untilId < newer.fromId) apart.push(span)
    else if (span.fromId < newer.fromId) apart[apart.length - 1] = { ...newer, fromId: span.fromId }
  }
  return apart
}
