import type { Logger } from 'pino'
import { deriveKey } from '../../schema/credentials/secrets.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import { type AppDependencies, createApp } from '../app.ts'
import { type BackendKeys, loadBackendKeys } from '../backends/backend-keys.ts'
import { createCallerTokens } from '../backends/caller-tokens.ts'
import { createClientOrigins } from '../callers/client-origins.ts'
import { createKeyUse } from '../callers/key-use.ts'
import { createAccessTrail } from '../callers/refused-callers.ts'
import { createVerifiedClients } from '../callers/verified-clients.ts'
import { createVerifiedKeys } from '../callers/verified-keys.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import type { Addresses } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { createDocsSite } from '../docs/docs-site.ts'
import { openapiBody } from '../docs/openapi.ts'
import type { Execute } from '../graph/graph-client.ts'
import { anyOrigin, publicHeaders } from '../http/respond.ts'
import { createConnectionLimit } from '../listeners/connection-limit.ts'
import { type Listener, listen } from '../listeners/listener.ts'
import { createOverload } from '../listeners/overload.ts'
import type { Readiness } from '../listeners/readiness.ts'
import { createLedger } from '../metering/ledger.ts'
import type { Metrics } from '../observability/metrics.ts'
import { memoryRateLimiter } from '../rate-limit/memory-rate-limiter.ts'
import { createMinuteLimit } from '../rate-limit/minute-limits.ts'
import { redisRateLimiter } from '../rate-limit/redis-rate-limiter.ts'
import type { ExportFiles } from '../route-kinds/send-export.ts'
import { startSimulator } from '../simulator/simulator.ts'
import { announcePresence } from '../upkeep/presence.ts'
import { createUsageRecorder, type UsageRecorder } from '../usage-log/usage-recorder.ts'
import { startPeriodic } from '../work/periodic.ts'
import { within } from '../work/within.ts'
import { liveBackends, simulatedBackends } from './backends.ts'
import type { Invalidation } from './invalidation.ts'
import type { Cleanups } from './process/cleanups.ts'
import { reportFacadeMetrics } from './report-metrics.ts'

/** The ports of a process: two public ones, unless it has none, and the internal one. */
export interface Listeners {
  readonly live: Listener
  readonly sandbox: Listener
  readonly internal: Listener
}

interface OpenListenersOptions {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Metrics
  /** Known once the ports are. */
  readonly docsUrl: () => string
  readonly cleanups: Cleanups
}

/** Opens the ports; until they are served, they say that the gateway is starting. */
export async function openListeners(options: OpenListenersOptions) {
  const { config, log, docsUrl, cleanups } = options
  const overload = createOverload({ maxRequests: config.MAX_CONCURRENT_REQUESTS, log })
  cleanups.add(overload.close)
  const { HOST: host, INTERNAL_HOST: internalHost } = config
  const [liveHeaders, sandboxHeaders] = [config.BASE_URL, config.SANDBOX_BASE_URL].map((url) => ({
    ...anyOrigin,
    ...publicHeaders(url ?? ''),
  }))
  const open = { docsUrl, cleanups, anonymousRps: config.ANONYMOUS_RPS }
  const listeners: Listeners = {
    live: await openListener({
      ...{ ...open, overload, host, port: config.PORT, headers: liveHeaders },
      connectionLimit: connectionLimitOf('live', options),
    }),
    sandbox: await openListener({
      ...{ ...open, overload, host, port: config.SANDBOX_PORT, headers: sandboxHeaders },
      connectionLimit: connectionLimitOf('sandbox', options),
    }),
    internal: await openListener({ ...open, host: internalHost, port: config.INTERNAL_PORT }),
  }
  return listeners
}

function connectionLimitOf(
  listener: 'live' | 'sandbox',
  { config, log, metrics, cleanups }: OpenListenersOptions,
) {
  const { MAX_CONNECTIONS_PER_ADDRESS: maxPerClient, TRUST_PROXY: trustProxy } = config
  const limit = createConnectionLimit({ listener, maxPerClient, trustProxy, log, metrics })
  cleanups.add(limit.close)
  return limit
}

type OpenListenerOptions = Parameters<typeof listen>[0] & Pick<OpenListenersOptions, 'cleanups'>

/** Opens one port; when a start fails, nobody waits for what it has in hand. */
export async function openListener({
  cleanups,
  ...options
}: OpenListenerOptions): Promise<Listener> {
  const listener = await listen(options)
  cleanups.add(() => listener.close(0))
  return listener
}

interface FacadeOptions {
  readonly config: Config
  readonly catalog: Catalog
  readonly log: Logger
  readonly metrics: Metrics
  readonly cleanups: Cleanups
  readonly execute: Execute
  readonly gatewaySecret: string
  readonly addresses: Addresses
  readonly listeners: Listeners
  readonly readiness: Readiness
  readonly invalidation: Invalidation
  readonly exportFiles: ExportFiles
  /** What tells backend modules who calls; refreshed from now on. */
  readonly backendKeys: BackendKeys
  /** Whether live calls go to the simulator where no backend is configured. */
  readonly isEmbedded: boolean
}

/** What the facade makes that others may share. */
export interface Facade {
  readonly recorder: UsageRecorder
  readonly processId: string
  /** Resolves once every call that holds credits is settled. */
  readonly callsSettled: () => Promise<void>
}

/** After the drain: what cannot be written by then, another process writes from the ledger. */
const flushPatienceMs = 3000

/** Everything behind the two public listeners but the graph. */
export async function startFacade(options: FacadeOptions): Promise<Facade> {
  const { config, catalog, log, metrics, cleanups, execute, gatewaySecret, addresses } = options
  const { listeners, readiness, invalidation, exportFiles, backendKeys, isEmbedded } = options
  const recorder = createUsageRecorder(execute, log)
  const ledger = createLedger(execute)
  reportFacadeMetrics(metrics, ledger, recorder)
  const processId = newId('proc')
  const keyUse = createKeyUse(execute)
  const trail = createAccessTrail(execute)
  const presence = await announcePresence({ execute, recorder, keyUse, trail, processId, log })
  cleanups.add(async () => {
    // Whoever leaves says that all it charged is in the log; otherwise others will see to that.
    await within(flushPatienceMs, ledger.idle().then(recorder.recorded).then(presence.leave))
  })
  cleanups.add(async () => {
    // A subgraph that hangs must not cost the time that charges need.
    await within(flushPatienceMs, presence.stop())
  })
  await loadBackendKeys(backendKeys, log)
  const refresh = { name: 'refresh backend keys', intervalMs: 1000, run: backendKeys.refresh }
  cleanups.add(startPeriodic([refresh], log))
  const issuer = addresses.baseUrls.live
  const simulator = await startSimulator(catalog, { keys: backendKeys.jwks, issuer })
  cleanups.add(() => simulator.close())

  const shared = {
    execute,
    recorder,
    keyUse,
    trail,
    limiter: await limiterOf(options),
    strangers: memoryRateLimiter(),
    catalog,
    log,
    readiness,
    metrics,
    docsUrl: addresses.docsUrl,
    docs: createDocsSite({
      ...addresses,
      keyPrefix: config.KEY_PREFIX,
      catalog,
      anonymousRps: config.ANONYMOUS_RPS,
      idempotencyTtlSeconds: config.IDEMPOTENCY_TTL_HOURS * 3600,
      backendTimeoutMs: config.BACKEND_TIMEOUT_MS,
      webhookTimeoutMs: config.WEBHOOK_TIMEOUT_MS,
      webhookRetrySeconds: config.WEBHOOK_RETRY_SECONDS,
    }),
    openapi: openapiBody({ ...addresses, keyPrefix: config.KEY_PREFIX }),
    ledger,
    anonymousRps: config.ANONYMOUS_RPS,
    exportFiles,
    holdTtlSeconds: config.HOLD_TTL_SECONDS,
    processId,
    idempotency: {
      keyPrefix: config.KEY_PREFIX,
      ttlSeconds: config.IDEMPOTENCY_TTL_HOURS * 3600,
      backendSecret: deriveKey(gatewaySecret, 'backend-idempotency'),
      answerSecret: deriveKey(gatewaySecret, 'stored-answer'),
    },
    oauthUiUrl: config.OAUTH_UI_URL ?? null,
    ...minuteLimitsOf(config),
    probeTimeoutMs: config.HEALTH_PROBE_TIMEOUT_MS,
    trustProxy: config.TRUST_PROXY,
  }

  for (const [environment, backends] of [
    ['live', liveBackends(catalog, isEmbedded ? simulator : null, config)],
    ['sandbox', simulatedBackends(catalog, simulator, config)],
  ] as const) {
    cleanups.add(() => backends.close())
    const baseUrl = addresses.baseUrls[environment]
    const remembered = { execute, environment, cacheSeconds: config.KEY_CACHE_SECONDS }
    const keys = createVerifiedKeys({ ...remembered, keyPrefix: config.KEY_PREFIX })
    const clients = createVerifiedClients(remembered)
    invalidation.add(keys, clients)
    const deps: AppDependencies = {
      ...{ ...shared, environment, keys, clients },
      callerTokens: createCallerTokens({ keys: backendKeys, issuer, environment }),
      issuer: `${baseUrl}/v1`,
      clientOrigins: createClientOrigins({ ...remembered, log }),
      firstPartyOrigins: new Set(config.FIRST_PARTY_ORIGINS ?? [new URL(baseUrl).origin]),
      backendUrls: backends.urls,
      backendOf: backends.backendOf,
    }
    listeners[environment].serve(createApp(deps))
  }
  return { recorder, processId, callsSettled: ledger.idle }
}

async function limiterOf({ config: { REDIS_URL }, log, metrics, cleanups }: FacadeOptions) {
  if (!REDIS_URL) return memoryRateLimiter()
  const redis = await redisRateLimiter(REDIS_URL, log)
  cleanups.add(() => redis.close())
  metrics.watchLimiter(redis)
  return redis.limit
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
