import { createAccountCache } from '../../../rest-facade/callers/account-cache.ts'
import type { NotedNotification } from '../../../subgraphs/account/settings/account-settings.ts'
import type { Addresses } from '../../config/addresses.ts'
import {
  type ExportOptions,
  exportsOf,
  paymentsOf,
  subgraphSettings,
} from '../../config/subgraph-settings.ts'
import type { OpenStore } from '../databases/store.ts'
import type { ProcessContext } from '../process/process-context.ts'
import { type OpenGraph, openGraph, type RememberedAccount } from '../supergraph/graph.ts'
import { poolSizes } from '../supergraph/pool-sizes.ts'
import type { Invalidation } from './invalidation.ts'
import { reportSubgraphMetrics } from './report-metrics.ts'

interface SettingsOptions {
  readonly store: OpenStore
  readonly addresses: Addresses
  readonly invalidation: Invalidation
  readonly exports: ExportOptions
  /**
   * The address at which the facade receives notifications of payments; the public addresses by
   * default.
   */
  readonly facadeUrls?: Addresses['baseUrls']
}

/** The settings of the subgraphs that run in this process. */
export function settingsOfSubgraphs(
  { config, log, metrics }: ProcessContext,
  { store, addresses, invalidation, exports, facadeUrls = addresses.baseUrls }: SettingsOptions,
) {
  return {
    ...subgraphSettings(config, store.gatewaySecret, addresses),
    exports,
    payments: {
      ...paymentsOf(config, facadeUrls),
      count: (kind: NotedNotification) => metrics.paymentNotifications.inc({ kind }),
    },
    warn: (message: string) => log.warn(message),
    invalidate: invalidation.invalidate,
  }
}

/** Opens the location of exports. */
export function openExports({ config, resources }: ProcessContext): ExportOptions {
  const exports = exportsOf(config)
  resources.defer(() => exports.files.close())
  return exports
}

/** Opens a cache of accounts that forgets an account when it changes. */
export function openAccountCache({ config }: ProcessContext, invalidation: Invalidation) {
  const accounts = createAccountCache<RememberedAccount>(config.KEY_CACHE_SECONDS)
  invalidation.add(accounts)
  return accounts
}

/** Opens all four subgraphs in this process. */
export async function openAllSubgraphs(
  { config, processGroup, metrics, resources }: ProcessContext,
  { databases }: OpenStore,
  settings: Omit<Parameters<typeof openGraph>[0], 'serviceUrl'>,
): Promise<OpenGraph> {
  const serviceUrl = (subgraph: string) => databases.get(subgraph)?.serviceUrl ?? ''
  const graph = await openGraph({
    ...settings,
    ...{
      serviceUrl,
      pool: poolSizes[processGroup.part],
      databaseTimeoutMs: config.DATABASE_TIMEOUT_MS,
    },
  })
  resources.defer(() => graph.close())
  reportSubgraphMetrics(metrics, graph.subgraphs)
  return graph
}
