import { addressesOf } from '../../config/addresses.ts'
import { createUsageRecorder } from '../../usage-log/usage-recorder.ts'
import { requireCurrentDatabases } from '../databases/migrations.ts'
import { openStore } from '../databases/store.ts'
import { announcePayments } from '../parts/announce-payments.ts'
import { becomeReady, openReadiness } from '../parts/become-ready.ts'
import { serveInternal } from '../parts/internal.ts'
import { createInvalidation } from '../parts/invalidation.ts'
import { internalUrlsOf, openInternalListener } from '../parts/listeners.ts'
import { subscribe } from '../parts/notice-subscriptions.ts'
import { openAllSubgraphs, openExports, settingsOfSubgraphs } from '../parts/subgraphs.ts'
import { startWorker } from '../parts/worker.ts'
import type { Role } from './role.ts'

export const startWorkerRole: Role = async (context) => {
  const { config, log, metrics, resources } = context
  const internal = await openInternalListener(context)
  const store = await openStore(config)
  await requireCurrentDatabases(config.databases)
  const invalidation = await createInvalidation(config.REDIS_URL, resources)
  const exports = openExports(context)
  const addresses = addressesOf(config)
  const settings = settingsOfSubgraphs(context, { store, addresses, invalidation, exports })
  const graph = await openAllSubgraphs(context, store, settings)
  const recorder = createUsageRecorder(graph.execute, log)
  metrics.watchQueue('usage_log', recorder)
  const worker = await startWorker(context, { store, graph, addresses })
  await worker.startUpkeep({ recorder, processId: null })
  subscribe([worker.subscription], resources)
  const details = announcePayments(context)
  const readiness = openReadiness(context, { databases: config.databases, details })
  serveInternal(context, { internal, readiness, graphql: null })
  becomeReady(context, { readiness, internal })
  return { urls: internalUrlsOf(context, internal) }
}
