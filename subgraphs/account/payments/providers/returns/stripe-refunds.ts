import type Stripe from 'stripe'
import { isId } from '../../../../../schema/vocabulary/ids.ts'
import type { RefundAnswer, RefundingProvider, RefundRequest } from './return-notification.ts'
import { refundOf } from './stripe-returns.ts'

/**
 * Stripe forgets an idempotency key after a day. Well before that, a refund is searched instead.
 */
const searchAfterMs = 12 * 3_600_000
/** The most refunds that are read: as many as Stripe lists at once. A payment has fewer. */
const maxRefunds = 100

/** Refunds by Stripe. The metadata of Stripe's refund names ours. */
export function stripeRefunds(
  { refunds, paymentIntents, checkout }: Stripe,
  { StripeInvalidRequestError }: typeof Stripe.errors,
): RefundingProvider {
  /** A refund needs a PaymentIntent; for a payment on a page we may only know the session. */
  async function intentOf({ paymentReference, paymentId }: RefundRequest): Promise<string> {
    if (paymentReference === null) throw new Error(`The id of ${paymentId} at Stripe is not known.`)
    if (!paymentReference.startsWith('cs_')) return paymentReference
    const { payment_intent: intent } = await checkout.sessions.retrieve(paymentReference)
    const id = typeof intent === 'string' ? intent : intent?.id
    if (id === undefined) throw new Error(`The page of ${paymentId} has no payment.`)
    return id
  }

  async function find(request: RefundRequest, intent: string): Promise<RefundAnswer | null> {
    const { data } = await refunds.list({ payment_intent: intent, limit: maxRefunds })
    const found = data.find(({ metadata }) => metadata?.refund_id === request.refundId)
    return found ? refundOf(found) : null
  }

  async function create(request: RefundRequest, intent: string): Promise<RefundAnswer> {
    const { refundId, paymentId, amountCents } = request
    try {
      const params = {
        payment_intent: intent,
        amount: amountCents,
        metadata: { refund_id: refundId, payment_id: paymentId },
      }
      return refundOf(await refunds.create(params, { idempotencyKey: refundId }))
    } catch (error) {
      const isJudged =
        error instanceof StripeInvalidRequestError &&
        (error.statusCode === 400 || error.statusCode === 404)
      if (!isJudged) throw error
      // Stripe's decision is final. The code says why, and a message could repeat secrets.
      const failureReason = error.code ?? 'refused'
      return { reference: null, status: 'failed', failureReason }
    }
  }

  return {
    async refund(request) {
      if (request.reference !== null) return refundOf(await refunds.retrieve(request.reference))
      const intent = await intentOf(request)
      const isOld = Date.now() - request.createdAt.getTime() > searchAfterMs
      const found = isOld ? await find(request, intent) : null
      return found ?? create(request, intent)
    },
    async paymentIdOf(reference) {
      try {
        const { metadata } = await paymentIntents.retrieve(reference)
        const paymentId = metadata.payment_id ?? ''
        return isId('pay', paymentId) ? paymentId : null
      } catch (error) {
        if (error instanceof StripeInvalidRequestError && error.statusCode === 404) return null
        throw error
      }
    },
  }
}
