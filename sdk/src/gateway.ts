import { createBinder } from './binder.ts'
import { bindOperations, version } from './generated/operations.gen.ts'
import { type Clock, createSend, type Settings } from './transport.ts'

type Credential = string | (() => string | Promise<string>)

export interface GatewayOptions {
  /** An API key, or an OAuth access token; a function is asked for each try, so that it can renew a token. */
  readonly apiKey: Credential
  /** Where the gateway is, without `/v1`. */
  readonly baseUrl: string
  /** How long each try may take; 30 seconds unless said. */
  readonly timeoutMs?: number
  /** How long a call may take with all its tries and waits; 2 minutes unless said. */
  readonly totalTimeoutMs?: number
  /** 4 unless said; 0 for none. */
  readonly maxRetries?: number
  /** Instead of the global one. */
  readonly fetch?: typeof fetch
  /** Put before the client's own. */
  readonly userAgent?: string
  /** The `SVC` of `X-SVC-Idempotency-Key`, where the operator has another. */
  readonly idempotencyPrefix?: string
  /** Tests have their own. */
  readonly clock?: Partial<Clock>
}

/** Every operation of the gateway: `gateway.contacts.search({ query: 'head of marketing' })`. */
export type Gateway = ReturnType<typeof bindOperations>

/** Throws TypeError for an address or a key that cannot be one. */
export function createGateway(options: GatewayOptions): Gateway {
  return bindOperations(createBinder(createSend(settingsOf(options))))
}

function settingsOf({
  apiKey,
  idempotencyPrefix,
  userAgent,
  ...options
}: GatewayOptions): Settings {
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

/** A page may not name itself: a gateway elsewhere would have to permit the header. */
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
