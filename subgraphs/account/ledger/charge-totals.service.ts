import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import type { Charge, ChargeTotal } from './charge-totals.type.ts'

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
  database: Database,
  page: ChargeTotalsPage,
): Promise<ChargeTotal[]> {
  const { since, fromId, untilId, afterAccountId, afterEnvironment, limit } = page
  const rows = await database.readLong((read) =>
    read<TotalRow>(
      `SELECT account_id, environment, -sum(credits) AS credits,
       sum(hashtextextended(ref || ' ' || -credits, 0))::text AS fingerprint
       FROM account.ledger_entry
       WHERE kind = 'charge' AND created_at >= $1 AND ref >= $2 AND ref < $3
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

export interface ChargesPage {
  readonly accountId: string
  readonly environment: Environment
  readonly fromId: string
  readonly untilId: string
  /** How old a charge must be to count as settled. */
  readonly settlingSeconds: number
  readonly limit: number
}

interface ChargeRow {
  readonly request_id: string
  readonly credits: number
  readonly is_settled: boolean
  readonly is_given_back: boolean
}

const chargesInOrder: Statement = {
  name: 'charges-in-order',
  text: `
    SELECT e.ref AS request_id, -e.credits AS credits,
      e.created_at <= now() - make_interval(secs => $5) AND NOT EXISTS (
        SELECT FROM account.facade_process p
        WHERE p.id = e.request ->> 'processId' AND e.created_at > p.recorded_until
      ) AS is_settled,
      e.ref IN (
        SELECT ref FROM account.ledger_entry
        WHERE account_id = $1 AND environment = $2 AND kind = 'refund' AND ref >= $3 AND ref < $4
      ) AS is_given_back
    FROM account.ledger_entry e
    WHERE e.account_id = $1 AND e.environment = $2 AND e.kind = 'charge'
      AND e.ref >= $3 AND e.ref < $4
    ORDER BY e.ref LIMIT $6`,
}

/**
 * The charges of one ledger, in order of their requests. What a process has not said to have recorded
 * is on its way into the usage log, however old: others record it if the process has died.
 */
export async function listCharges(database: Database, page: ChargesPage): Promise<Charge[]> {
  const { accountId, environment, fromId, untilId, settlingSeconds, limit } = page
  const range = [accountId, environment, fromId, untilId]
  const values = [...range, settlingSeconds, limit]
  const rows = await database.query<ChargeRow>(chargesInOrder, values)
  return rows.map((row) => ({
    requestId: row.request_id,
    credits: row.credits,
    isSettled: row.is_settled,
    isGivenBack: row.is_given_back,
  }))
}
