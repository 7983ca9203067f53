import type { Logger } from 'pino'
import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import { addressesOf } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { internalTokenKeyOf } from '../config/internal-settings.ts'
import { operatorBaseUrlOf } from '../config/operator-settings.ts'
import { createBackendKeys } from '../internal/backend-keys.ts'
import { migrateDatabases } from '../launch/databases/migrations.ts'
import { type OpenStore, openStore, serviceUrlsOf } from '../launch/databases/store.ts'
import { announcePayments } from '../launch/parts/announce-payments.ts'
import { becomeReady, openReadiness } from '../launch/parts/become-ready.ts'
import { startFacade } from '../launch/parts/facade.ts'
import { openToolsGraphql, serveInternal } from '../launch/parts/internal.ts'
import { createInvalidation } from '../launch/parts/invalidation.ts'
import { type Listeners, localUrlsOf, openListeners } from '../launch/parts/listeners.ts'
import { openOperatorPage } from '../launch/parts/operator.ts'
import {
  openAccountCache,
  openAllSubgraphs,
  openExports,
  settingsOfSubgraphs,
} from '../launch/parts/subgraphs.ts'
import { startWorker } from '../launch/parts/worker.ts'
import {
  type ProcessContext,
  type ProcessOptions,
  startProcess,
} from '../launch/process/process-context.ts'
import type { OpenGraph } from '../launch/supergraph/graph.ts'
import { prepareLater } from '../launch/warm-up/prepare-later.ts'
import { warmHotPath } from '../launch/warm-up/warm-hot-path.ts'
import type { Simulator } from '../trial/simulator/simulator.ts'
import { answerAfterNotices, type SharedChanges } from './group/process-group.ts'

export interface Gateway {
  readonly baseUrl: string
  readonly sandboxUrl: string
  readonly internalUrl: string
  /** The address of the operators' page; null: there is none. */
  readonly operatorUrl: string | null
  readonly graph: OpenGraph
  readonly store: OpenStore
  /** See `mintInternalToken`. */
  readonly internalTokenKey: Uint8Array
  /** Finishes running requests, writes pending entries, then stops everything that was started. */
  readonly close: () => Promise<void>
}

interface StartOptions extends Pick<ProcessOptions, 'warmsUp'> {
  /** The start of the database, which may already be under way. */
  readonly opening?: Promise<OpenStore>
}

/** Starts all roles in one process and, unless a database is configured, PostgreSQL. */
export function startGateway(
  config: Config,
  catalog: Catalog,
  log: Logger,
  { opening, warmsUp }: StartOptions = {},
): Promise<Gateway> {
  const options = { role: 'all', config, catalog, log, warmsUp }
  return startProcess(options, (context) => start(context, opening))
}

async function start(
  context: ProcessContext,
  opening?: Promise<OpenStore>,
): Promise<Omit<Gateway, 'close'>> {
  const { config, log, resources } = context
  let docsUrl = config.DOCS_URL ?? ''
  // The store is opened first, because that fails when another gateway has the folder.
  const store = await (opening ?? openStore(config))
  resources.defer(() => store.close())
  const listeners = await openListeners(context, () => docsUrl)
  docsUrl = addressesOf(config, localUrlsOf(context, listeners)).docsUrl
  await migrateDatabases(store.databases, (message) => log.warn(message))
  return serveGateway(context, { store, listeners, simulator: null })
}

interface ServeOptions {
  /** A store whose schemas are those of this build. */
  readonly store: OpenStore
  readonly listeners: Listeners
  /**
   * The simulated modules of another process, which also runs all jobs; null: this process has
   * both.
   */
  readonly simulator: Pick<Simulator, 'urlOf'> | null
}

/** Serves the API and internal tools, with all subgraphs in this process. */
export async function serveGateway(
  context: ProcessContext,
  { store, listeners, simulator }: ServeOptions,
): Promise<Omit<Gateway, 'close'>> {
  const { config, log, processGroup, warmsUp, resources } = context
  const { gatewaySecret, isEmbedded } = store
  const local = localUrlsOf(context, listeners)
  const addresses = addressesOf(config, local)
  const { docsUrl } = addresses

  const invalidation = await createInvalidation(config.REDIS_URL, resources, processGroup.changes)
  const exports = openExports(context)
  const subgraphs = {
    ...{ store, addresses, invalidation, exports },
    // The address is not BASE_URL: from this machine, a proxy in front of the gateway may not be
    // reachable.
    facadeUrls: local,
  }
  const opened = await openAllSubgraphs(context, store, {
    ...settingsOfSubgraphs(context, subgraphs),
    accounts: openAccountCache(context, invalidation),
  })
  const graph = processGroup.changes ? withAwaitedNotices(opened, processGroup.changes) : opened
  if (warmsUp) await warmHotPath({ execute: graph.execute, log })

  const { execute } = graph
  const details = announcePayments(context)
  // In a gateway with workers, the process with the jobs looks after the databases.
  const databases = simulator ? undefined : store.databases
  const readiness = openReadiness(context, { databases, details })
  const worker = simulator ? null : await startWorker(context, { store, graph, addresses })
  const backendKeys = createBackendKeys({ execute, gatewaySecret, log })
  const facade = await startFacade(context, {
    ...{ execute, gatewaySecret, addresses, listeners, readiness, invalidation, backendKeys },
    ...{ exportFiles: exports.files, isEmbedded, simulator },
  })
  await worker?.startSweeps(facade)
  invalidation.listen(serviceUrlsOf(store.databases), worker ? [worker.subscription] : [])
  const graphql = openToolsGraphql(context, graph, gatewaySecret)
  const { live, sandbox, internal } = listeners
  const operator = openOperatorPage(context, { ...graph, internal, gatewaySecret, docsUrl })
  serveInternal(context, { internal, readiness, backendKeys, graphql, operator, docsUrl })
  const { callsSettled } = facade
  if (warmsUp) resources.defer(prepareLater(graph))
  becomeReady(context, { readiness, listeners: [live, sandbox], internal, callsSettled })
  return {
    baseUrl: addresses.baseUrls.live,
    sandboxUrl: addresses.baseUrls.sandbox,
    internalUrl: local.internal,
    operatorUrl: operatorBaseUrlOf(config, internal.port),
    ...{ graph, store, internalTokenKey: internalTokenKeyOf(gatewaySecret) },
  }
}

/**
 * A caller gets the answer to a change when all processes of the gateway have forgotten the old
 * state.
 */
function withAwaitedNotices(graph: OpenGraph, changes: SharedChanges): OpenGraph {
  const { execute, executeDocument } = graph
  return {
    ...graph,
    execute: answerAfterNotices(changes, execute),
    executeDocument: answerAfterNotices(changes, executeDocument),
  }
}
