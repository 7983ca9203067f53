import type { Logger } from 'pino'
import { createBackendKeys } from '../backends/backend-keys.ts'
import { createAccountCache } from '../callers/account-cache.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import { addressesOf, localUrl } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { internalSettingsOf, internalTokenKeyOf } from '../config/internal-settings.ts'
import { exportsOf, paymentsOf, subgraphSettings } from '../config/subgraph-settings.ts'
import { createGraphqlServer } from '../internal/graphql-server.ts'
import { createInternalApp, toolsGraphql } from '../internal/internal-app.ts'
import { createMetrics } from '../observability/metrics.ts'
import { memoryRateLimiter } from '../rate-limit/memory-rate-limiter.ts'
import { announcePayments } from './announce-payments.ts'
import { becomeReady, openReadiness } from './become-ready.ts'
import { migrateDatabases } from './databases/migrations.ts'
import { type OpenStore, openStore, serviceUrlsOf } from './databases/store.ts'
import { openListeners, startFacade } from './facade.ts'
import { createInvalidation } from './invalidation.ts'
import { type Cleanups, createCleanups, startOrUndo } from './process/cleanups.ts'
import { startTracing } from './process/tracing.ts'
import { reportSubgraphMetrics } from './report-metrics.ts'
import { type OpenGraph, openGraph, type RememberedAccount } from './supergraph/graph.ts'
import { startWebhooks } from './webhooks.ts'
import { startAllJobs, startCaretaking } from './worker.ts'

export interface Gateway {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
  readonly graph: OpenGraph
  readonly store: OpenStore
  /** See `mintInternalToken`. */
  readonly internalTokenKey: Uint8Array
  /** Finishes what is running, writes what is pending, then stops everything that was started. */
  readonly close: () => Promise<void>
}

/** Everything in one process: subgraphs, supergraph, listeners, simulator and, unless configured, PostgreSQL. */
export async function startGateway(
  config: Config,
  catalog: Catalog,
  log: Logger,
): Promise<Gateway> {
  const cleanups = createCleanups(log)
  const started = await startOrUndo(cleanups, () => start(config, catalog, log, cleanups))
  return { ...started, close: cleanups.run }
}

async function start(
  config: Config,
  catalog: Catalog,
  log: Logger,
  cleanups: Cleanups,
): Promise<Omit<Gateway, 'close'>> {
  const { HOST: host, INTERNAL_HOST: internalHost } = config
  const metrics = createMetrics()
  cleanups.add(() => metrics.close())
  cleanups.add(await startTracing('all', config, { log, metrics }))
  let docsUrl = config.DOCS_URL ?? ''
  // First, because it is what tells that another gateway has the folder.
  const store = await openStore(config)
  cleanups.add(() => store.close())
  const { gatewaySecret, isEmbedded } = store

  const listeners = await openListeners({
    ...{ config, log, metrics, cleanups },
    docsUrl: () => docsUrl,
  })
  const { live, sandbox, internal } = listeners
  const local = { live: localUrl(host, live.port), sandbox: localUrl(host, sandbox.port) }
  const addresses = addressesOf(config, local)
  docsUrl = addresses.docsUrl

  await migrateDatabases(store.databases, (message) => log.warn(message))
  const invalidation = createInvalidation(config.REDIS_URL, cleanups)
  const accounts = createAccountCache<RememberedAccount>(config.KEY_CACHE_SECONDS)
  invalidation.add(accounts)
  const exports = exportsOf(config)
  cleanups.add(() => exports.files.close())
  const details = announcePayments(config, { log, metrics })
  const readiness = openReadiness({ log, cleanups, databases: store.databases, details })
  const graph = await openGraph({
    ...subgraphSettings(config, gatewaySecret, addresses),
    serviceUrl: (subgraph) => store.databases.get(subgraph)?.serviceUrl ?? '',
    exports,
    warn: (message) => log.warn(message),
    accounts,
    // Not BASE_URL: what stands before us need not be reachable from here.
    payments: paymentsOf(config, local),
    invalidate: invalidation.invalidate,
  })
  cleanups.add(() => graph.close())
  await graph.warmUp()

  reportSubgraphMetrics(metrics, graph.subgraphs)
  const services = { store, graph, cleanups, metrics, log }
  const jobs = await startAllJobs(services)
  await startWebhooks({ ...services, config })
  const backendKeys = createBackendKeys({ execute: graph.execute, gatewaySecret, log })
  const facade = await startFacade({
    ...{
      config,
      catalog,
      log,
      metrics,
      cleanups,
      gatewaySecret,
      addresses,
      listeners,
      readiness,
      invalidation,
      backendKeys,
    },
    ...{ execute: graph.execute, exportFiles: exports.files, isEmbedded },
  })
  await startCaretaking({ ...services, ...facade, jobs })
  invalidation.listen(serviceUrlsOf(store.databases))

  const graphql = await createGraphqlServer({ executeDocument: graph.executeDocument, log })
  cleanups.add(() => graphql.stop())
  const internalTokenKey = internalTokenKeyOf(gatewaySecret)
  internal.serve(
    createInternalApp({
      ...internalSettingsOf(config, 'gateway'),
      ...{ backendKeys, metrics, readiness, log, docsUrl, anonymousRps: config.ANONYMOUS_RPS },
      graphql: toolsGraphql(graphql, {
        tokenKey: internalTokenKey,
        maxTtlSeconds: config.INTERNAL_TOKEN_MAX_TTL,
        execute: graph.execute,
      }),
      strangers: memoryRateLimiter(),
    }),
  )

  const { callsSettled } = facade
  becomeReady({ config, cleanups, readiness, listeners: [live, sandbox], internal, callsSettled })
  return {
    baseUrl: addresses.baseUrls.live,
    sandboxUrl: addresses.baseUrls.sandbox,
    internalUrl: localUrl(internalHost, internal.port),
    ...{ graph, store, internalTokenKey },
  }
}
