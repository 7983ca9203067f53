import type Stripe from 'stripe'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import type { StripeSettings } from '../../settings/account-settings.ts'
import {
  badSignature,
  type PaymentOutcome,
  type PaymentProvider,
  type PaymentRequest,
  signatureMaxAgeSeconds,
} from './payment-provider.ts'
import { stripeRefunds } from './returns/stripe-refunds.ts'
import { readStripeReturn } from './returns/stripe-returns.ts'

/** Limits each request, its answer included. The library makes a second attempt at most. */
const timeoutMs = 10_000
/**
 * Stripe forgets an idempotency key after a day. Well before that, a payment is searched instead.
 */
const searchAfterMs = 12 * 3_600_000

const paymentMethod = /^pm_[A-Za-z0-9_]{1,190}$/
const needsCustomer = 'The card needs its holder to confirm the payment: use another one.'

const opened = new WeakMap<StripeSettings, Promise<PaymentProvider>>()

/**
 * Collects through Stripe's PaymentIntents. The first use of these options loads the library.
 * `warn` receives requests that Stripe refused because of a mistake of the gateway, without a
 * secret.
 */
export function stripeProvider(
  options: StripeSettings,
  warn: (message: string) => void,
): Promise<PaymentProvider> {
  const known = opened.get(options)
  if (known) return known
  const provider = open(options, warn)
  opened.set(options, provider)
  return provider
}

async function open(
  { secretKey, webhookSecret, apiUrl }: StripeSettings,
  warn: (message: string) => void,
): Promise<PaymentProvider> {
  const { default: Stripe } = await import('stripe')
  const stripe = new Stripe(secretKey, {
    ...(apiUrl === undefined ? {} : addressOf(apiUrl)),
    // This client's timeout covers the whole answer; the other client's covers each pause of it.
    httpClient: Stripe.createFetchHttpClient(),
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  })
  const { paymentIntents } = stripe

  async function create(request: PaymentRequest): Promise<PaymentOutcome> {
    const { paymentId } = request
    try {
      return outcomeOf(
        await paymentIntents.create(paramsOf(request), { idempotencyKey: paymentId }),
      )
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError) {
        const { code, message } = error
        return {
          ...failed({ type: 'card_error', code, message }),
          reference: error.payment_intent?.id,
        }
      }
      const isJudged =
        error instanceof Stripe.errors.StripeInvalidRequestError &&
        (error.statusCode === 400 || error.statusCode === 404)
      if (!isJudged) throw error
      // Stripe's decision is final, so another attempt is useless.
      warn(`The payment ${paymentId} was refused: ${describe(error)}`)
      const isMethod = error.param === 'payment_method'
      const reason = isMethod ? 'The payment method cannot be used.' : 'The payment was refused.'
      return { status: 'failed', reason }
    }
  }

  async function find(paymentId: string): Promise<Stripe.PaymentIntent | undefined> {
    const query = `metadata['payment_id']:'${paymentId}'`
    return (await paymentIntents.search({ query, limit: 1 })).data[0]
  }

  /** The message of an error could repeat secrets of the request, so only its codes are used. */
  function describe(error: unknown): string {
    if (!(error instanceof Stripe.errors.StripeError)) return String(error)
    const { type, statusCode, code, param, requestId, message } = error
    const words = error instanceof Stripe.errors.StripeConnectionError ? message : undefined
    return [type, statusCode, code, param, requestId, words].filter(Boolean).join(' ')
  }

  async function described<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (error) {
      throw new Error(describe(error), { cause: error })
    }
  }

  async function collect(request: PaymentRequest): Promise<PaymentOutcome> {
    if (request.reference !== null) {
      return outcomeOf(await paymentIntents.retrieve(request.reference))
    }
    const isOld = Date.now() - request.createdAt.getTime() > searchAfterMs
    const found = isOld ? await find(request.paymentId) : undefined
    return found ? outcomeOf(found) : create(request)
  }

  const returns = stripeRefunds(stripe, Stripe.errors)

  return {
    name: 'stripe',
    defaultMethod: null,
    methodRule: 'must be the id of a payment method, pm_…',
    isMethod: (text) => paymentMethod.test(text),
    async createCustomer(accountId) {
      const { customers } = stripe
      const options = { idempotencyKey: `customer/${accountId}` }
      const metadata = { account_id: accountId }
      return (await described(customers.create({ metadata }, options))).id
    },
    collect: (request) => described(collect(request)),
    refund: (request) => described(returns.refund(request)),
    paymentIdOf: (reference) => described(returns.paymentIdOf(reference)),
    readNotification(body, signature) {
      try {
        const event = stripe.webhooks.constructEvent(
          body,
          signature,
          webhookSecret,
          signatureMaxAgeSeconds,
        )
        return notificationOf(event)
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
        throw badSignature('Stripe-Signature')
      }
    },
  }
}

function addressOf(apiUrl: string): Stripe.StripeConfig {
  const { hostname: host, port, protocol } = new URL(apiUrl)
  return protocol === 'http:'
    ? { host, port: port || '80', protocol: 'http' }
    : { host, port: port || '443' }
}

/** Every attempt has the same parameters: Stripe refuses another request under the same key. */
function paramsOf(request: PaymentRequest): Stripe.PaymentIntentCreateParams {
  const { paymentId, accountId, totalCents, currency, isOffSession, customer } = request
  return {
    amount: totalCents,
    currency: currency.toLowerCase(),
    payment_method: request.paymentMethod,
    ...(customer === null ? {} : { customer }),
    metadata: { payment_id: paymentId, account_id: accountId },
    confirm: true,
    // The gateway has no page to which a browser could return, so a payment that needs one fails
    // finally.
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    error_on_requires_action: true,
    ...(isOffSession ? { off_session: true } : { setup_future_usage: 'off_session' }),
  }
}

function outcomeOf(intent: Stripe.PaymentIntent): PaymentOutcome {
  const { id: reference, status, last_payment_error } = intent
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', reference }
    case 'canceled':
      return { status: 'failed', reason: 'The payment was canceled.', reference }
    case 'requires_action':
      return { status: 'failed', reason: needsCustomer, reference }
    case 'requires_payment_method':
    case 'requires_confirmation':
      return { ...failed(last_payment_error), reference }
    default:
      // processing, requires_capture, and statuses that later versions may add.
      return { status: 'pending', reference }
  }
}

type Refusal = Pick<Stripe.PaymentIntent.LastPaymentError, 'type' | 'code' | 'message'>

/** Stripe's message about a card is written for its holder; other messages are for developers. */
function failed(refusal: Refusal | null): Extract<PaymentOutcome, { status: 'failed' }> {
  if (refusal?.code === 'authentication_required')
    return { status: 'failed', reason: needsCustomer }
  const words = refusal?.type === 'card_error' ? refusal.message : undefined
  return { status: 'failed', reason: words || 'The payment was declined.' }
}

function notificationOf(event: Stripe.Event): ReturnType<PaymentProvider['readNotification']> {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const { payment_id: paymentId = '' } = event.data.object.metadata
      // Other software that shares the Stripe account has payments of its own.
      if (!isId('pay', paymentId)) return null
      return { kind: 'outcome', paymentId, outcome: outcomeOf(event.data.object) }
    }
    default:
      return readStripeReturn(event)
  }
}
