import type { CallerKeys } from '../../../schema/credentials/caller-token.ts'
import type { Config } from '../../config/config.ts'
import { subgraphNames } from '../../config/role-names.ts'
import { createGraphClient, type GraphClient, warmUpCaller } from '../../graph/graph-client.ts'
import { createSubgraphClient, type SubgraphClient } from '../../graph/subgraph-client.ts'

/** The supergraph over subgraphs in other processes. */
export interface RemoteGraph extends GraphClient {
  /** Subgraph → whether one of its instances is ready. */
  readonly probes: ReadonlyMap<string, () => Promise<boolean>>
  close(): Promise<void>
}

export function openRemoteGraph(config: Config, keys: CallerKeys): RemoteGraph {
  const clients = new Map<string, SubgraphClient>(
    subgraphNames.map((name) => {
      const urls = config.subgraphUrls.get(name) ?? []
      const timeoutMs = config.SUBGRAPH_TIMEOUT_MS
      return [name, createSubgraphClient({ name, urls, keys, timeoutMs })]
    }),
  )
  const client = createGraphClient((name) => {
    const subgraph = clients.get(name)
    if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
    // Documents are parsed in this process, so a warm-up does not reach the subgraphs.
    return async (request) =>
      request.caller === warmUpCaller ? { data: null } : subgraph.send(request)
  })
  return {
    ...client,
    probes: new Map([...clients].map(([name, { isReady }]) => [name, isReady])),
    async close() {
      await Promise.all([...clients.values()].map((subgraph) => subgraph.close()))
    },
  }
}
