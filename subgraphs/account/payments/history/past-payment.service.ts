import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../../shared/database/database.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { PagedList } from '../../../shared/lists/pagination.ts'
import type { PastPayment } from './past-payment.type.ts'

const columns = `p.id, CASE p.kind WHEN 'auto_recharge' THEN 'recharge'
    WHEN 'subscription' THEN 'renewal' ELSE p.kind END AS source, p.status,
  CASE WHEN p.from_plan IS NOT NULL THEN 'Upgrade to ' || p.package_name
    WHEN p.tier IS NULL THEN p.package_name || ' subscription'
    ELSE p.package_name || ' package' END AS description,
  p.credits, p.price_cents AS "priceCents", p.tax_cents AS "taxCents",
  p.total_cents AS "totalCents", p.refunded_cents AS "refundedCents", p.currency, p.card,
  p.action_url AS "actionUrl", p.failure_reason AS "failureReason",
  p.created_at AS "createdAt", p.settled_at AS "settledAt", (
    SELECT i.id FROM account.invoice i WHERE i.payment_id = p.id ORDER BY i.id LIMIT 1)
    AS "invoiceId",
  EXISTS (SELECT FROM account.payment_dispute d
    WHERE d.payment_id = p.id AND d.status IN ('inquiry', 'open')) AS "isDisputed"`

const newestFirst: Statement = {
  name: 'past-payments-newest-first',
  text: `SELECT ${columns} FROM account.payment p
    WHERE p.account_id = $1 AND p.environment = $2 AND ($3::text IS NULL OR p.id < $3)
    ORDER BY p.id DESC LIMIT $4`,
}

/** All payments of an account, newest first. */
export function pastPaymentsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<PastPayment> {
  return {
    name: 'past-payments',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(newestFirst, [accountId, environment, before, limit]),
  }
}

const byId: Statement = {
  name: 'past-payment',
  text: `SELECT ${columns} FROM account.payment p
    WHERE p.account_id = $1 AND p.environment = $2 AND p.id = $3`,
}

/** Throws NOT_FOUND for another account's payment too, so that ids cannot be probed. */
export async function getPastPayment(
  database: Database,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<PastPayment> {
  const [payment] = await database.query<PastPayment>(byId, [accountId, environment, id])
  if (!payment) throw new DomainError('NOT_FOUND', 'No payment has this id.')
  return payment
}
