import { anyOrigin, publicHeaders } from '../../../rest-facade/http/respond.ts'
import { shareOf } from '../../../rest-facade/rate-limit/share-of.ts'
import { addressesOf, localUrl } from '../../config/addresses.ts'
import { createConnectionLimit } from '../../listeners/connection-limit.ts'
import { type Listener, listen } from '../../listeners/listener.ts'
import { createKnownCredentials, type KnownCredentials } from '../../overload/known-credentials.ts'
import { createOverload, type Overload } from '../../overload/overload.ts'
import { recognizeSenders } from '../../overload/sender.ts'
import type { ProcessContext } from '../process/process-context.ts'

/** The ports of a facade. */
export interface Listeners {
  readonly live: Listener
  readonly sandbox: Listener
  readonly internal: Listener
  /** Adds a queue whose wait counts for the admission of requests from now on. */
  readonly watchQueue: Overload['watchQueue']
  /** The callers that overload control prefers. */
  readonly known: KnownCredentials
}

/**
 * Opens the ports of a facade; until they are served, they answer that the gateway is starting.
 * `docsUrl` is called later, because it may depend on the ports.
 */
export async function openListeners(
  context: ProcessContext,
  docsUrl: () => string,
): Promise<Listeners> {
  const { config, log, processGroup, metrics, resources } = context
  const { MAX_QUEUE_DELAY_MS: maxDelayMs } = config
  const maxRequests = shareOf(config.MAX_CONCURRENT_REQUESTS, processGroup.workers)
  const known = createKnownCredentials(processGroup.credentials)
  resources.defer(known.close)
  const senderOf = recognizeSenders(known)
  const overload = createOverload({ maxRequests, maxDelayMs, log, metrics, senderOf })
  resources.defer(overload.close)
  const openPublic = (environment: 'live' | 'sandbox', port: number, baseUrl = '') =>
    openListener(context, {
      ...{ host: config.HOST, port, overload, docsUrl, source: processGroup.sourceOf(environment) },
      headers: { ...anyOrigin, ...publicHeaders(baseUrl) },
      connectionLimit: openConnectionLimit(context, environment),
    })
  return {
    live: await openPublic('live', config.PORT, config.BASE_URL),
    sandbox: await openPublic('sandbox', config.SANDBOX_PORT, config.SANDBOX_BASE_URL),
    internal: await openInternalListener(context, docsUrl),
    watchQueue: overload.watchQueue,
    known,
  }
}

/** Opens the internal port of a process. */
export function openInternalListener(
  context: ProcessContext,
  docsUrl: () => string = () => addressesOf(context.config).docsUrl,
): Promise<Listener> {
  const { INTERNAL_HOST: host, INTERNAL_PORT: port } = context.config
  const source = context.processGroup.sourceOf('internal')
  return openListener(context, { host, port, docsUrl, source })
}

/**
 * The limit of connections. It is not used where another process hands the connections over, because that
 * process counts them.
 */
export function openConnectionLimit(
  {
    config,
    log,
    metrics,
    resources,
  }: Pick<ProcessContext, 'config' | 'log' | 'metrics' | 'resources'>,
  listener: 'live' | 'sandbox',
) {
  const { MAX_CONNECTIONS_PER_ADDRESS: maxPerClient, TRUST_PROXY: trustProxy } = config
  const limit = createConnectionLimit({ listener, maxPerClient, trustProxy, log, metrics })
  resources.defer(limit.close)
  return limit
}

/** When a start fails, the port closes without waiting for its requests. */
async function openListener(
  { config, resources }: ProcessContext,
  options: Omit<Parameters<typeof listen>[0], 'anonymousRps'>,
): Promise<Listener> {
  const listener = await listen({ ...options, anonymousRps: config.ANONYMOUS_RPS })
  resources.defer(() => listener.close(0))
  return listener
}

/** The addresses of the ports on this machine. */
export function localUrlsOf({ config }: ProcessContext, listeners: Listeners) {
  const { live, sandbox, internal } = listeners
  return {
    live: localUrl(config.HOST, live.port),
    sandbox: localUrl(config.HOST, sandbox.port),
    internal: localUrl(config.INTERNAL_HOST, internal.port),
  }
}

export function internalUrlsOf({ config }: ProcessContext, { port }: Listener) {
  return { internal: localUrl(config.INTERNAL_HOST, port) }
}
