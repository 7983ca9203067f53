import type Stripe from 'stripe'
import { isId } from '../../../../../schema/vocabulary/ids.ts'
import type {
  RefundStatus,
  ReportedDisputeStatus,
  ReportedRefund,
  ReturnedPayment,
  ReturnNotification,
} from './return-notification.ts'

/** Reads a notification of Stripe about a refund or a dispute; null if it is about neither. */
export function readStripeReturn(event: Stripe.Event): ReturnNotification | null {
  switch (event.type) {
    case 'charge.refunded': {
      const { amount_refunded: returnedCents } = event.data.object
      return { kind: 'refund', ...chargedPayment(event.data.object), refund: null, returnedCents }
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated': {
      const refund = event.data.object
      return { kind: 'refund', ...paymentOf(refund), refund: refundOf(refund) }
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated': {
      const { id: reference, amount: amountCents } = event.data.object
      const status = disputeStatusOf(event.type, event.data.object.status)
      const dispute = { reference, amountCents, status }
      return { kind: 'dispute', ...paymentOf(event.data.object), dispute }
    }
    default:
      return null
  }
}

interface OfPayment {
  readonly payment_intent: string | { readonly id: string } | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly currency: string
}

function paymentOf({ payment_intent, metadata, currency }: OfPayment): ReturnedPayment {
  const { payment_id: paymentId = '', account_id: accountId } = metadata ?? {}
  return {
    paymentId: isId('pay', paymentId) ? paymentId : null,
    paymentReference: idOf(payment_intent),
    currency: currency.toUpperCase(),
    ...(accountId === undefined ? {} : { accountId }),
  }
}

/** A charge has the metadata of its PaymentIntent, and names the customer. */
function chargedPayment(charge: Stripe.Charge): ReturnedPayment {
  const customer = idOf(charge.customer)
  return { ...paymentOf(charge), ...(customer === null ? {} : { customer }) }
}

function idOf(object: string | { readonly id: string } | null): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null)
}

/** Converts Stripe's refund to ours. */
export function refundOf(refund: Stripe.Refund): ReportedRefund {
  const { id: reference, amount: amountCents, failure_reason: failureReason } = refund
  const refundId = refund.metadata?.refund_id
  return {
    reference,
    amountCents,
    status: refundStatusOf(refund.status),
    ...(refundId === undefined ? {} : { refundId }),
    ...(failureReason === undefined ? {} : { failureReason }),
  }
}

/** Stripe's `requires_action`, and statuses that later versions may add, decide nothing yet. */
function refundStatusOf(status: string | null): RefundStatus {
  if (status === 'succeeded') return 'succeeded'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}

function disputeStatusOf(type: string, status: string): ReportedDisputeStatus {
  if (type === 'charge.dispute.funds_withdrawn') return 'funds_withdrawn'
  if (type === 'charge.dispute.funds_reinstated') return 'funds_reinstated'
  if (status === 'won' || status === 'lost') return status
  // A dispute that was prevented is settled by a refund, which has a notification of its own.
  return status.startsWith('warning_') || status === 'prevented' ? 'inquiry' : 'open'
}
