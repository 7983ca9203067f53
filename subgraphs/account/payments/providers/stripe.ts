import type Stripe from 'stripe'
import { invalidRequest } from '../../../shared/graph/errors.ts'
import type { StripeSettings } from '../../settings/account-settings.ts'
import {
  badSignature,
  type Card,
  type PaymentOutcome,
  type PaymentProvider,
  type PaymentRequest,
  signatureMaxAgeSeconds,
  type TaxedSale,
  type TaxQuote,
} from './payment-provider.ts'
import { stripeRefunds } from './returns/stripe-refunds.ts'
import { notificationOf } from './stripe-notifications.ts'
import {
  cardOf,
  failed,
  outcomeOfIntent,
  outcomeOfSession,
  type Refusal,
  wantsHolder,
} from './stripe-outcomes.ts'
import { intentParams, sessionParams } from './stripe-requests.ts'
import { quoteByStripe } from './stripe-tax.ts'

/** The version of Stripe's API whose shapes this code reads; its notifications have it too. */
const apiVersion = '2026-10-28.endive'

/** Limits each request, its answer included. The library makes a second attempt at most. */
const timeoutMs = 10_000
/**
 * Stripe forgets an idempotency key after a day. Well before that, a payment is searched instead.
 */
const searchAfterMs = 12 * 3_600_000

const paymentMethod = /^pm_[A-Za-z0-9_]{1,190}$/

/** Whether the text has the form of a payment method of Stripe. */
export function isStripeMethod(text: string): boolean {
  return paymentMethod.test(text)
}

const isPage = (reference: string) => reference.startsWith('cs_')
const expandedIntent = { expand: ['payment_method'] }
const expandedPage = { expand: ['payment_intent.payment_method'] }

const opened = new WeakMap<StripeSettings, Promise<PaymentProvider>>()

/**
 * Collects through Stripe: by stored methods with PaymentIntents, else on the page of a Checkout
 * Session. The first use of these options loads the library.
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

// oxlint-disable-next-line max-lines-per-function -- its short functions share the client, whose classes are loaded here.
async function open(
  { secretKey, webhookSecret, apiUrl, computesTax = false }: StripeSettings,
  warn: (message: string) => void,
): Promise<PaymentProvider> {
  const { default: Stripe } = await import('stripe')
  const stripe = new Stripe(secretKey, {
    ...(apiUrl === undefined ? {} : addressOf(apiUrl)),
    apiVersion,
    // This client's timeout covers the whole answer; the other client's covers each pause of it.
    httpClient: Stripe.createFetchHttpClient(),
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  })
  const { paymentIntents } = stripe
  const { sessions } = stripe.checkout
  const isLive = /^[rs]k_live_/.test(secretKey)

  async function create(request: PaymentRequest, method: string): Promise<PaymentOutcome> {
    const { paymentId } = request
    try {
      const options = { idempotencyKey: paymentId }
      return outcomeOfIntent(await paymentIntents.create(intentParams(request, method), options))
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError) {
        const { code, message, payment_intent: intent } = error
        const refusal = { type: 'card_error', code, message } as const
        return isForHolder(request, refusal)
          ? openPage(request)
          : { ...failed(refusal, intent?.id), reference: intent?.id }
      }
      return judged(error, request)
    }
  }

  /** Every attempt has the same parameters, so a lost answer leads to the same page. */
  async function openPage(request: PaymentRequest): Promise<PaymentOutcome> {
    try {
      const options = { idempotencyKey: `${request.paymentId}/page` }
      return outcomeOfSession(await sessions.create(sessionParams(request), options))
    } catch (error) {
      return judged(error, request)
    }
  }

  /** Throws the error again unless it is Stripe's final decision. */
  function judged(error: unknown, { paymentId }: PaymentRequest): PaymentOutcome {
    if (!isRefusal(error)) throw error
    // Stripe's decision is final, so another attempt is useless.
    warn(`The payment ${paymentId} was refused: ${describe(error)}`)
    const isMethod = error.param === 'payment_method'
    const reason = isMethod ? 'The payment method cannot be used.' : 'The payment was refused.'
    return { status: 'failed', reason }
  }

  function isRefusal(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
    return (
      error instanceof Stripe.errors.StripeInvalidRequestError &&
      (error.statusCode === 400 || error.statusCode === 404)
    )
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

  async function ask(request: PaymentRequest, reference: string): Promise<PaymentOutcome> {
    if (isPage(reference)) return outcomeOfSession(await sessions.retrieve(reference, expandedPage))
    return outcomeOfAttempt(request, await paymentIntents.retrieve(reference, expandedIntent))
  }

  /** A page is opened if the intent cannot succeed without the holder of the card. */
  async function outcomeOfAttempt(
    request: PaymentRequest,
    intent: Stripe.PaymentIntent,
  ): Promise<PaymentOutcome> {
    const isOpen = intent.status === 'requires_payment_method'
    if (isOpen && isForHolder(request, intent.last_payment_error)) return openPage(request)
    return outcomeOfIntent(intent)
  }

  async function collect(request: PaymentRequest): Promise<PaymentOutcome> {
    const { reference, paymentMethod } = request
    if (reference !== null) return ask(request, reference)
    if (paymentMethod === null) return openPage(request)
    const isOld = Date.now() - request.createdAt.getTime() > searchAfterMs
    const found = isOld ? await find(request.paymentId) : undefined
    return found ? outcomeOfAttempt(request, found) : create(request, paymentMethod)
  }

  async function close(request: PaymentRequest): Promise<PaymentOutcome> {
    const { reference } = request
    if (reference === null) return collect(request)
    try {
      if (isPage(reference)) await sessions.expire(reference)
      else await paymentIntents.cancel(reference)
    } catch (error) {
      // The payment was paid or closed before: the request below tells which.
      if (!isRefusal(error)) throw error
    }
    const outcome = await ask(request, reference)
    const isEnded = outcome.status === 'failed' && outcome.attempt === null
    return isEnded ? { status: 'expired', reference } : outcome
  }

  async function forgetCard(reference: string): Promise<void> {
    try {
      await stripe.paymentMethods.detach(reference)
    } catch (error) {
      // Stripe has already forgotten the card.
      if (!isRefusal(error)) throw error
    }
  }

  function read(body: string, signature: string): Stripe.Event {
    try {
      return stripe.webhooks.constructEvent(body, signature, webhookSecret, signatureMaxAgeSeconds)
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error
      throw badSignature('Stripe-Signature', error.message)
    }
  }

  /** Stripe knows no card of an object that it does not know. */
  async function cardPaidWith(reference: string): Promise<Card | null> {
    try {
      const intent = isPage(reference)
        ? (await sessions.retrieve(reference, expandedPage)).payment_intent
        : await paymentIntents.retrieve(reference, expandedIntent)
      const method = typeof intent === 'string' ? null : intent?.payment_method
      const isNamed = typeof method === 'string'
      return cardOf(isNamed ? await stripe.paymentMethods.retrieve(method) : method) ?? null
    } catch (error) {
      if (!isRefusal(error)) throw error
      return null
    }
  }

  async function quoteTax(sale: TaxedSale): Promise<TaxQuote | null> {
    try {
      return await quoteByStripe(stripe, sale)
    } catch (error) {
      if (!isRefusal(error) || error.code !== 'customer_tax_location_invalid') throw error
      warn(`Stripe Tax cannot place an address in ${sale.buyer.country}: ${describe(error)}`)
      return null
    }
  }

  const returns = stripeRefunds(stripe, Stripe.errors)

  return {
    name: 'stripe',
    freeMethods: [],
    minimumCents: 50,
    isMethod: isStripeMethod,
    async createCustomer(accountId) {
      const { customers } = stripe
      const options = { idempotencyKey: `customer/${accountId}` }
      const metadata = { account_id: accountId }
      return (await described(customers.create({ metadata }, options))).id
    },
    collect: (request) => described(collect(request)),
    refund: (request) => described(returns.refund(request)),
    paymentIdOf: (reference) => described(returns.paymentIdOf(reference)),
    close: (request) => described(close(request)),
    cardOf: (reference) => described(cardPaidWith(reference)),
    forgetCard: (reference) => described(forgetCard(reference)),
    ...(computesTax ? { quoteTax: (sale: TaxedSale) => described(quoteTax(sale)) } : {}),
    async readNotification(body, signature) {
      const event = read(body, signature)
      const { livemode } = event
      if (typeof livemode === 'boolean' && livemode !== isLive) throw wrongMode()
      return notificationOf(event)
    },
  }
}

function addressOf(apiUrl: string): Stripe.StripeConfig {
  const { hostname: host, port, protocol } = new URL(apiUrl)
  return protocol === 'http:'
    ? { host, port: port || '80', protocol: 'http' }
    : { host, port: port || '443' }
}

function isForHolder({ isOffSession }: PaymentRequest, refusal: Refusal | null): boolean {
  return isOffSession && wantsHolder(refusal)
}

function wrongMode(): Error {
  const message = 'does not fit the key of this gateway: one is live, and the other a test'
  return invalidRequest([{ field: 'livemode', in: 'body', message }])
}
