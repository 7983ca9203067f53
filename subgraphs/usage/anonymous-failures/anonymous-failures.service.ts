import { hasAtMost } from '../../../schema/vocabulary/characters.ts'
import { isErrorCode, isOAuthErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { type Check, isText, requireAll } from '../../shared/graph/checks.ts'
import type { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type {
  AnonymousFailures,
  AnonymousFailuresFilter,
  AnonymousFailuresInput,
} from './anonymous-failures.type.ts'

const maxSums = 500
const maxTextLength = 200
const hourMs = 3_600_000

const countFailures: Statement = {
  name: 'count-anonymous-failures',
  text: 'SELECT usage.count_anonymous_failures($1)',
}

/**
 * Adds the whole batch to the sums, or nothing; durable when it returns. Throws INVALID_REQUEST.
 */
export async function countAnonymousFailures(
  database: Database,
  sums: readonly AnonymousFailuresInput[],
): Promise<void> {
  requireAll([['sums', sums.length <= maxSums, `must be at most ${maxSums}`]])
  requireAll(sums.flatMap(checksOf))
  await database.query(countFailures, [JSON.stringify(sums.map(toRow))])
}

function checksOf(
  { hour, client, result, failures, lastRoute }: AnonymousFailuresInput,
  index: number,
): Check[] {
  const at = (name: keyof AnonymousFailuresInput) => `sums.${index}.${name}`
  return [
    [at('hour'), hour.getTime() % hourMs === 0, 'must be when an hour begins'],
    [at('client'), isText(client, 64), 'must have 1 to 64 characters'],
    [at('result'), isErrorCode(result) || isOAuthErrorCode(result), 'must be an error code'],
    [at('failures'), failures > 0, 'must be at least 1'],
    [
      at('lastRoute'),
      hasAtMost(lastRoute, maxTextLength),
      `must have at most ${maxTextLength} characters`,
    ],
  ]
}

function toRow(sum: AnonymousFailuresInput): object {
  return {
    hour: sum.hour.toISOString(),
    environment: sum.environment,
    client: sum.client,
    result: sum.result,
    failures: sum.failures,
    first_at: sum.firstAt.toISOString(),
    last_at: sum.lastAt.toISOString(),
    last_route: sum.lastRoute,
    last_request_id: sum.lastRequestId,
  }
}

const forgetFailures: Statement = {
  name: 'forget-anonymous-failures',
  text: 'SELECT usage.forget_anonymous_failures($1) AS count',
}

/** Deletes at most `limit` sums that were kept long enough; returns their number. */
export async function forgetAnonymousFailures(database: Database, limit: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(forgetFailures, [limit])
  return row?.count ?? 0
}

const page: Statement = {
  name: 'anonymous-failures',
  text: `
    SELECT hour, environment, client, result, failures, first_at AS "firstAt",
      last_at AS "lastAt", last_route AS "lastRoute", last_request_id AS "lastRequestId"
    FROM usage.anonymous_failure
    WHERE environment = $1 AND hour >= $2 AND hour < $3 AND ($4::text IS NULL OR client = $4)
      AND hour <= $5 AND (hour, client, result) < ($5, $6, $7)
    ORDER BY hour DESC, client DESC, result DESC LIMIT $8`,
}

const firstHour = new Date(0)
/** An hour later than any that is counted; PostgreSQL still writes it in the format of JavaScript. */
const lastHour = new Date('9999-12-31T23:00:00.000Z')

/** Refused anonymous callers, newest hour first, as internal tools see them. */
export function anonymousFailuresOf(
  database: Database,
  environment: EnvironmentValue,
  { from, to, client }: AnonymousFailuresFilter,
): PagedList<AnonymousFailures> {
  requireAll([
    ['to', !from || !to || from < to, 'must be after from'],
    [
      'client',
      !client || isText(client, maxTextLength),
      `must have 1 to ${maxTextLength} characters`,
    ],
  ])
  const span = [storable(from ?? firstHour), storable(to ?? lastHour)]
  return {
    name: `anonymous-failures/${environment}`,
    owner: null,
    positionOf: ({ hour, client, result }) => `${hour.toISOString()} ${client} ${result}`,
    async read({ limit, before }) {
      const [hour, beforeClient = '', result = ''] = (before ?? lastHour.toISOString()).split(' ')
      const position = [hour, beforeClient, result]
      return database.query<AnonymousFailures>(page, [
        environment,
        ...span.map((instant) => instant.toISOString()),
        client ?? null,
        ...position,
        limit,
      ])
    },
  }
}

function storable(instant: Date): Date {
  const ms = Math.min(Math.max(instant.getTime(), firstHour.getTime()), lastHour.getTime())
  return new Date(ms)
}
