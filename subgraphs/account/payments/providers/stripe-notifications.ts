import type Stripe from 'stripe'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import type { PaymentNotification, PaymentOutcome } from './payment-provider.ts'
import { readStripeReturn } from './returns/stripe-returns.ts'
import { outcomeOfIntent, wantsHolder } from './stripe-outcomes.ts'

/** Other software that shares the Stripe account has payments of its own. */
function paymentOf({ metadata }: { readonly metadata?: Stripe.Metadata | null }): string | null {
  const { payment_id: paymentId = '' } = metadata ?? {}
  return isId('pay', paymentId) ? paymentId : null
}

/** Reads an event whose signature was checked. `withCard` asks about the card of a paid page. */
export async function notificationOf(
  event: Stripe.Event,
  withCard: (session: Stripe.Checkout.Session) => Promise<PaymentOutcome>,
): Promise<PaymentNotification> {
  const returned = readStripeReturn(event)
  if (returned) return returned
  const paymentId = 'metadata' in event.data.object ? paymentOf(event.data.object) : null
  if (paymentId === null) return { kind: 'other' }
  const about = (outcome: PaymentOutcome) => ({ kind: 'outcome', paymentId, outcome }) as const
  switch (event.type) {
    case 'payment_intent.payment_failed': {
      const { id: reference, last_payment_error: refusal } = event.data.object
      // The payment is still open: a page may be opened for the holder of the card.
      if (wantsHolder(refusal)) return about({ status: 'pending', reference })
      return about(outcomeOfIntent(event.data.object))
    }
    case 'payment_intent.succeeded':
    case 'payment_intent.canceled':
      return about(outcomeOfIntent(event.data.object))
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return about(await withCard(event.data.object))
    case 'checkout.session.async_payment_failed':
      return about({ status: 'failed', reason: 'The payment was declined.' })
    default:
      return { kind: 'other' }
  }
}
