import type { Environment } from '../../../schema/credentials/caller.ts'
import { adviceOf } from '../../../schema/vocabulary/error-texts/error-advice.ts'
import { isNoRead } from '../audit-trail/audit-page.ts'
import { callerConditions, sourceColumn, writeConditions } from '../callers/caller-columns.ts'
import type { UsageSource } from '../log/usage-log.type.ts'
import type { UsageSettings } from '../settings/usage-settings.ts'
import { AuditExportKind } from './audit-export.type.ts'

/** The rows of an export. */
export interface ExportedRows {
  readonly accountId: string
  readonly environment: Environment
  readonly kind: AuditExportKind
  readonly from: Date | null
  readonly to: Date | null
  readonly service: string | null
  readonly statusClass: number | null
  readonly actor: string | null
  readonly keyId: string | null
  readonly clientId: string | null
  readonly externalId: string | null
  readonly endUser: string | null
  readonly sources: readonly UsageSource[] | null
  readonly errorCode: string | null
  readonly isExtended: boolean | null
}

interface Column {
  readonly name: string
  /** The SQL of the column, if it is not the name. */
  readonly value?: string
  /** Text is escaped; numbers and instants need no escaping. */
  readonly kind: 'text' | 'number' | 'instant'
}

const text = (name: string): Column => ({ name, kind: 'text' })
const number = (name: string): Column => ({ name, kind: 'number' })
const instant = (name: string): Column => ({ name, kind: 'instant' })

const columnsOf: Readonly<Record<AuditExportKind, readonly Column[]>> = {
  activity: [
    text('id'),
    instant('occurred_at'),
    ...['actor_kind', 'actor_id', 'actor_role', 'action', 'resource_id', 'address'].map(text),
    ...['request_id', 'trace_id', 'result', 'details'].map(text),
    instant('recorded_at'),
  ],
  requests: [
    text('request_id'),
    instant('ts'),
    ...['method', 'endpoint', 'service'].map(text),
    ...['status', 'credits', 'latency_ms'].map(number),
    ...['trace_id', 'backend_module'].map(text),
  ],
}

const source: Column = { name: 'source', value: `(${sourceColumn})`, kind: 'text' }

/** The message of each code, in SQL; null without a code. */
const messageOfCode = `(CASE error_code ${Object.entries(adviceOf)
  .map(([code, { happened }]) => `WHEN '${code}' THEN '${happened.replaceAll("'", "''")}'`)
  .join(' ')} END)`

/** The columns of an extended export, in the order of the log. */
const furtherColumns: readonly Column[] = [
  ...['key_id', 'client_id', 'external_id', 'end_user'].map(text),
  source,
  text('error_code'),
  { name: 'error_message', value: messageOfCode, kind: 'text' },
  text('error_details'),
]

type Exported = Pick<ExportedRows, 'kind' | 'sources' | 'isExtended'>

/**
 * An export that names sources has the source of each row, and an extended one all that the log has;
 * every other export has only the old columns.
 */
function columnsIn({ kind, sources, isExtended }: Exported): readonly Column[] {
  const columns = columnsOf[kind]
  if (isExtended) return [...columns, ...furtherColumns]
  return sources === null ? columns : [...columns, source]
}

/** The first line. Every line ends with CRLF (RFC 4180 §2.1). */
export function headerOf(exported: Exported): string {
  return `${columnsIn(exported)
    .map(({ name }) => name)
    .join(',')}\r\n`
}

/**
 * The character between texts that are checked together. A text that contains it only gets a closer
 * check.
 */
const separator = `E'\\x01'`
const unsafe = `E'(^|\\x01)[-=+@\\t\\r]|[",\\r\\n]'`

/**
 * The line of a row, written by PostgreSQL, so that this process has little work for each. One
 * check of all texts shows that most rows need no escaping. `||` is twice as fast as `concat`.
 */
function lineOf(exported: Exported): string {
  const columns = columnsIn(exported).map(({ name, value = name, kind }) => ({ value, kind }))
  const texts = columns.filter(({ kind }) => kind === 'text').map(({ value }) => value)
  const write = (cellOf: (value: string) => string) =>
    columns
      .map(({ value, kind }) => {
        if (kind === 'instant') return iso(value)
        return kind === 'text' ? cellOf(value) : value
      })
      .join(` || ',' || `)
  return `CASE WHEN concat_ws(${separator}, ${texts.join(', ')}) ~ ${unsafe}
    THEN ${write((value) => `coalesce(usage.csv_cell(${value}::text), '')`)}
    ELSE ${write((value) => `coalesce(${value}::text, '')`)} END || E'\\r\\n'`
}

function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/**
 * The events as an account holder sees them: only the operator sees the token and address of an
 * internal tool.
 */
const shownEvents = `
  SELECT chain, id, occurred_at, actor_kind, shown_actor_id AS actor_id, actor_role, action,
    resource_id, CASE WHEN actor_kind = 'internal' THEN NULL ELSE address END AS address,
    request_id, trace_id, result, details, recorded_at
  FROM usage.audit_event`

/**
 * The log is read by request ids: its key and partitions have that order. No id is older than 1970.
 */
function lowestIdOf(instant: string): string {
  return `usage.lowest_request_id(greatest(${instant}::timestamptz, 'epoch'))`
}

/** SQL, with its values, for the `line` of every matching row, newest first. */
export function selectLines(
  rows: ExportedRows,
  { showsOperatorReads = false }: Pick<UsageSettings, 'showsOperatorReads'> = {},
): { sql: string; values: unknown[] } {
  const owner = [rows.accountId, rows.environment, rows.from, rows.to]
  if (rows.kind === AuditExportKind.activity) {
    return {
      sql: `SELECT ${lineOf(rows)} AS line FROM (${shownEvents}) AS event
        WHERE chain = $1 || '/' || $2
          AND ($3::timestamptz IS NULL OR occurred_at >= $3)
          AND ($4::timestamptz IS NULL OR occurred_at < $4)
          AND ($5::text IS NULL OR actor_id = $5 OR details ->> 'member_id' = $5)${showsOperatorReads ? '' : ` AND ${isNoRead}`}
        ORDER BY occurred_at DESC, id DESC`,
      values: [...owner, rows.actor],
    }
  }
  const callers = writeConditions(
    [
      ...callerConditions(rows),
      { name: 'u', test: 'end_user = $1', value: rows.endUser },
      { name: 'o', test: `${sourceColumn} = ANY ($1::text[])`, value: rows.sources },
      { name: 'e', test: 'error_code = $1', value: rows.errorCode },
    ],
    7,
  )
  return {
    sql: `SELECT ${lineOf(rows)} AS line FROM usage.usage_log
      WHERE account_id = $1 AND environment = $2
        AND ($3::timestamptz IS NULL OR request_id >= ${lowestIdOf('$3')})
        AND ($4::timestamptz IS NULL OR request_id < ${lowestIdOf('$4')})
        AND ($5::text IS NULL OR service = $5)
        AND ($6::int IS NULL OR status BETWEEN $6 * 100 AND $6 * 100 + 99)${callers.sql}
      ORDER BY request_id DESC`,
    values: [...owner, rows.service, rows.statusClass, ...callers.values],
  }
}
