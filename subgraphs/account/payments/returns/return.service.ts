import type { Environment } from '../../../../schema/credentials/caller.ts'
import type { Statement, Transaction } from '../../../shared/database/database.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { PaymentContext } from '../payment-collection.service.ts'
import type { PaymentProvider } from '../providers/payment-provider.ts'
import type {
  NotificationOutcome,
  ReturnNotification,
} from '../providers/returns/return-notification.ts'
import { enterDispute } from './dispute-state.service.ts'
import { enterRefund, enterReturnedCents } from './refund-state.service.ts'
import { type LockedPayment, lockPayment } from './returned-payment.service.ts'
import { noteUnmatched } from './unmatched-notification.service.ts'

interface ReceivedReturn {
  /** The environment of the listener that received the notification. */
  readonly environment: Environment
  readonly provider: PaymentProvider
  readonly notification: ReturnNotification
}

/**
 * Enters a refund or a dispute from a provider's notification. Repetitions, in any order, change
 * nothing. A notification that contradicts our payment is kept for operators. Throws
 * SERVICE_UNAVAILABLE if the payment is not settled here yet: the provider sends the notification
 * again.
 */
export async function receiveReturn(
  context: PaymentContext,
  received: ReceivedReturn,
): Promise<NotificationOutcome> {
  const paymentId = await paymentIdOf(context, received)
  if (paymentId === null) return 'other_type'
  try {
    return await context.database.transaction((tx) => enter(tx, context, received, paymentId))
  } catch (error) {
    // The ledger has no entry of credits that came with the payment.
    const isUnknown = error instanceof DomainError && error.extensions.code === 'NOT_FOUND'
    if (!isUnknown) throw error
    return context.database.transaction((tx) =>
      leaveToOperators(tx, context, received, { paymentId, payment: null, reason: error.message }),
    )
  }
}

const paymentByReference: Statement = {
  name: 'return-payment-by-reference',
  text: 'SELECT id FROM account.payment WHERE provider_reference = $1 AND provider = $2',
}

/** The id of our payment; null if the payment is of another system. */
async function paymentIdOf(
  { database }: PaymentContext,
  { provider, notification: { paymentId, paymentReference } }: ReceivedReturn,
): Promise<string | null> {
  if (paymentId !== null || paymentReference === null) return paymentId
  const values = [paymentReference, provider.name]
  const [payment] = await database.query<{ id: string }>(paymentByReference, values)
  if (payment) return payment.id
  // The provider may already name our payment although its id at the provider is not stored here
  // yet.
  return (await provider.paymentIdOf?.(paymentReference)) ?? null
}

async function enter(
  tx: Transaction,
  context: PaymentContext,
  received: ReceivedReturn,
  paymentId: string,
): Promise<NotificationOutcome> {
  const payment = await lockPayment(tx, paymentId)
  const reason = await contradictionOf(tx, received, payment)
  if (!payment || reason !== null) {
    const why = reason ?? 'No payment has this id.'
    return leaveToOperators(tx, context, received, { paymentId, payment, reason: why })
  }
  if (payment.status !== 'paid') {
    throw new DomainError('SERVICE_UNAVAILABLE', 'The payment is not settled here yet.', {
      retryAfterSeconds: 60,
      internal: `The payment ${paymentId} is ${payment.status}.`,
    })
  }
  const { notification } = received
  if (notification.kind === 'dispute') {
    await enterDispute(tx, context, payment, notification.dispute)
  } else if (notification.refund) {
    await enterRefund(tx, context, payment, notification.refund)
  } else {
    await enterReturnedCents(tx, context, payment, notification.returnedCents ?? 0)
  }
  return 'taken'
}

const customerOf: Statement = {
  name: 'return-customer',
  text: `SELECT reference FROM account.payment_customer WHERE account_id = $1 AND provider = $2`,
}

/**
 * The difference between the notification and the payment, for operators; null if there is none.
 */
async function contradictionOf(
  tx: Transaction,
  { environment, provider, notification }: ReceivedReturn,
  payment: LockedPayment | null,
): Promise<string | null> {
  if (!payment) return 'No payment has this id.'
  const { paymentReference, accountId, customer, currency } = notification
  if (payment.environment !== environment || payment.provider !== provider.name) {
    return 'The payment is of another environment or provider.'
  }
  // A page may have been paid nevertheless, and we may not know it yet.
  if (payment.status === 'failed' && !payment.hasPage) return 'The payment was not collected here.'
  if (isOther(paymentReference, payment.providerReference)) {
    return 'The provider has another id for the payment.'
  }
  if (accountId !== undefined && accountId !== payment.accountId) {
    return 'The payment is of another account.'
  }
  if (currency !== undefined && currency !== payment.currency) return 'The currency differs.'
  if (centsOf(notification) > payment.totalCents) return 'It is more than was paid.'
  if (customer === undefined) return null
  const values = [payment.accountId, provider.name]
  const [known] = await tx.query<{ reference: string }>(customerOf, values)
  return !known || known.reference === customer ? null : "The customer is another account's."
}

/**
 * Ids of different kinds cannot be compared, such as the id of a page and the id of its payment.
 */
function isOther(one: string | null, known: string | null): boolean {
  if (one === null || known === null || one === known) return false
  return one.split('_')[0] === known.split('_')[0]
}

function centsOf(notification: ReturnNotification): number {
  if (notification.kind === 'dispute') return notification.dispute.amountCents
  return notification.refund?.amountCents ?? notification.returnedCents ?? 0
}

interface Mismatch {
  readonly paymentId: string
  readonly payment: LockedPayment | null
  readonly reason: string
}

async function leaveToOperators(
  tx: Transaction,
  context: PaymentContext,
  { environment, provider, notification }: ReceivedReturn,
  { paymentId, payment, reason }: Mismatch,
): Promise<NotificationOutcome> {
  const accountId = payment?.accountId ?? null
  const unmatched = { environment, provider: provider.name, notification, paymentId, accountId }
  await noteUnmatched(tx, context, { ...unmatched, reason })
  context.warn(`A ${notification.kind} of the payment ${paymentId} does not match: ${reason}`)
  return 'unmatched'
}
