import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as Stripe saw it; `params` with their brackets, such as `metadata[payment_id]`. */
export interface StripeRequest {
  /** Method and path, such as `POST /v1/payment_intents`. */
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
}

/** A fault in place of the answer to a request. */
type Fault =
  /** The connection ends before the request takes effect. */
  | 'drop'
  /** The request takes effect, and the answer is lost. */
  | 'lose-answer'
  /** No answer comes. */
  | 'hang'
  | 'error-500'

interface Answer {
  readonly status: number
  readonly body: object
}

/** The few endpoints of Stripe that a gateway uses, with its idempotency keys, over real HTTP. */
export interface StripeStub {
  readonly url: string
  readonly received: StripeRequest[]
  /** The intents of a payment. */
  intentsOf(paymentId: string): readonly Record<string, unknown>[]
  /** The pages of a payment. */
  sessionsOf(paymentId: string): readonly Record<string, unknown>[]
  /** Pays on the page as a payer does, with a card that Stripe keeps. */
  payOnPage(paymentId: string, changes?: object): void
  /** The ids of an account's customers. */
  customersOf(accountId: string): readonly string[]
  /** The requests for an account. */
  requestsOf(accountId: string, route: string): StripeRequest[]
  /** The faults of the next requests that name this account, or an object of it, in order. */
  failNext(accountId: string, ...faults: readonly Fault[]): void
  /** The refunds of a payment. */
  refundsOf(paymentId: string): readonly Record<string, unknown>[]
  /** The quotes of tax that were asked for from this city. */
  taxQuotesOf(city: string): readonly StripeRequest[]
  /** The status of the refunds that are begun from now on; with `error`, they are refused. */
  refundWith(answer: { readonly status: string } | { readonly error: string }): void
  /** Changes the state of an intent as the bank or an operator would. */
  decide(paymentId: string, changes: object): void
  close(): Promise<void>
}

/** The outcomes by payment method, as in Stripe's own test mode. */
const outcomes: Readonly<Record<string, object>> = {
  pm_processing: { status: 'processing' },
  pm_action: {
    status: 'requires_action',
    next_action: {
      type: 'redirect_to_url',
      redirect_to_url: { url: 'https://hooks.stripe.test/confirm' },
    },
  },
}

const cardErrors: Readonly<Record<string, object>> = {
  pm_declined: { code: 'card_declined', message: 'Your card has insufficient funds.' },
  pm_authentication: { code: 'authentication_required', message: 'Please authenticate.' },
}

const card = {
  ...{ brand: 'mastercard', last4: '4444', exp_month: 7, exp_year: 2031 },
  fingerprint: 'Xt5EWLLDS7FJjR1c',
}

/** The card that a payer enters on a page: with an id of its own for each page, and always the same number. */
const cardMethod = { object: 'payment_method', type: 'card', card }

function methodOf(id: string, isExpanded: boolean): string | object {
  return isExpanded ? { ...cardMethod, id } : id
}

export async function startStripeStub(): Promise<StripeStub> {
  const received: StripeRequest[] = []
  const intents = new Map<string, Record<string, unknown>>()
  const sessions = new Map<string, Record<string, unknown>>()
  const faults = new Map<string, Fault[]>()
  /** Idempotency key → request and answer. */
  const answers = new Map<string, { readonly asked: string; readonly answer: Answer }>()
  const customers = new Map<string, string>()
  const refunds = new Map<string, Record<string, unknown>>()
  let refundAnswer: { readonly status?: string; readonly error?: string } = { status: 'succeeded' }
  let ids = 0

  function intentsOf(paymentId: unknown): Record<string, unknown>[] {
    return [...intents.values()].filter(({ metadata }) => Object(metadata).payment_id === paymentId)
  }

  function sessionsOf(paymentId: unknown): Record<string, unknown>[] {
    return [...sessions.values()].filter(
      ({ metadata }) => Object(metadata).payment_id === paymentId,
    )
  }

  function createIntent(params: Record<string, string>): Answer {
    const method = params.payment_method ?? ''
    if (method === 'pm_missing') {
      const message = 'No such PaymentMethod.'
      return invalid({ code: 'resource_missing', param: 'payment_method', message })
    }
    if (method === 'pm_misconfigured')
      return invalid({ code: 'parameter_unknown', param: 'confirm' })
    const error = cardErrors[method]
    ids += 1
    const intent = {
      id: `pi_${ids}`,
      object: 'payment_intent',
      status: error ? 'requires_payment_method' : 'succeeded',
      last_payment_error: error ? { type: 'card_error', ...error } : null,
      next_action: null,
      amount: Number(params.amount),
      amount_received: error ? 0 : Number(params.amount),
      currency: params.currency,
      payment_method: methodOf(method, params['expand[0]'] === 'payment_method'),
      metadata: {
        payment_id: params['metadata[payment_id]'],
        account_id: params['metadata[account_id]'],
      },
      ...outcomes[method],
    }
    intents.set(intent.id, intent)
    if (!error) return { status: 200, body: intent }
    return {
      status: 402,
      body: { error: { type: 'card_error', ...error, payment_intent: intent } },
    }
  }

  function createRefund(params: Record<string, string>): Answer {
    if (refundAnswer.error) return invalid({ code: refundAnswer.error })
    ids += 1
    const refund = {
      id: `re_${ids}`,
      object: 'refund',
      amount: Number(params.amount),
      currency: 'usd',
      payment_intent: params.payment_intent,
      status: refundAnswer.status,
      metadata: {
        refund_id: params['metadata[refund_id]'],
        payment_id: params['metadata[payment_id]'],
      },
    }
    refunds.set(refund.id, refund)
    return { status: 200, body: refund }
  }

  /** Germany taxes 19 %; a VAT id of another country is reverse charge; `Nowhere` is no city. */
  function quoteTax(params: Record<string, string>): Answer {
    const city = params['customer_details[address][city]']
    if (city === 'Nowhere') return invalid({ code: 'customer_tax_location_invalid' })
    if (city === 'Offline') return { status: 500, body: { error: {} } }
    const isGerman = params['customer_details[address][country]'] === 'DE'
    const isVatId = params['customer_details[tax_ids][0][type]'] === 'eu_vat'
    const price = Number(params['line_items[0][amount]'])
    const tax = isGerman ? Math.round(price * 0.19) : 0
    const reason = isGerman ? 'standard_rated' : isVatId ? 'reverse_charge' : 'not_collecting'
    const rate = { percentage_decimal: isGerman ? '19.0' : '0.0' }
    ids += 1
    const body = {
      ...{ id: `taxcalc_${ids}`, object: 'tax.calculation', currency: params.currency },
      ...{ amount_total: price + tax, tax_amount_exclusive: tax, tax_amount_inclusive: 0 },
      tax_breakdown: [{ amount: tax, taxability_reason: reason, tax_rate_details: rate }],
    }
    return { status: 200, body }
  }

  function answerOfRefunds({ route, params }: StripeRequest): Answer | null {
    const found = refunds.get(route.replace('GET /v1/refunds/', ''))
    if (found) return { status: 200, body: found }
    if (route !== 'GET /v1/refunds') return null
    const data = [...refunds.values()].filter(
      ({ payment_intent }) => payment_intent === params.payment_intent,
    )
    return { status: 200, body: { object: 'list', data, has_more: false } }
  }

  function createSession(params: Record<string, string>): Answer {
    ids += 1
    const id = `cs_test_${ids}`
    const session = {
      id,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      url: `https://checkout.stripe.test/c/pay/${id}`,
      amount_total: Number(params['line_items[0][price_data][unit_amount]']),
      currency: params['line_items[0][price_data][currency]'],
      payment_intent: null,
      client_reference_id: params.client_reference_id,
      metadata: {
        payment_id: params['metadata[payment_id]'],
        account_id: params['metadata[account_id]'],
      },
    }
    sessions.set(id, session)
    return { status: 200, body: session }
  }

  function expireSession(session: Record<string, unknown>): Answer {
    if (session.status !== 'open') return invalid({ message: 'Only open sessions can be expired.' })
    Object.assign(session, { status: 'expired', url: null })
    return { status: 200, body: session }
  }

  function cancelIntent(intent: Record<string, unknown>): Answer {
    if (intent.status === 'succeeded') return invalid({ code: 'payment_intent_unexpected_state' })
    Object.assign(intent, { status: 'canceled', next_action: null })
    return { status: 200, body: intent }
  }

  function createCustomer(params: Record<string, string>): Answer {
    ids += 1
    const id = `cus_${ids}`
    customers.set(id, params['metadata[account_id]'] ?? '')
    return { status: 200, body: { id, object: 'customer' } }
  }

  /** Stripe keeps the answer to a key, and refuses other parameters under it. */
  function once(key: string, params: Record<string, string>, work: () => Answer): Answer {
    const asked = JSON.stringify(params)
    const known = answers.get(key)
    if (known && known.asked !== asked) {
      return { status: 400, body: { error: { type: 'idempotency_error' } } }
    }
    const answer = known?.answer ?? work()
    answers.set(key, { asked, answer })
    return answer
  }

  /** What a request names in its path: kind, object and action. */
  function namedBy(route: string) {
    const [, method, kind, id = '', action] =
      /^(GET|POST) \/v1\/(payment_intents|checkout\/sessions|payment_methods)\/(\w+)(\/\w+)?$/.exec(
        route,
      ) ?? []
    return { method, kind, id, action, found: intents.get(id) ?? sessions.get(id) }
  }

  /** Stripe leaves out what a request did not ask to expand. */
  function shown(object: Record<string, unknown>, params: StripeRequest['params']): object {
    const isExpanded = params['expand[0]'] !== undefined
    const intent = Object(object.payment_intent)
    const method = Object(object.payment_method)
    return {
      ...object,
      ...(object.payment_intent && !isExpanded ? { payment_intent: intent.id } : {}),
      ...(method.id && !isExpanded ? { payment_method: method.id } : {}),
    }
  }

  function answerOf({ route, params, headers }: StripeRequest): Answer {
    const key = String(headers['idempotency-key'])
    if (route === 'POST /v1/customers') return once(key, params, () => createCustomer(params))
    if (route === 'POST /v1/payment_intents') return once(key, params, () => createIntent(params))
    if (route === 'POST /v1/tax/calculations') return quoteTax(params)
    if (route === 'POST /v1/refunds') return once(key, params, () => createRefund(params))
    const ofRefunds = answerOfRefunds({ route, params, headers })
    if (ofRefunds) return ofRefunds
    if (route === 'GET /v1/payment_intents/search') {
      const [, paymentId] = /^metadata\['payment_id'\]:'(pay_\w+)'$/.exec(params.query ?? '') ?? []
      const body = { object: 'search_result', data: intentsOf(paymentId), has_more: false }
      return { status: 200, body }
    }
    if (route === 'POST /v1/checkout/sessions')
      return once(key, params, () => createSession(params))
    const { method, kind, id, action, found } = namedBy(route)
    if (kind === 'payment_methods' && action === '/detach') return { status: 200, body: { id } }
    if (found && action === '/expire') return expireSession(found)
    if (found && action === '/cancel') return cancelIntent(found)
    if (found && method === 'GET') return { status: 200, body: shown(found, params) }
    return { status: 404, body: { error: { type: 'invalid_request_error' } } }
  }

  function serve(request: StripeRequest, res: ServerResponse): void {
    const { metadata } = Object(namedBy(request.route).found)
    const account = request.params['metadata[account_id]'] ?? Object(metadata).account_id
    const fault = faults.get(account)?.shift()
    if (fault === 'hang') return
    if (fault === 'drop') return void res.destroy()
    const answer = fault === 'error-500' ? { status: 500, body: { error: {} } } : answerOf(request)
    if (fault === 'lose-answer') return void res.destroy()
    send(res, answer)
  }

  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://stripe.test')
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
      const params = Object.fromEntries([...searchParams, ...form])
      const request = { route: `${req.method} ${pathname}`, params, headers: req.headers }
      received.push(request)
      serve(request, res)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    received,
    intentsOf,
    sessionsOf,
    payOnPage(paymentId, changes = {}) {
      for (const session of sessionsOf(paymentId)) {
        const payment_intent = {
          ...{ id: `pi_of_${String(session.id)}`, object: 'payment_intent', status: 'succeeded' },
          ...{ amount: session.amount_total, amount_received: session.amount_total },
          ...{ currency: session.currency, last_payment_error: null, next_action: null },
          ...{ payment_method: { ...cardMethod, id: `pm_of_${String(session.id)}` } },
          metadata: session.metadata,
        }
        intents.set(payment_intent.id, payment_intent)
        const paid = { status: 'complete', payment_status: 'paid', url: null, payment_intent }
        Object.assign(session, paid, changes)
      }
    },
    customersOf: (accountId) =>
      [...customers].filter(([, owner]) => owner === accountId).map(([id]) => id),
    requestsOf: (accountId, route) =>
      received.filter(
        (request) =>
          request.route === route && request.params['metadata[account_id]'] === accountId,
      ),
    taxQuotesOf: (city) =>
      received.filter(
        ({ route, params }) =>
          route === 'POST /v1/tax/calculations' &&
          params['customer_details[address][city]'] === city,
      ),
    failNext: (accountId, ...next) => void faults.set(accountId, [...next]),
    refundsOf: (paymentId) =>
      [...refunds.values()].filter(({ metadata }) => Object(metadata).payment_id === paymentId),
    refundWith(answer) {
      refundAnswer = answer
    },
    decide(paymentId, changes) {
      for (const intent of intentsOf(paymentId)) Object.assign(intent, changes)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function invalid(error: object): Answer {
  return { status: 400, body: { error: { type: 'invalid_request_error', ...error } } }
}

function send(res: ServerResponse, { status, body }: Answer): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
