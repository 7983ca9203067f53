import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import type { Database } from '../shared/database.ts'
import { EnvironmentValue } from '../shared/environment.type.ts'
import type { LoggedCharge, LoggedTotal } from './charge-audit.type.ts'

export interface LoggedTotalsPage {
  /** Nothing in the range arrived earlier: what spares reading the whole log. */
  readonly since: Date
  /** The range of request ids: from the first, up to before the second. */
  readonly fromId: string
  readonly untilId: string
  /** The last owner of the page before. */
  readonly afterAccountId: string
  readonly afterEnvironment: string
  readonly limit: number
}

interface TotalRow {
  readonly account_id: string
  readonly environment: Environment
  readonly credits: string
  readonly fingerprint: string
}

/** What each log says was charged for a range of requests, in order of the owner. */
export async function totalLoggedCharges(
  database: Database,
  page: LoggedTotalsPage,
): Promise<LoggedTotal[]> {
  const { since, fromId, untilId, afterAccountId, afterEnvironment, limit } = page
  const rows = await database.readLong((read) =>
    read<TotalRow>(
      `SELECT account_id, environment, sum(credits) AS credits,
       sum(hashtextextended(request_id || ' ' || credits, 0))::text AS fingerprint
       FROM usage.usage_log
       WHERE credits > 0 AND ts >= $1 AND request_id >= $2 AND request_id < $3
       AND (account_id, environment) > ($4, $5)
       GROUP BY account_id, environment ORDER BY account_id, environment LIMIT $6`,
      [since, fromId, untilId, afterAccountId, afterEnvironment, limit],
    ),
  )
  return rows.map((row) => ({
    accountId: row.account_id,
    environment: EnvironmentValue[row.environment],
    credits: Number(row.credits),
    fingerprint: row.fingerprint,
  }))
}

export interface LoggedChargesPage {
  readonly accountId: string
  readonly environment: Environment
  readonly fromId: string
  readonly untilId: string
  readonly minCredits: number
  readonly limit: number
}

/** The requests of one log that cost so much, in order of their ids. */
export async function listLoggedCharges(
  em: SqlEntityManager,
  { accountId, environment, fromId, untilId, minCredits, limit }: LoggedChargesPage,
): Promise<LoggedCharge[]> {
  const rows = await em.execute<{ request_id: string; credits: string }[]>(
    `SELECT request_id, credits FROM usage.usage_log
     WHERE account_id = ? AND environment = ? AND request_id >= ? AND request_id < ?
       AND credits >= ?
     ORDER BY request_id LIMIT ?`,
    [accountId, environment, fromId, untilId, minCredits, limit],
  )
  return rows.map((row) => ({ requestId: row.request_id, credits: Number(row.credits) }))
}
