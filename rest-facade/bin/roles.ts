import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createSubgraphServer } from '../../subgraphs/shared/serve.ts'
import { createAccountCache } from '../account-cache.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import { createGraphqlServer } from '../internal/graphql-server.ts'
import { createInternalApp, type InternalGraphql, toolsGraphql } from '../internal/internal-app.ts'
import { subgraphGraphql } from '../internal/subgraph-graphql.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { memoryRateLimiter } from '../rate-limit/memory-rate-limiter.ts'
import { startSimulator } from '../simulator/simulator.ts'
import { createUsageRecorder } from '../usage-recorder.ts'
import { openCallerKeys } from './caller-keys.ts'
import { type Cleanups, createCleanups, startOrUndo } from './cleanups.ts'
import type { Config } from './config.ts'
import { type DrainedListener, openListener, openListeners, startFacade } from './facade.ts'
import {
  exportsOf,
  openGraph,
  openSubgraph,
  type RememberedAccount,
  requireCurrentDatabases,
} from './graph.ts'
import { createInvalidation } from './invalidation.ts'
import { openRemoteGraph } from './remote-graph.ts'
import {
  addressesOf,
  internalTokenKeyOf,
  localUrl,
  paymentsOf,
  subgraphSettings,
} from './settings.ts'
import { openStore, serviceUrlsOf } from './store.ts'
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
  const context = { role, config, catalog, log, cleanups }
  const urls = await startOrUndo(cleanups, () => starterOf(role)(context))
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

function openInternal({ config, cleanups }: RoleContext): Promise<DrainedListener> {
  const { docsUrl } = addressesOf(config)
  return openListener({
    ...{ config, cleanups, host: config.INTERNAL_HOST, port: config.INTERNAL_PORT },
    docsUrl: () => docsUrl,
  })
}

function internalAppOf(
  { config, log }: RoleContext,
  metrics: Metrics,
  graphql: InternalGraphql | null,
) {
  return createInternalApp({
    ...{ metrics, log, graphql, anonymousRps: config.ANONYMOUS_RPS },
    docsUrl: addressesOf(config).docsUrl,
    strangers: memoryRateLimiter(),
  })
}

/** A subgraph has its own; the worker has all. */
function ownDatabases({ role, config: { databases } }: RoleContext) {
  return new Map([...databases].filter(([name]) => role === 'worker' || role === name))
}

function internalUrlOf({ config }: RoleContext, { port }: DrainedListener): string {
  return localUrl(config.INTERNAL_HOST, port)
}

const startFacadeRole: Starter = async (context) => {
  const { config, catalog, log, cleanups } = context
  const addresses = addressesOf(config)
  const listeners = await openListeners({ config, docsUrl: () => addresses.docsUrl, cleanups })
  const invalidation = createInvalidation(config.REDIS_URL, cleanups)
  const exports = exportsOf(config)
  cleanups.add(() => exports.files.close())
  const graph = openRemoteGraph(config, callerKeysOf(context))
  cleanups.add(() => graph.close())
  await untilReady(graph.probes, log)
  await graph.warmUp()
  await startFacade({
    ...{ config, catalog, log, cleanups, addresses, listeners, invalidation },
    ...{ execute: graph.execute, exportFiles: exports.files, isEmbedded: false },
    gatewaySecret: config.GATEWAY_SECRET ?? '',
  })
  listeners.internal.serve(internalAppOf(context, createMetrics(), null))
  invalidation.listen(serviceUrlsOf(config.databases))
  cleanups.add(listeners.close)
  return {
    live: localUrl(config.HOST, listeners.live.port),
    sandbox: localUrl(config.HOST, listeners.sandbox.port),
    internal: localUrl(config.INTERNAL_HOST, listeners.internal.port),
  }
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
  internal.serve(internalAppOf(context, createMetrics(), toolsGraphql(graphql, tokenKey)))
  cleanups.add(internal.drain)
  return { internal: internalUrlOf(context, internal) }
}

const startSubgraphRole: Starter = async (context) => {
  const { role: name, config, log, cleanups } = context
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
  // Facades that have no database hear of changes by way of Redis.
  invalidation.relay([serviceUrl])
  const graphql = await createSubgraphServer({
    ...subgraph,
    onFailure: (error) => log.error({ err: error, subgraph: name }, 'An operation failed'),
  })
  cleanups.add(() => graphql.stop())
  internal.serve(internalAppOf(context, createMetrics(), subgraphGraphql(name, graphql, keys)))
  cleanups.add(internal.drain)
  return { internal: internalUrlOf(context, internal) }
}

const startWorkerRole: Starter = async (context) => {
  const { config, log, cleanups } = context
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
  const metrics = createMetrics()
  const recorder = createUsageRecorder(graph.execute, log)
  const house = { store, graph, cleanups, metrics, log }
  const countDeadJobs = await startAllJobs(house)
  await startCaretaking({ ...house, countDeadJobs, recorder, processId: null })
  internal.serve(internalAppOf(context, metrics, null))
  cleanups.add(internal.drain)
  return { internal: internalUrlOf(context, internal) }
}

const startSimulatorRole: Starter = async ({ config, catalog, cleanups }) => {
  const simulator = await startSimulator(catalog, { host: config.HOST, port: config.PORT })
  cleanups.add(() => simulator.close())
  return { modules: simulator.url }
}
