import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { Charge, ChargeTotal } from './charge-totals.type.ts'

export interface ChargeTotalsPage {
  /** No request in the range was charged before this time, so the whole ledger need not be read. */
  readonly since: Date
  /** The range of request ids: `fromId` belongs to it, `untilId` does not. */
  readonly fromId: string
  readonly untilId: string
  /** The last owner of the page before. */
  readonly afterAccountId: string
  readonly afterEnvironment: string
  readonly limit: number
}

const chargedTotals: Statement = {
  name: 'charged-totals',
  text: `
    SELECT account_id AS "accountId", environment, (-sum(credits))::bigint AS credits,
      sum(hashtextextended(ref || ' ' || -credits, 0))::text AS fingerprint
    FROM account.ledger_entry
    WHERE kind = 'charge' AND created_at >= $1 AND ref >= $2 AND ref < $3
      AND (account_id, environment) > ($4, $5)
    GROUP BY account_id, environment ORDER BY account_id, environment LIMIT $6`,
}

/** The sum that each ledger charged for a range of requests, in order of the owner. */
export function totalCharges(database: Database, page: ChargeTotalsPage): Promise<ChargeTotal[]> {
  const { since, fromId, untilId, afterAccountId, afterEnvironment, limit } = page
  const values = [since, fromId, untilId, afterAccountId, afterEnvironment, limit]
  return database.readLong((read) => read(chargedTotals, values))
}

export interface ChargesPage {
  readonly accountId: string
  readonly environment: Environment
  readonly fromId: string
  readonly untilId: string
  /** The age from which a charge counts as settled. */
  readonly settlingSeconds: number
  readonly limit: number
}

const chargesInOrder: Statement = {
  name: 'charges-in-order',
  text: `
    SELECT e.ref AS "requestId", -e.credits AS credits,
      e.created_at <= now() - make_interval(secs => $5) AND NOT EXISTS (
        SELECT FROM account.facade_process p
        WHERE p.id = coalesce(e.request ->> 'processId', e.call::jsonb ->> 0)
          AND e.created_at > p.recorded_until
      ) AS "isSettled",
      e.ref IN (
        SELECT ref FROM account.ledger_entry
        WHERE account_id = $1 AND environment = $2 AND kind = 'refund' AND ref >= $3 AND ref < $4
      ) AS "isGivenBack"
    FROM account.ledger_entry e
    WHERE e.account_id = $1 AND e.environment = $2 AND e.kind = 'charge'
      AND e.ref >= $3 AND e.ref < $4
    ORDER BY e.ref LIMIT $6`,
}

/**
 * The charges of one ledger, in order of their requests. A charge that its process has not reported
 * as recorded is still on its way into the usage log, at any age: other processes record it if that
 * process has died.
 */
export function listCharges(database: Database, page: ChargesPage): Promise<Charge[]> {
  const { accountId, environment, fromId, untilId, settlingSeconds, limit } = page
  const range = [accountId, environment, fromId, untilId]
  return database.query(chargesInOrder, [...range, settlingSeconds, limit])
}
