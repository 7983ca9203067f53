import type Stripe from 'stripe'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import type { PaymentNotification, PaymentOutcome } from './payment-provider.ts'
import { readStripeReturn } from './returns/stripe-returns.ts'
import { outcomeOfIntent, outcomeOfSession, wantsHolder } from './stripe-outcomes.ts'

/** The id of our payment; null for a payment of other software that shares the Stripe account. */
function paymentOf({ metadata }: { readonly metadata?: Stripe.Metadata | null }): string | null {
  const { payment_id: paymentId = '' } = metadata ?? {}
  return isId('pay', paymentId) ? paymentId : null
}

/**
 * Reads an event whose signature was checked. It names no card: Stripe leaves out what it could
 * expand.
 */
export function notificationOf(event: Stripe.Event): PaymentNotification {
  const returned = readStripeReturn(event)
  if (returned) return returned
  const paymentId = 'metadata' in event.data.object ? paymentOf(event.data.object) : null
  if (paymentId === null) return { kind: 'other' }
  const about = (outcome: PaymentOutcome, source?: string) =>
    ({ kind: 'outcome', paymentId, outcome, source }) as const
  switch (event.type) {
    case 'payment_intent.payment_failed': {
      const { id: reference, last_payment_error: refusal } = event.data.object
      // The payment is still open: a page may be opened for the holder of the card.
      if (wantsHolder(refusal)) return about({ status: 'pending', reference })
      return about(outcomeOfIntent(event.data.object))
    }
    case 'payment_intent.succeeded':
    case 'payment_intent.canceled':
      return about(outcomeOfIntent(event.data.object), event.data.object.id)
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired': {
      const session = event.data.object
      // Only a page of the mode `payment` collects one of our payments.
      if (session.mode === 'setup' || session.mode === 'subscription') return { kind: 'other' }
      return about(outcomeOfSession(session), session.id)
    }
    case 'checkout.session.async_payment_failed':
      return about({ status: 'failed', reason: 'The payment was declined.' })
    default:
      return { kind: 'other' }
  }
}
