import {
  createGraphClient,
  type GraphClient,
  type SubgraphTransport,
  warmUpCaller,
} from '../../../rest-facade/graph/graph-client.ts'
import type { CallerKeys } from '../../../schema/credentials/caller-token.ts'
import { documentFetchMs, documentTurnMs } from '../../../schema/vocabulary/document-address.ts'
import type { Config } from '../../config/config.ts'
import { subgraphNames } from '../../config/role-names.ts'
import { documentExecutor, type ExecuteDocument } from '../../internal/execute-document.ts'
import { createOperatorReads } from '../../internal/operator-reads.ts'
import { createSubgraphClient, type SubgraphClient } from '../../internal/subgraph-client.ts'

/** The subgraph fetches the document of an app while it answers these. */
const fetching = {
  fields: new Set(['authorizationScreen', 'decideConsent']),
  ms: documentTurnMs + documentFetchMs,
}

/** The supergraph over subgraphs in other processes. */
export interface RemoteGraph extends GraphClient {
  readonly executeDocument: ExecuteDocument
  /** Subgraph → whether one of its instances is ready. */
  readonly probes: ReadonlyMap<string, () => Promise<boolean>>
  close(): Promise<void>
}

export function openRemoteGraph(config: Config, keys: CallerKeys): RemoteGraph {
  const clients = new Map<string, SubgraphClient>(
    subgraphNames.map((name) => {
      const urls = config.subgraphUrls.get(name) ?? []
      const timeoutMs = config.DATABASE_TIMEOUT_MS
      const waiting = name === 'oauth' ? fetching : undefined
      return [name, createSubgraphClient({ name, urls, keys, timeoutMs, waiting })]
    }),
  )
  const transportOf = (name: string): SubgraphTransport => {
    const subgraph = clients.get(name)
    if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
    // Documents are parsed in this process, so a warm-up does not reach the subgraphs.
    return async (request) =>
      request.caller === warmUpCaller ? { data: null } : subgraph.send(request)
  }
  const client = createGraphClient(transportOf)
  return {
    ...client,
    executeDocument: documentExecutor(transportOf, createOperatorReads(client.execute)),
    probes: new Map([...clients].map(([name, { isReady }]) => [name, isReady])),
    async close() {
      await Promise.all([...clients.values()].map((subgraph) => subgraph.close()))
    },
  }
}
