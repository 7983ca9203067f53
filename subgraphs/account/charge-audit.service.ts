import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../schema/caller.ts'
import { EnvironmentValue } from '../shared/environment.type.ts'
import type { Charge, ChargeTotal } from './charge-audit.type.ts'

export interface ChargeTotalsPage {
  /** Nothing in the range was charged earlier: what spares reading the whole ledger. */
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

/** What each ledger charged for a range of requests, in order of the owner. */
export async function totalCharges(
  em: SqlEntityManager,
  page: ChargeTotalsPage,
): Promise<ChargeTotal[]> {
  const { since, fromId, untilId, afterAccountId, afterEnvironment, limit } = page
  const rows = await em.transactional(
    async (tx) => {
      await tx.execute("SET LOCAL statement_timeout = '10min'")
      return tx.execute<TotalRow[]>(
        `SELECT account_id, environment, -sum(credits) AS credits,
           sum(hashtextextended(ref || ' ' || -credits, 0))::text AS fingerprint
         FROM account.ledger_entry
         WHERE kind = 'charge' AND created_at >= ? AND ref >= ? AND ref < ?
           AND (account_id, environment) > (?, ?)
         GROUP BY account_id, environment ORDER BY account_id, environment LIMIT ?`,
        [since, fromId, untilId, afterAccountId, afterEnvironment, limit],
      )
    },
    { readOnly: true },
  )
  return rows.map((row) => ({
    accountId: row.account_id,
    environment: EnvironmentValue[row.environment],
    credits: Number(row.credits),
    fingerprint: row.fingerprint,
  }))
}

export interface ChargesPage {
  readonly accountId: string
  readonly environment: Environment
  readonly fromId: string
  readonly untilId: string
  /** How old a charge must be to count as settled, unless it was given back. */
  readonly settlingSeconds: number
  readonly limit: number
}

interface ChargeRow {
  readonly request_id: string
  readonly credits: string
  readonly is_settled: boolean
}

/** The charges of one ledger, in order of their requests. */
export async function listCharges(em: SqlEntityManager, page: ChargesPage): Promise<Charge[]> {
  const { accountId, environment, fromId, untilId, settlingSeconds, limit } = page
  const range = [accountId, environment, fromId, untilId]
  const rows = await em.execute<ChargeRow[]>(
    `SELECT ref AS request_id, -credits AS credits,
       created_at <= now() - make_interval(secs => ?) AND ref NOT IN (
         SELECT ref FROM account.ledger_entry
         WHERE account_id = ? AND environment = ? AND kind = 'refund' AND ref >= ? AND ref < ?
       ) AS is_settled
     FROM account.ledger_entry
     WHERE account_id = ? AND environment = ? AND kind = 'charge' AND ref >= ? AND ref < ?
     ORDER BY ref LIMIT ?`,
    [settlingSeconds, ...range, ...range, limit],
  )
  return rows.map((row) => ({
    requestId: row.request_id,
    credits: Number(row.credits),
    isSettled: row.is_settled,
  }))
}
