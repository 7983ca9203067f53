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
  /** The ids of an account's customers. */
  customersOf(accountId: string): readonly string[]
  /** The requests for an account. */
  requestsOf(accountId: string, route: string): StripeRequest[]
  /** The faults of the next requests that name this account, in order. */
  failNext(accountId: string, ...faults: readonly Fault[]): void
  /** The refunds of a payment. */
  refundsOf(paymentId: string): readonly Record<string, unknown>[]
  /** The status of the refunds that are begun from now on; with `error`, they are refused. */
  refundWith(answer: { readonly status: string } | { readonly error: string }): void
  /** Changes the state of an intent as the bank or an operator would. */
  decide(paymentId: string, changes: object): void
  close(): Promise<void>
}

/** As in Stripe's own test mode, the payment method decides the outcome. */
const outcomes: Readonly<Record<string, object>> = {
  pm_processing: { status: 'processing' },
  pm_action: { status: 'requires_action' },
}

const cardErrors: Readonly<Record<string, object>> = {
  pm_declined: { code: 'card_declined', message: 'Your card has insufficient funds.' },
  pm_authentication: { code: 'authentication_required', message: 'Please authenticate.' },
}

export async function startStripeStub(): Promise<StripeStub> {
  const received: StripeRequest[] = []
  const intents = new Map<string, Record<string, unknown>>()
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

  function answerOfRefunds({ route, params }: StripeRequest): Answer | null {
    const found = refunds.get(route.replace('GET /v1/refunds/', ''))
    if (found) return { status: 200, body: found }
    if (route !== 'GET /v1/refunds') return null
    const data = [...refunds.values()].filter(
      ({ payment_intent }) => payment_intent === params.payment_intent,
    )
    return { status: 200, body: { object: 'list', data, has_more: false } }
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

  function answerOf({ route, params, headers }: StripeRequest): Answer {
    const key = String(headers['idempotency-key'])
    if (route === 'POST /v1/customers') return once(key, params, () => createCustomer(params))
    if (route === 'POST /v1/payment_intents') return once(key, params, () => createIntent(params))
    if (route === 'POST /v1/refunds') return once(key, params, () => createRefund(params))
    const ofRefunds = answerOfRefunds({ route, params, headers })
    if (ofRefunds) return ofRefunds
    if (route === 'GET /v1/payment_intents/search') {
      const [, paymentId] = /^metadata\['payment_id'\]:'(pay_\w+)'$/.exec(params.query ?? '') ?? []
      const body = { object: 'search_result', data: intentsOf(paymentId), has_more: false }
      return { status: 200, body }
    }
    const found = intents.get(route.replace('GET /v1/payment_intents/', ''))
    if (found) return { status: 200, body: found }
    return { status: 404, body: { error: { type: 'invalid_request_error' } } }
  }

  function serve(request: StripeRequest, res: ServerResponse): void {
    const fault = faults.get(request.params['metadata[account_id]'] ?? '')?.shift()
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
    customersOf: (accountId) =>
      [...customers].filter(([, owner]) => owner === accountId).map(([id]) => id),
    requestsOf: (accountId, route) =>
      received.filter(
        (request) =>
          request.route === route && request.params['metadata[account_id]'] === accountId,
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
