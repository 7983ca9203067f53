import { macKey } from '../../../../schema/credentials/secrets.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import type { PaymentStatus } from '../payment.type.ts'
import {
  notificationsOf,
  offeredActions,
  type PaidPayment,
  type ReturnAction,
  type ReturnedPayment,
  returnActions,
} from '../providers/returns/simulated-returns.ts'
import { deliverNotice } from '../providers/simulated-notice.ts'

/** A payment on its page, with its returned money. */
export interface ReturnablePayment extends PaidPayment, ReturnedPayment {
  readonly status: PaymentStatus
  /** The number of refunds that were begun. */
  readonly refunds: number
}

/** SQL: the money of the payment `p` that came back. */
export const returnColumns = `
  p.total_cents - (SELECT coalesce(sum(r.amount_cents), 0)::bigint FROM account.payment_refund r
    WHERE r.payment_id = p.id AND r.status <> 'failed') AS "leftCents",
  (SELECT count(*)::int FROM account.payment_refund r WHERE r.payment_id = p.id) AS refunds,
  coalesce((SELECT CASE WHEN d.status IN ('won', 'lost') THEN 'closed' ELSE 'open' END
    FROM account.payment_dispute d WHERE d.payment_id = p.id ORDER BY d.id DESC LIMIT 1), 'none')
    AS dispute`

/** The ways in which the money can come back now: only a simulated payment can be returned here. */
export function offeredReturns(payment: ReturnablePayment): ReturnAction[] {
  return payment.status === 'paid' ? offeredActions(payment) : []
}

export function isReturnAction(choice: string): choice is ReturnAction {
  return returnActions.some((action) => action === choice)
}

const notices: Readonly<Record<ReturnAction, string>> = {
  refund: 'The provider has returned the money.',
  refund_part: 'The provider has returned a part of the money.',
  dispute: 'The bank of the buyer has taken the money back.',
  win: 'The dispute is won: the bank has given the money back.',
  lose: 'The dispute is lost.',
}

/**
 * Returns the money, and tells the gateway by signed notifications, one after the other. Returns
 * what has happened, for people. A choice that is not offered changes nothing. Two equal choices at
 * the same time have one effect, because both name the same refund.
 */
export async function returnSimulated(
  { payments, gatewaySecret, caller }: AccountContext,
  payment: ReturnablePayment,
  action: ReturnAction,
): Promise<string> {
  if (!offeredReturns(payment).includes(action)) return 'This is not possible now.'
  const url = payments?.notificationUrls?.[caller.environment]
  const key = macKey(gatewaySecret, 'payment-notification')
  const attempt = `${payment.paymentId}_${payment.refunds}`
  for (const body of notificationsOf(action, payment, attempt)) {
    const isTaken = url !== undefined && (await deliverNotice(url, JSON.stringify(body), key))
    if (!isTaken) return 'The gateway was not told. Try it again.'
  }
  return notices[action]
}
