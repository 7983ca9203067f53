import { createUsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import { addressesOf, localUrl } from '../../config/addresses.ts'
import { internalTokenKeyOf } from '../../config/internal-settings.ts'
import { operatorBaseUrlOf } from '../../config/operator-settings.ts'
import { createBackendKeys } from '../../internal/backend-keys.ts'
import { migrateDatabases } from '../../launch/databases/migrations.ts'
import { openStore, serviceUrlsOf } from '../../launch/databases/store.ts'
import { announcePayments } from '../../launch/parts/announce-payments.ts'
import { openReadiness } from '../../launch/parts/become-ready.ts'
import { openSimulator, refreshBackendKeys } from '../../launch/parts/facade.ts'
import { createInvalidation } from '../../launch/parts/invalidation.ts'
import { openAllSubgraphs, openExports, settingsOfSubgraphs } from '../../launch/parts/subgraphs.ts'
import { startWorker } from '../../launch/parts/worker.ts'
import type { ProcessContext } from '../../launch/process/process-context.ts'
import type { Gateway } from '../all-in-one.ts'
import type { WorkerLink } from '../group/worker-link.ts'

interface JobsOptions {
  readonly link: WorkerLink
  /** The ports that workers know; null: this is the first start. */
  readonly postgresPort: number | null
  readonly simulatorPort: number | null
  /**
   * Creates the data that the first calls need, and returns the text for the operator. More data may
   * follow until `stopped` resolves.
   */
  readonly announce: (gateway: Omit<Gateway, 'close'>, stopped: Promise<void>) => Promise<string>
}

/**
 * Runs everything that a gateway has once, whatever the number of its workers: the embedded
 * PostgreSQL, migrations, jobs, webhooks, sweeps, the simulated backend modules, and the listener
 * for changes by other gateways.
 */
export async function startJobsProcess(
  context: ProcessContext,
  { link, postgresPort, simulatorPort, announce }: JobsOptions,
): Promise<object> {
  const { config, log, processGroup, metrics, resources } = context
  const { primary } = link
  resources.defer(() => link.leave())
  const store = await openStore(config, postgresPort ?? undefined)
  resources.defer(() => store.close())
  const { databases, gatewaySecret, isEmbedded } = store
  primary.tell('storeOpened', { databases: [...databases], gatewaySecret, isEmbedded })
  const { ports } = await link.begun
  const local = {
    live: localUrl(config.HOST, ports.live),
    sandbox: localUrl(config.HOST, ports.sandbox),
    internal: localUrl(config.INTERNAL_HOST, ports.internal),
  }
  const addresses = addressesOf(config, local)
  await migrateDatabases(databases, (message) => log.warn(message))

  const invalidation = await createInvalidation(config.REDIS_URL, resources, processGroup.changes)
  const exports = openExports(context)
  const graph = await openAllSubgraphs(
    context,
    store,
    settingsOfSubgraphs(context, { store, addresses, invalidation, exports, facadeUrls: local }),
  )
  const { execute } = graph
  announcePayments(context)
  const backendKeys = createBackendKeys({ execute, gatewaySecret, log })
  await refreshBackendKeys(context, backendKeys)
  const simulator = await openSimulator(context, {
    ...{ backendKeys, addresses, port: simulatorPort ?? undefined },
  })
  const recorder = createUsageRecorder(execute, log)
  metrics.watchQueue('usage_log', recorder)
  const worker = await startWorker(context, { store, graph, addresses })
  // After a restart of this process the workers still run, so their charges must not count as
  // charges of dead processes.
  const isAlone = isEmbedded && postgresPort === null
  await worker.startSweeps({ recorder, processId: null, isAlone })
  // The databases tell of changes by other gateways and commands.
  invalidation.relay(serviceUrlsOf(databases), [worker.subscription])
  primary.tell('databasesReady', { simulatorUrl: simulator.url })

  const gateway = {
    ...{ graph, store, internalTokenKey: internalTokenKeyOf(gatewaySecret) },
    ...{ baseUrl: addresses.baseUrls.live, sandboxUrl: addresses.baseUrls.sandbox },
    internalUrl: local.internal,
    operatorUrl: operatorBaseUrlOf(config, ports.internal),
  }
  // This process serves no requests, but it tells the workers when a database cannot be used.
  openReadiness(context, { databases }).begin()
  primary.tell('banner', await announce(gateway, link.ended))
  link.become(metrics)
  return {}
}
