import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createSubgraphServer } from '../../subgraphs/shared/graph/serve.ts'
import { type BackendKeys, createBackendKeys } from '../backends/backend-keys.ts'
import { createAccountCache } from '../callers/account-cache.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import { addressesOf, localUrl } from '../config/addresses.ts'
import { openCallerKeys } from '../config/caller-keys.ts'
import type { Config } from '../config/config.ts'
import { internalSettingsOf, internalTokenKeyOf } from '../config/internal-settings.ts'
import { exportsOf, paymentsOf, subgraphSettings } from '../config/subgraph-settings.ts'
import { createGraphqlServer } from '../internal/graphql-server.ts'
import { createInternalApp, type InternalGraphql, toolsGraphql } from '../internal/internal-app.ts'
import { subgraphGraphql } from '../internal/subgraph-graphql.ts'
import type { Listener } from '../listeners/listener.ts'
import type { Readiness } from '../listeners/readiness.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import { memoryRateLimiter } from '../rate-limit/memory-rate-limiter.ts'
import { startSimulator } from '../simulator/simulator.ts'
import { createUsageRecorder } from '../usage-log/usage-recorder.ts'
import { announcePayments } from './announce-payments.ts'
import { becomeReady, openReadiness } from './become-ready.ts'
import { requireCurrentDatabases } from './databases/migrations.ts'
import { openStore, serviceUrlsOf } from './databases/store.ts'
import { openListener, openListeners, startFacade } from './facade.ts'
import { createInvalidation } from './invalidation.ts'
import { type Cleanups, createCleanups, startOrUndo } from './process/cleanups.ts'
import { startTracing } from './process/tracing.ts'
import { reportSubgraphMetrics } from './report-metrics.ts'
import { openGraph, openSubgraph, type RememberedAccount } from './supergraph/graph.ts'
import { openRemoteGraph, type RemoteGraph } from './supergraph/remote-graph.ts'
import { startWebhooks } from './webhooks.ts'
import { startAllJobs, startCaretaking } from './worker.ts'

/** A process of a gateway that is many. */
export interface RunningRole {
  /** Where it is, by listener. */
  readonly urls: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
}

interface RoleContext {
  readonly role: string
  readonly config: Config
  readonly catalog: Catalog
  readonly log: Logger
  readonly metrics: Metrics
  readonly cleanups: Cleanups
}

/** Starts one role, with what `readConfig` has found for it. */
export async function startRole(
  role: string,
  config: Config,
  catalog: Catalog,
  log: Logger,
): Promise<RunningRole> {
  const cleanups = createCleanups(log)
  const metrics = createMetrics()
  cleanups.add(() => metrics.close())
  const context = { role, config, catalog, log, metrics, cleanups }
  const urls = await startOrUndo(cleanups, async () => {
    cleanups.add(await startTracing(role, config, context))
    return starterOf(role)(context)
  })
  return { urls, close: cleanups.run }
}

type Starter = (context: RoleContext) => Promise<Readonly<Record<string, string>>>

function starterOf(role: string): Starter {
  switch (role) {
    case 'facade':
      return startFacadeRole
    case 'supergraph':
      return startSupergraphRole
    case 'worker':
      return startWorkerRole
    case 'simulator':
      return startSimulatorRole
    default:
      return startSubgraphRole
  }
}

function callerKeysOf({ config, log, cleanups }: RoleContext) {
  const gatewaySecret = config.GATEWAY_SECRET ?? ''
  const open = openCallerKeys({ gatewaySecret, file: config.CALLER_KEYS_FILE, log })
  cleanups.add(() => open.close())
  return open.keys
}

function openInternal({ config, cleanups }: RoleContext): Promise<Listener> {
  const { docsUrl } = addressesOf(config)
  return openListener({
    ...{ cleanups, host: config.INTERNAL_HOST, port: config.INTERNAL_PORT },
    ...{ docsUrl: () => docsUrl, anonymousRps: config.ANONYMOUS_RPS },
  })
}

interface InternalParts {
  readonly readiness: Readiness
  readonly graphql: InternalGraphql | null
  readonly backendKeys?: BackendKeys
}

function internalAppOf({ role, config, log, metrics }: RoleContext, parts: InternalParts) {
  return createInternalApp({
    ...internalSettingsOf(config, role),
    ...{ ...parts, metrics, log, anonymousRps: config.ANONYMOUS_RPS },
    docsUrl: addressesOf(config).docsUrl,
    strangers: memoryRateLimiter(),
  })
}

/** A subgraph has its own; the worker has all. */
function ownDatabases({ role, config: { databases } }: RoleContext) {
  return new Map([...databases].filter(([name]) => role === 'worker' || role === name))
}

function internalUrlOf({ config }: RoleContext, { port }: Listener): string {
  return localUrl(config.INTERNAL_HOST, port)
}

const startFacadeRole: Starter = async (context) => {
  const { config, catalog, log, metrics, cleanups } = context
  const addresses = addressesOf(config)
  const listeners = await openListeners({
    ...{ config, log, metrics, cleanups },
    docsUrl: () => addresses.docsUrl,
  })
  const invalidation = createInvalidation(config.REDIS_URL, cleanups)
  const exports = exportsOf(config)
  cleanups.add(() => exports.files.close())
  const graph = openRemoteGraph(config, callerKeysOf(context))
  cleanups.add(() => graph.close())
  const readiness = openReadiness({ log, cleanups, others: someOf(graph.probes) })
  const gatewaySecret = config.GATEWAY_SECRET ?? ''
  const backendKeys = createBackendKeys({ execute: graph.execute, gatewaySecret, log })
  listeners.internal.serve(internalAppOf(context, { readiness, backendKeys, graphql: null }))
  await untilReady(graph.probes, log)
  await graph.warmUp()
  const { callsSettled } = await startFacade({
    ...{ config, catalog, log, metrics, cleanups, addresses, listeners, readiness },
    invalidation,
    ...{ execute: graph.execute, exportFiles: exports.files, isEmbedded: false },
    ...{ gatewaySecret, backendKeys },
  })
  invalidation.listen(serviceUrlsOf(config.databases))
  const { live, sandbox, internal } = listeners
  becomeReady({ config, cleanups, readiness, listeners: [live, sandbox], internal, callsSettled })
  return {
    live: localUrl(config.HOST, listeners.live.port),
    sandbox: localUrl(config.HOST, listeners.sandbox.port),
    internal: localUrl(config.INTERNAL_HOST, listeners.internal.port),
  }
}

/**
 * Once it has started, whoever asks subgraphs is of use while one of them answers: were one that is away to
 * make all facades unready, a balancer would have nobody left for the others' calls.
 */
function someOf(probes: RemoteGraph['probes']): RemoteGraph['probes'] {
  const areReady = async () => {
    const answers = await Promise.all([...probes.values()].map((isReady) => isReady()))
    return answers.includes(true)
  }
  return new Map([['any subgraph', areReady]])
}

const readyPauseMs = 200

/** Processes start in any order: whoever needs others waits for them, and answers 503 meanwhile. */
async function untilReady(
  probes: ReadonlyMap<string, () => Promise<boolean>>,
  log: Logger,
): Promise<void> {
  for (const [subgraph, isReady] of probes) {
    for (let attempt = 0; !(await isReady()); attempt += 1) {
      if (attempt % 50 === 0) log.info({ subgraph }, 'Waiting for a subgraph')
      await sleep(readyPauseMs)
    }
  }
}

const startSupergraphRole: Starter = async (context) => {
  const { config, log, cleanups } = context
  const internal = await openInternal(context)
  const graph = openRemoteGraph(config, callerKeysOf(context))
  cleanups.add(() => graph.close())
  const graphql = await createGraphqlServer({ executeDocument: graph.executeDocument, log })
  cleanups.add(() => graphql.stop())
  const tokenKey = internalTokenKeyOf(config.GATEWAY_SECRET ?? '')
  const readiness = openReadiness({ log, cleanups, others: someOf(graph.probes) })
  const handlers = toolsGraphql(graphql, {
    tokenKey,
    maxTtlSeconds: config.INTERNAL_TOKEN_MAX_TTL,
    execute: graph.execute,
  })
  internal.serve(internalAppOf(context, { readiness, graphql: handlers }))
  becomeReady({ config, cleanups, readiness, internal })
  return { internal: internalUrlOf(context, internal) }
}

const startSubgraphRole: Starter = async (context) => {
  const { role: name, config, log, metrics, cleanups } = context
  const addresses = addressesOf(config)
  const internal = await openInternal(context)
  const keys = callerKeysOf(context)
  const store = await openStore(config)
  await requireCurrentDatabases(ownDatabases(context))
  const invalidation = createInvalidation(config.REDIS_URL, cleanups)
  const accounts = createAccountCache<RememberedAccount>(config.KEY_CACHE_SECONDS)
  invalidation.add(accounts)
  const exports = exportsOf(config)
  cleanups.add(() => exports.files.close())
  const others = openRemoteGraph(config, keys)
  cleanups.add(() => others.close())
  const serviceUrl = store.databases.get(name)?.serviceUrl ?? ''
  const subgraph = await openSubgraph(name, {
    ...subgraphSettings(config, store.gatewaySecret, addresses),
    ...{ serviceUrl, exports, accounts, execute: others.execute },
    warn: (message) => log.warn(message),
    payments: paymentsOf(config, addresses.baseUrls),
    invalidate: invalidation.invalidate,
  })
  cleanups.add(() => subgraph.close())
  metrics.watchDatabase(name, subgraph.connections)
  // Facades that have no database hear of changes by way of Redis.
  invalidation.relay([serviceUrl])
  const graphql = await createSubgraphServer({
    ...subgraph,
    onFailure(error, caller) {
      const accountId = caller?.kind === 'account' ? caller.accountId : undefined
      const seen = { requestId: caller?.requestId, traceId: caller?.traceId, accountId }
      log.error({ err: error, subgraph: name, ...seen }, 'An operation failed')
    },
  })
  cleanups.add(() => graphql.stop())
  const details = name === 'account' ? announcePayments(config, context) : {}
  const readiness = openReadiness({ log, cleanups, databases: ownDatabases(context), details })
  const handlers = subgraphGraphql(name, graphql, keys)
  internal.serve(internalAppOf(context, { readiness, graphql: handlers }))
  becomeReady({ config, cleanups, readiness, internal })
  return { internal: internalUrlOf(context, internal) }
}

const startWorkerRole: Starter = async (context) => {
  const { config, log, metrics, cleanups } = context
  const addresses = addressesOf(config)
  const internal = await openInternal(context)
  const store = await openStore(config)
  await requireCurrentDatabases(ownDatabases(context))
  const invalidation = createInvalidation(config.REDIS_URL, cleanups)
  const exports = exportsOf(config)
  cleanups.add(() => exports.files.close())
  const graph = await openGraph({
    ...subgraphSettings(config, store.gatewaySecret, addresses),
    serviceUrl: (subgraph) => store.databases.get(subgraph)?.serviceUrl ?? '',
    exports,
    warn: (message) => log.warn(message),
    payments: paymentsOf(config, addresses.baseUrls),
    invalidate: invalidation.invalidate,
  })
  cleanups.add(() => graph.close())
  reportSubgraphMetrics(metrics, graph.subgraphs)
  const recorder = createUsageRecorder(graph.execute, log)
  const services = { store, graph, cleanups, metrics, log }
  metrics.watchQueue('usage_log', recorder)
  const jobs = await startAllJobs(services)
  await startWebhooks({ ...services, config })
  await startCaretaking({ ...services, jobs, recorder, processId: null })
  const details = announcePayments(config, context)
  const readiness = openReadiness({ log, cleanups, databases: ownDatabases(context), details })
  internal.serve(internalAppOf(context, { readiness, graphql: null }))
  becomeReady({ config, cleanups, readiness, internal })
  return { internal: internalUrlOf(context, internal) }
}

const startSimulatorRole: Starter = async ({ config, catalog, cleanups }) => {
  const { HOST: host, PORT: port, GATEWAY_JWKS_URL: jwksUrl, BASE_URL: issuer } = config
  if (jwksUrl === undefined) throw new Error('GATEWAY_JWKS_URL was not checked.')
  const simulator = await startSimulator(catalog, {
    ...{ host, port, keys: new URL(jwksUrl) },
    issuer: issuer && addressesOf(config).baseUrls.live,
  })
  cleanups.add(() => simulator.close())
  return { modules: simulator.url }
}
