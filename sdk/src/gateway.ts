import { createBinder } from './binder.ts'
import { bindOperations, version } from './generated/operations.gen.ts'
import { type Clock, createSend, type Settings } from './transport.ts'

type Credential = string | (() => string | Promise<string>)

export interface GatewayOptions {
  /**
   * An API key or an OAuth access token. A function is called for each attempt, so that it can
   * renew a token.
   */
  readonly apiKey: Credential
  /** The address of the gateway, without `/v1`. */
  readonly baseUrl: string
  /** The time limit of each attempt; 30 seconds by default. */
  readonly timeoutMs?: number
  /** The time limit of a call with all its attempts and waits; 2 minutes by default. */
  readonly totalTimeoutMs?: number
  /** 4 by default; 0 turns retries off. */
  readonly maxRetries?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Precedes the client's own. */
  readonly userAgent?: string
  /** The `SVC` of `X-SVC-Idempotency-Key`, if the operator changed it. */
  readonly idempotencyPrefix?: string
  /** Tests replace it. */
  readonly clock?: Partial<Clock>
}

/**
 * Options of a page of the gateway's own origin: its browser sends the cookie of the session, and no
 * credential is sent beside it.
 */
export interface SessionOptions extends Omit<GatewayOptions, 'apiKey'> {
  readonly session: true
}

/** Every operation of the gateway: `gateway.contacts.search({ query: 'head of marketing' })`. */
export type Gateway = ReturnType<typeof bindOperations>

/** Throws TypeError for an address or a key that cannot be one. */
export function createGateway(options: GatewayOptions | SessionOptions): Gateway {
  return bindOperations(createBinder(createSend(settingsOf(options))))
}

function settingsOf(given: GatewayOptions | SessionOptions): Settings {
  const { idempotencyPrefix, userAgent, ...options } = given
  const apiKey = 'session' in given ? null : given.apiKey
  if (apiKey === '') throw new TypeError('apiKey must not be empty.')
  if (!/^https?:\/\//.test(options.baseUrl) || !URL.canParse(options.baseUrl))
    throw new TypeError('baseUrl must begin with http:// or https://.')
  const { fetch = (...args) => globalThis.fetch(...args), clock = {} } = options
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    credential: typeof apiKey === 'string' ? () => apiKey : apiKey,
    timeoutMs: options.timeoutMs ?? 30_000,
    totalTimeoutMs: options.totalTimeoutMs ?? 120_000,
    maxRetries: options.maxRetries ?? 4,
    fetch,
    userAgent: isBrowser()
      ? null
      : [userAgent, `credit-gateway-sdk/${version}`].filter(Boolean).join(' '),
    idempotencyHeader: idempotencyPrefix ? `X-${idempotencyPrefix}-Idempotency-Key` : null,
    clock: { now: () => performance.now(), sleep, random: Math.random, ...clock },
  }
}

/** A web page must not send the header: a gateway of another origin would have to permit it. */
function isBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
