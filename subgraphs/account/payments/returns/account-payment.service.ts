import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../../shared/database/database.ts'
import type { PagedList } from '../../../shared/lists/pagination.ts'
import type { AccountPayment } from './account-payment.type.ts'

const newestFirst: Statement = {
  name: 'account-payments-newest-first',
  text: `SELECT p.id, p.kind, p.status, p.provider, p.provider_reference AS "providerReference",
      p.package_id AS "packageId", p.credits, p.total_cents AS "totalCents",
      p.refunded_cents AS "refundedCents", p.currency, p.failure_reason AS "failureReason",
      p.created_at AS "createdAt",
      (SELECT coalesce(jsonb_agg(r), '[]') FROM (
        SELECT id, payment_id AS "paymentId", amount_cents AS "amountCents", status
        FROM account.payment_refund WHERE payment_id = p.id ORDER BY id DESC LIMIT 50) r
      ) AS refunds,
      (SELECT coalesce(jsonb_agg(d), '[]') FROM (
        SELECT id, reference, amount_cents AS "amountCents", status,
          is_withdrawn AND NOT is_reinstated AS "hasFunds"
        FROM account.payment_dispute WHERE payment_id = p.id ORDER BY id DESC LIMIT 50) d
      ) AS disputes
    FROM account.payment p
    WHERE p.account_id = $1 AND p.environment = $2 AND ($3::text IS NULL OR p.id < $3)
    ORDER BY p.id DESC LIMIT $4`,
}

/** The payments of an account with their refunds and disputes, newest first. */
export function paymentsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<AccountPayment> {
  return {
    name: 'payments',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(newestFirst, [accountId, environment, before, limit]),
  }
}
