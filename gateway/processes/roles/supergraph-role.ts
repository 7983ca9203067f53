import { becomeReady, openReadiness } from '../../launch/parts/become-ready.ts'
import { openToolsGraphql, serveInternal } from '../../launch/parts/internal.ts'
import { internalUrlsOf, openInternalListener } from '../../launch/parts/listeners.ts'
import { openOperatorPage } from '../../launch/parts/operator.ts'
import { anyOf, openRemoteSubgraphs } from '../../launch/parts/remote-subgraphs.ts'
import type { Role } from './role.ts'

export const startSupergraphRole: Role = async (context) => {
  const internal = await openInternalListener(context)
  const graph = openRemoteSubgraphs(context)
  const gatewaySecret = context.config.GATEWAY_SECRET ?? ''
  const graphql = openToolsGraphql(context, graph, gatewaySecret)
  const operator = openOperatorPage(context, { ...graph, internal, gatewaySecret })
  const readiness = openReadiness(context, { others: anyOf(graph.probes) })
  serveInternal(context, { internal, readiness, graphql, operator })
  becomeReady(context, { readiness, internal })
  return { urls: internalUrlsOf(context, internal) }
}
