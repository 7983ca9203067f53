import { addressesOf } from '../../config/addresses.ts'
import { createBackendKeys } from '../../internal/backend-keys.ts'
import { serviceUrlsOf } from '../../launch/databases/store.ts'
import { becomeReady, openReadiness } from '../../launch/parts/become-ready.ts'
import { startFacade } from '../../launch/parts/facade.ts'
import { serveInternal } from '../../launch/parts/internal.ts'
import { createInvalidation } from '../../launch/parts/invalidation.ts'
import { localUrlsOf, openListeners } from '../../launch/parts/listeners.ts'
import { anyOf, openRemoteSubgraphs, untilReady } from '../../launch/parts/remote-subgraphs.ts'
import { openExports } from '../../launch/parts/subgraphs.ts'
import { prepareLater } from '../../launch/warm-up/prepare-later.ts'
import { warmHotPath } from '../../launch/warm-up/warm-hot-path.ts'
import type { Role } from './role.ts'

export const startFacadeRole: Role = async (context) => {
  const { config, log, warmsUp, resources } = context
  const addresses = addressesOf(config)
  const listeners = await openListeners(context, () => addresses.docsUrl)
  const { live, sandbox, internal } = listeners
  const invalidation = await createInvalidation(config.REDIS_URL, resources)
  const exports = openExports(context)
  const graph = openRemoteSubgraphs(context)
  const { execute } = graph
  const readiness = openReadiness(context, { others: anyOf(graph.probes) })
  const gatewaySecret = config.GATEWAY_SECRET ?? ''
  const backendKeys = createBackendKeys({ execute, gatewaySecret, log })
  serveInternal(context, { internal, readiness, backendKeys, graphql: null })
  await untilReady(graph.probes, log)
  if (warmsUp) await warmHotPath({ execute, log })
  const { callsSettled } = await startFacade(context, {
    ...{ execute, gatewaySecret, addresses, listeners, readiness, invalidation, backendKeys },
    ...{ exportFiles: exports.files, isEmbedded: false },
  })
  invalidation.listen(serviceUrlsOf(config.databases))
  if (warmsUp) resources.defer(prepareLater(graph))
  becomeReady(context, { readiness, listeners: [live, sandbox], internal, callsSettled })
  return { urls: localUrlsOf(context, listeners) }
}
