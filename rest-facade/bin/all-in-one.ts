import type { Logger } from 'pino'
import { newId } from '../../schema/ids.ts'
import { deriveKey } from '../../schema/secrets.ts'
import type { StripeOptions } from '../../subgraphs/shared/context.ts'
import { listenForStaleNotices } from '../../subgraphs/shared/stale-notices.ts'
import { createAccessTrail } from '../access-trail.ts'
import { type AccountCache, createAccountCache } from '../account-cache.ts'
import { type AppDependencies, createApp } from '../app.ts'
import { startCaretaker } from '../caretaker.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import { createClientOrigins } from '../client-origins.ts'
import { createGraphqlServer } from '../internal/graphql-server.ts'
import { createInternalApp } from '../internal/internal-app.ts'
import { createKeyUse } from '../key-use.ts'
import { createLedger } from '../ledger.ts'
import { listen } from '../listener.ts'
import { createMetrics } from '../metrics.ts'
import { within } from '../patience.ts'
import { memoryRateLimiter } from '../rate-limit/memory-rate-limiter.ts'
import { createMinuteLimit } from '../rate-limit/minute-limits.ts'
import { redisRateLimiter } from '../rate-limit/redis-rate-limiter.ts'
import { redisNotices } from '../redis-notices.ts'
import { startSimulator } from '../simulator/simulator.ts'
import { createUsageRecorder } from '../usage-recorder.ts'
import { createVerifiedClients } from '../verified-clients.ts'
import { createVerifiedKeys } from '../verified-keys.ts'
import { liveBackends, simulatedBackends } from './backends.ts'
import type { Config } from './config.ts'
import {
  billingOf,
  exportsOf,
  migrateAll,
  type OpenGraph,
  oauthOf,
  openGraph,
  type RememberedAccount,
  startJobs,
} from './graph.ts'
import { type OpenStore, openStore } from './store.ts'

export interface Gateway {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
  readonly graph: OpenGraph
  readonly store: OpenStore
  /** See `mintInternalToken`. */
  readonly internalTokenKey: Uint8Array
  /** Finishes what is running, writes what is pending, then stops everything that was started. */
  close(): Promise<void>
}

/** After the drain: what cannot be written by then, another process writes from the ledger. */
const flushPatienceMs = 3000

/** Cleanups, undone in reverse when the start fails half-way or the gateway stops. */
type Cleanups = (() => Promise<void> | void)[]

/** Everything in one process: subgraphs, supergraph, listeners, simulator and, unless configured, PostgreSQL. */
export async function startGateway(
  config: Config,
  catalog: Catalog,
  log: Logger,
): Promise<Gateway> {
  const cleanups: Cleanups = []
  async function close(): Promise<void> {
    for (const cleanup of cleanups.splice(0).reverse()) {
      try {
        await cleanup()
      } catch (error) {
        // What comes after must be stopped all the same.
        log.error({ err: error }, 'A part did not stop properly')
      }
    }
  }
  try {
    return { ...(await start(config, catalog, log, cleanups)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function start(
  config: Config,
  catalog: Catalog,
  log: Logger,
  cleanups: Cleanups,
): Promise<Omit<Gateway, 'close'>> {
  const drainMs = config.DRAIN_TIMEOUT_SECONDS * 1000
  const { HOST: host, INTERNAL_HOST: internalHost } = config
  let docsUrl = config.DOCS_URL ?? ''
  const open = { docsUrl: () => docsUrl, anonymousRps: config.ANONYMOUS_RPS }
  // First, because it is what tells that another gateway has the folder.
  const store = await openStore(config)
  cleanups.push(() => store.close())

  const live = await listen({ ...open, host, port: config.PORT })
  const closeLive = once(() => live.close(drainMs))
  cleanups.push(closeLive)
  const sandbox = await listen({ ...open, host, port: config.SANDBOX_PORT })
  const closeSandbox = once(() => sandbox.close(drainMs))
  cleanups.push(closeSandbox)
  const internal = await listen({ ...open, host: internalHost, port: config.INTERNAL_PORT })
  const closeInternal = once(() => internal.close(drainMs))
  cleanups.push(closeInternal)

  const baseUrl = trim(config.BASE_URL ?? localUrl(host, live.port))
  const sandboxUrl = trim(config.SANDBOX_BASE_URL ?? localUrl(host, sandbox.port))
  const internalUrl = localUrl(internalHost, internal.port)
  const baseUrls = { live: baseUrl, sandbox: sandboxUrl }
  docsUrl = trim(config.DOCS_URL ?? `${baseUrl}/docs`)

  await migrateAll(store.ownerUrl)
  const accounts = createAccountCache<RememberedAccount>(config.KEY_CACHE_SECONDS)
  const caches: Pick<AccountCache<never>, 'forget' | 'forgetAll'>[] = [accounts]
  const forget = (accountId: string) => {
    for (const cache of caches) cache.forget(accountId)
  }
  const forgetAll = () => {
    for (const cache of caches) cache.forgetAll()
  }
  const stale = { onStale: forget, onGap: forgetAll }
  const redisNotice = config.REDIS_URL ? redisNotices(config.REDIS_URL, stale) : null
  cleanups.push(() => redisNotice?.close())
  const exports = exportsOf(config)
  cleanups.push(() => exports.files.close())
  const graph = await openGraph({
    ...store,
    exports,
    docsUrl,
    warn: (message) => log.warn(message),
    keyPrefix: config.KEY_PREFIX,
    billing: billingOf(config),
    oauth: oauthOf(config),
    usageLogRetentionDays: config.USAGE_LOG_RETENTION_DAYS,
    accounts,
    baseUrls,
    payments: {
      // Not BASE_URL: what stands before us need not be reachable from here.
      notificationUrls: {
        live: `${localUrl(host, live.port)}/v1/billing/notifications`,
        sandbox: `${localUrl(host, sandbox.port)}/v1/billing/notifications`,
      },
      stripe: stripeOf(config),
    },
    invalidate: ({ accountId }) => {
      forget(accountId)
      redisNotice?.publish(accountId)
    },
  })
  cleanups.push(() => graph.close())
  await graph.warmUp()
  const { execute } = graph

  const recorder = createUsageRecorder(execute, log)
  const ledger = createLedger(execute)
  const metrics = createMetrics()
  const processId = newId('proc')
  const keyUse = createKeyUse(execute)
  const trail = createAccessTrail(execute)
  const jobs = await startJobs({
    ...store,
    execute,
    warn: (message, cause) => log.warn({ err: cause }, message),
  })
  cleanups.push(() => jobs.stop())
  cleanups.push(() => graph.interrupt())
  const caretaker = await startCaretaker({
    countDeadJobs: jobs.countDeadLetters,
    execute,
    recorder,
    keyUse,
    trail,
    processId,
    isAlone: store.isEmbedded,
    metrics,
    log,
  })
  cleanups.push(async () => {
    // Whoever leaves says that all it charged is in the log; otherwise others will see to that.
    await within(flushPatienceMs, ledger.idle().then(recorder.recorded).then(caretaker.leave))
  })
  cleanups.push(() => caretaker.stop())
  const simulator = await startSimulator(catalog)
  cleanups.push(() => simulator.close())
  const redis = config.REDIS_URL ? await redisRateLimiter(config.REDIS_URL, log) : null
  cleanups.push(() => redis?.close())

  const shared = {
    execute,
    recorder,
    keyUse,
    trail,
    limiter: redis?.limit ?? memoryRateLimiter(),
    strangers: memoryRateLimiter(),
    catalog,
    log,
    docsUrl,
    ledger,
    anonymousRps: config.ANONYMOUS_RPS,
    exportFiles: exports.files,
    holdTtlSeconds: config.HOLD_TTL_SECONDS,
    processId,
    idempotency: {
      keyPrefix: config.KEY_PREFIX,
      ttlSeconds: config.IDEMPOTENCY_TTL_HOURS * 3600,
      backendSecret: deriveKey(store.gatewaySecret, 'backend-idempotency'),
    },
    oauthUiUrl: config.OAUTH_UI_URL ?? null,
    ...minuteLimitsOf(config),
    probeTimeoutMs: config.HEALTH_PROBE_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY,
  }
  const keysOf = (environment: 'live' | 'sandbox') =>
    createVerifiedKeys({
      execute,
      environment,
      keyPrefix: config.KEY_PREFIX,
      cacheSeconds: config.KEY_CACHE_SECONDS,
    })
  const keys = { live: keysOf('live'), sandbox: keysOf('sandbox') }
  const clientsOf = (environment: 'live' | 'sandbox') =>
    createVerifiedClients({ execute, environment, cacheSeconds: config.KEY_CACHE_SECONDS })
  const clients = { live: clientsOf('live'), sandbox: clientsOf('sandbox') }
  caches.push(keys.live, keys.sandbox, clients.live, clients.sandbox)
  const notices = listenForStaleNotices({ url: store.serviceUrl, ...stale })
  cleanups.push(() => notices.close())

  for (const [environment, backends, listener] of [
    ['live', liveBackends(catalog, simulator, config), live],
    ['sandbox', simulatedBackends(catalog, simulator, config), sandbox],
  ] as const) {
    cleanups.push(() => backends.close())
    const { urls: backendUrls, backendOf } = backends
    const deps: AppDependencies = {
      ...shared,
      environment,
      issuer: `${baseUrls[environment]}/v1`,
      clientOrigins: createClientOrigins({
        ...{ execute, environment, log },
        cacheSeconds: config.KEY_CACHE_SECONDS,
      }),
      firstPartyOrigins: new Set(
        config.FIRST_PARTY_ORIGINS ?? [new URL(baseUrls[environment]).origin],
      ),
      keys: keys[environment],
      clients: clients[environment],
      backendUrls,
      backendOf,
    }
    listener.serve(createApp(deps))
  }

  const graphql = await createGraphqlServer({ executeDocument: graph.executeDocument, log })
  cleanups.push(() => graphql.stop())
  const internalTokenKey = deriveKey(store.gatewaySecret, 'internal-token')
  internal.serve(createInternalApp({ ...shared, graphql, metrics, tokenKey: internalTokenKey }))

  // Last in, first out: no request may run once something that it needs is gone.
  cleanups.push(async () => {
    await Promise.all([closeLive(), closeSandbox(), closeInternal()])
  })
  return { baseUrl, sandboxUrl, internalUrl, graph, store, internalTokenKey }
}

function minuteLimitsOf({ OAUTH_LIMITS: { failures, ...limits } }: Config) {
  const { token, authorize, introspect, revoke, register } = limits
  return {
    failures: createMinuteLimit(failures),
    minuteLimits: {
      token: createMinuteLimit(token),
      authorize: createMinuteLimit(authorize),
      introspect: createMinuteLimit(introspect),
      revoke: createMinuteLimit(revoke),
      register: createMinuteLimit(register),
    },
  }
}

function stripeOf(config: Config): StripeOptions | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) return undefined
  return { secretKey, webhookSecret, apiUrl: config.STRIPE_API_URL }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work()
    return running
  }
}

function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

function trim(url: string): string {
  return url.replace(/\/+$/, '')
}
