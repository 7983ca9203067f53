import type Stripe from 'stripe'
import type { PaymentRequest } from './payment-provider.ts'

/**
 * Parameters of a payment by a stored method. Every attempt has the same parameters: Stripe refuses
 * another request under the same key.
 */
export function intentParams(
  request: PaymentRequest,
  paymentMethod: string,
): Stripe.PaymentIntentCreateParams {
  const { totalCents, currency, isOffSession, customer, returnUrl, taxQuote } = request
  return {
    amount: totalCents,
    currency: currency.toLowerCase(),
    payment_method: paymentMethod,
    ...(customer === null ? {} : { customer }),
    metadata: metadataOf(request),
    // With this, Stripe's tax reports contain the sale.
    ...(taxQuote === null ? {} : { hooks: { inputs: { tax: { calculation: taxQuote } } } }),
    confirm: true,
    ...(isOffSession
      ? {
          // No browser can be redirected here: a page is opened if the bank wants a confirmation.
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          error_on_requires_action: true,
          off_session: true,
        }
      : {
          automatic_payment_methods: { enabled: true },
          return_url: writtenOut(returnUrl),
          setup_future_usage: 'off_session',
        }),
    expand: ['payment_method'],
  }
}

/** Parameters of a page: the payer chooses a method there, which Stripe keeps for recharges. */
export function sessionParams(request: PaymentRequest): Stripe.Checkout.SessionCreateParams {
  const { paymentId, totalCents, currency, description, customer, returnUrl } = request
  const metadata = metadataOf(request)
  return {
    mode: 'payment',
    ...(customer === null ? {} : { customer }),
    client_reference_id: paymentId,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: totalCents,
          product_data: { name: description },
        },
      },
    ],
    payment_intent_data: { setup_future_usage: 'off_session', metadata },
    metadata,
    success_url: writtenOut(returnUrl),
    cancel_url: writtenOut(returnUrl),
  }
}

function metadataOf({ paymentId, accountId }: PaymentRequest): Stripe.MetadataParam {
  return { payment_id: paymentId, account_id: accountId }
}

/** Stripe replaces words in braces, such as `{CHECKOUT_SESSION_ID}`: nothing is added for others. */
function writtenOut(url: string): string {
  return url.replaceAll('{', '%7B').replaceAll('}', '%7D')
}
