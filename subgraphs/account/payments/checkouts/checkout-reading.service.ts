import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../../shared/database/database.ts'
import { allTenants } from '../../../shared/database/tenant.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { PagedList } from '../../../shared/lists/pagination.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import { isReturnLink, type ReturnLink } from '../return-links/return-address.ts'
import type { Checkout, CheckoutStatus } from './checkout.type.ts'

const columns = `p.id, p.status, p.package_id AS "packageId", p.credits,
  p.price_cents AS "priceCents", p.tax_cents AS "taxCents", p.total_cents AS "totalCents",
  p.refunded_cents AS "refundedCents", p.currency, p.action_url AS "actionUrl",
  p.failure_reason AS "failureReason", p.client_reference_id AS "clientReferenceId", p.expires_at AS "expiresAt",
  p.created_at AS "createdAt", (
    SELECT i.id FROM account.invoice i WHERE i.payment_id = p.id ORDER BY i.id LIMIT 1)
    AS "invoiceId"`

const checkoutById: Statement = {
  name: 'checkout-by-id',
  text: `SELECT ${columns} FROM account.payment p
    WHERE p.account_id = $1 AND p.environment = $2 AND p.id = $3 AND p.kind = 'checkout'`,
}

const checkoutsNewestFirst: Statement = {
  name: 'checkouts-newest-first',
  text: `SELECT ${columns} FROM account.payment p
    WHERE p.account_id = $1 AND p.environment = $2 AND p.kind = 'checkout'
      AND ($3::text IS NULL OR p.id < $3)
    ORDER BY p.id DESC LIMIT $4`,
}

/** Throws NOT_FOUND for another account's checkout too, so that ids cannot be probed. */
export async function getCheckout(
  database: Database,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<Checkout> {
  const [checkout] = await database.query<Checkout>(checkoutById, [accountId, environment, id])
  if (!checkout) throw new DomainError('NOT_FOUND', 'No checkout has this id.')
  return checkout
}

/** The checkouts of an account, newest first. */
export function checkoutsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<Checkout> {
  return {
    name: 'checkouts',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(checkoutsNewestFirst, [accountId, environment, before, limit]),
  }
}

const statusById: Statement = {
  name: 'payment-return-status',
  text: 'SELECT status FROM account.payment WHERE id = $1 AND environment = $2',
}

/**
 * The state of a payment, and nothing else of it, for anybody who has the link of our page. Throws
 * NOT_FOUND for a link that we did not sign, or that has expired.
 */
export async function getReturnStatus(
  { gatewaySecret, database }: Pick<AccountContext, 'gatewaySecret' | 'database'>,
  environment: Environment,
  link: ReturnLink,
): Promise<CheckoutStatus> {
  if (!isReturnLink(gatewaySecret, link)) throw noSuchLink()
  const [payment] = await database
    .as(allTenants)
    .query<{ status: CheckoutStatus }>(statusById, [link.checkoutId, environment])
  if (!payment) throw noSuchLink()
  return payment.status
}

function noSuchLink(): DomainError {
  return new DomainError('NOT_FOUND', 'This link is invalid or no longer works.')
}
