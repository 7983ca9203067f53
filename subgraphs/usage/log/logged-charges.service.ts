import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { LoggedCharge, LoggedTotal } from './logged-charges.type.ts'

export interface LoggedTotalsPage {
  /** No request of the range arrived earlier; this avoids reading the whole log. */
  readonly since: Date
  /** The range of request ids: from the first, up to before the second. */
  readonly fromId: string
  readonly untilId: string
  /** The last owner of the page before. */
  readonly afterAccountId: string
  readonly afterEnvironment: string
  readonly limit: number
}

const loggedTotals: Statement = {
  name: 'logged-totals',
  text: `
    SELECT account_id AS "accountId", environment, sum(credits)::bigint AS credits,
      sum(hashtextextended(request_id || ' ' || credits, 0))::text AS fingerprint
    FROM usage.usage_log
    WHERE credits > 0 AND ts >= $1 AND request_id >= $2 AND request_id < $3
      AND (account_id, environment) > ($4, $5)
    GROUP BY account_id, environment ORDER BY account_id, environment LIMIT $6`,
}

/** The charges of a range of requests according to each log, ordered by owner. */
export function totalLoggedCharges(
  database: Database,
  page: LoggedTotalsPage,
): Promise<LoggedTotal[]> {
  const { since, fromId, untilId, afterAccountId, afterEnvironment, limit } = page
  const values = [since, fromId, untilId, afterAccountId, afterEnvironment, limit]
  return database.readLong((read) => read(loggedTotals, values))
}

export interface LoggedChargesPage {
  readonly accountId: string
  readonly environment: Environment
  readonly fromId: string
  readonly untilId: string
  readonly minCredits: number
  readonly limit: number
}

const loggedCharges: Statement = {
  name: 'logged-charges',
  text: `
    SELECT request_id AS "requestId", credits FROM usage.usage_log
    WHERE account_id = $1 AND environment = $2 AND request_id >= $3 AND request_id < $4
      AND credits >= $5
    ORDER BY request_id LIMIT $6`,
}

/** The requests of one log with their credits, ordered by id. */
export function listLoggedCharges(
  database: Database,
  { accountId, environment, fromId, untilId, minCredits, limit }: LoggedChargesPage,
): Promise<LoggedCharge[]> {
  const values = [accountId, environment, fromId, untilId, minCredits, limit]
  return database.query(loggedCharges, values)
}
