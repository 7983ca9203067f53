import { createUsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import { addressesOf } from '../../config/addresses.ts'
import { requireCurrentDatabases } from '../../launch/databases/migrations.ts'
import { openStore } from '../../launch/databases/store.ts'
import { announcePayments } from '../../launch/parts/announce-payments.ts'
import { becomeReady, openReadiness } from '../../launch/parts/become-ready.ts'
import { serveInternal } from '../../launch/parts/internal.ts'
import { createInvalidation } from '../../launch/parts/invalidation.ts'
import { internalUrlsOf, openInternalListener } from '../../launch/parts/listeners.ts'
import { subscribe } from '../../launch/parts/notice-subscriptions.ts'
import { openAllSubgraphs, openExports, settingsOfSubgraphs } from '../../launch/parts/subgraphs.ts'
import { startWorker } from '../../launch/parts/worker.ts'
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
  await worker.startSweeps({ recorder, processId: null })
  subscribe([worker.subscription], resources)
  const details = announcePayments(context)
  const readiness = openReadiness(context, { databases: config.databases, details })
  serveInternal(context, { internal, readiness, graphql: null })
  becomeReady(context, { readiness, internal })
  return { urls: internalUrlsOf(context, internal) }
}
