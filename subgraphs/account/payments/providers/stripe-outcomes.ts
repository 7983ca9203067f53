import type Stripe from 'stripe'
import type { Card, PaymentOutcome } from './payment-provider.ts'

const needsCustomer = 'The card needs its holder to confirm the payment: use another one.'

/** Errors that tell of a confirmation that failed, not of a card that was declined. */
const confirmationCodes = new Set([
  'authentication_required',
  'payment_intent_authentication_failure',
])

/**
 * The outcome that an intent has for a payment by a stored method, or for one attempt on a page.
 */
export function outcomeOfIntent(intent: Stripe.PaymentIntent): PaymentOutcome {
  const { id: reference, status, last_payment_error, next_action } = intent
  switch (status) {
    case 'succeeded':
      return {
        ...{ status: 'succeeded', reference, card: cardOf(intent.payment_method) },
        paid: paidOf(intent.amount_received, intent.currency),
      }
    case 'canceled':
      return { status: 'failed', reason: 'The payment was canceled.', attempt: null, reference }
    case 'requires_action': {
      const actionUrl = next_action?.redirect_to_url?.url
      if (!actionUrl) return { status: 'failed', reason: needsCustomer, attempt: null, reference }
      return { status: 'requires_action', action: 'confirmation', actionUrl, reference }
    }
    case 'requires_payment_method':
    case 'requires_confirmation':
      return { ...failed(last_payment_error, reference), reference }
    default:
      // processing, requires_capture, and statuses that later versions may add.
      return { status: 'pending', isActed: true, reference }
  }
}

/** Whether the bank wants the holder of the card, who is absent, to confirm the payment. */
export function wantsHolder(refusal: Refusal | null): boolean {
  return refusal?.code === 'authentication_required'
}

export type Refusal = Pick<
  Stripe.PaymentIntent.LastPaymentError,
  'type' | 'code' | 'message' | 'charge'
>

/** Stripe's message about a card is written for its holder; other messages are for developers. */
export function failed(
  refusal: Refusal | null,
  reference: string | undefined,
): Extract<PaymentOutcome, { status: 'failed' }> {
  if (wantsHolder(refusal)) return { status: 'failed', reason: needsCustomer, attempt: null }
  const words = refusal?.type === 'card_error' ? refusal.message : undefined
  const isDecline = refusal !== null && !confirmationCodes.has(refusal.code ?? '')
  const attempt = isDecline ? (refusal.charge ?? reference ?? null) : null
  return { status: 'failed', reason: words || 'The payment was declined.', attempt }
}

/** The outcome that the page of a payment has: Stripe calls it a Checkout Session. */
export function outcomeOfSession(session: Stripe.Checkout.Session): PaymentOutcome {
  const { id, status, payment_status, url, payment_intent: intent } = session
  if (payment_status === 'paid' || payment_status === 'no_payment_required') {
    return {
      status: 'succeeded',
      // Refunds name the intent.
      reference: (typeof intent === 'string' ? intent : intent?.id) ?? id,
      card:
        intent === null || typeof intent === 'string' ? undefined : cardOf(intent.payment_method),
      paid: paidOf(session.amount_total, session.currency),
    }
  }
  if (status === 'expired') return { status: 'expired', reference: id }
  if (status === 'open' && url) {
    return { status: 'requires_action', action: 'page', actionUrl: url, reference: id }
  }
  // The payer has finished, but the bank has not: `payment_status` is `unpaid`.
  return { status: 'pending', isActed: true, reference: id }
}

/** A card that Stripe describes in full; other kinds of methods are not shown. */
export function cardOf(
  method: Stripe.PaymentIntent['payment_method'] | undefined,
): Card | undefined {
  if (!method || typeof method === 'string' || !method.card) return undefined
  const { brand, last4, exp_month: expMonth, exp_year: expYear, fingerprint = null } = method.card
  return { reference: method.id, brand, last4, expMonth, expYear, fingerprint }
}

function paidOf(amountCents: number | null | undefined, currency: string | null | undefined) {
  if (typeof amountCents !== 'number' || typeof currency !== 'string') return undefined
  return { amountCents, currency: currency.toUpperCase() }
}
