import { openConnections } from '../../../subgraphs/shared/database/connections.ts'
import { createSubgraphServer } from '../../../subgraphs/shared/graph/serve.ts'
import { addressesOf } from '../../config/addresses.ts'
import { subgraphGraphql } from '../../internal/subgraph-graphql.ts'
import { requireCurrentDatabases } from '../../launch/databases/migrations.ts'
import { openStore } from '../../launch/databases/store.ts'
import { announcePayments } from '../../launch/parts/announce-payments.ts'
import { becomeReady, openReadiness } from '../../launch/parts/become-ready.ts'
import { serveInternal } from '../../launch/parts/internal.ts'
import { createInvalidation } from '../../launch/parts/invalidation.ts'
import { internalUrlsOf, openInternalListener } from '../../launch/parts/listeners.ts'
import { openProcessKeys, openRemoteSubgraphs } from '../../launch/parts/remote-subgraphs.ts'
import { openAccountCache, openExports, settingsOfSubgraphs } from '../../launch/parts/subgraphs.ts'
import type { ProcessContext } from '../../launch/process/process-context.ts'
import { type OpenSubgraph, openSubgraph } from '../../launch/supergraph/graph.ts'
import { ownPool } from '../../launch/supergraph/pool-sizes.ts'
import type { Role } from './role.ts'

/** Serves the subgraph that has the name of the role. */
export const startSubgraphRole: Role = async (context) => {
  const { role: name, config, metrics, resources } = context
  const internal = await openInternalListener(context)
  const keys = openProcessKeys(context)
  const store = await openStore(config)
  const databases = new Map([...config.databases].filter(([subgraph]) => subgraph === name))
  await requireCurrentDatabases(databases)
  const invalidation = await createInvalidation(config.REDIS_URL, resources)
  const accounts = openAccountCache(context, invalidation)
  const exports = openExports(context)
  const { execute } = openRemoteSubgraphs(context, keys)
  const addresses = addressesOf(config)
  const serviceUrl = store.databases.get(name)?.serviceUrl ?? ''
  const settings = settingsOfSubgraphs(context, { store, addresses, invalidation, exports })
  const { warn } = settings
  const timeoutMs = config.DATABASE_TIMEOUT_MS
  const connections = await openConnections({ url: serviceUrl, ...ownPool, name, timeoutMs, warn })
  resources.defer(() => connections.close())
  const subgraph = await openSubgraph(name, { ...settings, connections, accounts, execute })
  resources.defer(() => subgraph.close())
  metrics.watchDatabase(name, subgraph.connections)
  // Facades without a database hear of changes through Redis.
  invalidation.relay([serviceUrl])
  const graphql = await openSubgraphServer(context, subgraph)
  const details = name === 'account' ? announcePayments(context) : {}
  const readiness = openReadiness(context, { databases, details })
  serveInternal(context, { internal, readiness, graphql: subgraphGraphql(name, graphql, keys) })
  becomeReady(context, { readiness, internal })
  return { urls: internalUrlsOf(context, internal) }
}

async function openSubgraphServer(
  { role: name, log, resources }: ProcessContext,
  subgraph: OpenSubgraph,
) {
  const graphql = await createSubgraphServer({
    ...subgraph,
    onFailure(error, caller) {
      const accountId = caller?.kind === 'account' ? caller.accountId : undefined
      const seen = { requestId: caller?.requestId, traceId: caller?.traceId, accountId }
      log.error({ err: error, subgraph: name, ...seen }, 'An operation failed')
    },
  })
  resources.defer(() => graphql.stop())
  return graphql
}
