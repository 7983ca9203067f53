import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CallerKeys } from '../../../schema/credentials/caller-token.ts'
import { openCallerKeys } from '../../config/caller-keys.ts'
import type { ProcessContext } from '../process/process-context.ts'
import { openRemoteGraph, type RemoteGraph } from '../supergraph/remote-graph.ts'

/** Opens the keys that prove a caller to another process of this gateway. */
export function openProcessKeys({ config, log, resources }: ProcessContext): CallerKeys {
  const gatewaySecret = config.GATEWAY_SECRET ?? ''
  const open = openCallerKeys({ gatewaySecret, file: config.CALLER_KEYS_FILE, log })
  resources.defer(() => open.close())
  return open.keys
}

/** Opens the supergraph over subgraphs in other processes. */
export function openRemoteSubgraphs(
  context: ProcessContext,
  keys: CallerKeys = openProcessKeys(context),
): RemoteGraph {
  const graph = openRemoteGraph(context.config, keys)
  context.resources.defer(() => graph.close())
  return graph
}

/**
 * After its start, a process that asks subgraphs is of use as long as one of them answers: one
 * missing subgraph must not make every facade unready, because then a balancer has no facade for
 * the other calls.
 */
export function anyOf(probes: RemoteGraph['probes']): RemoteGraph['probes'] {
  const areReady = async () => {
    const answers = await Promise.all([...probes.values()].map((isReady) => isReady()))
    return answers.includes(true)
  }
  return new Map([['any subgraph', areReady]])
}

const readyPauseMs = 200

/**
 * Processes start in any order: one that needs others waits for them, and answers 503 meanwhile.
 */
export async function untilReady(probes: RemoteGraph['probes'], log: Logger): Promise<void> {
  for (const [subgraph, isReady] of probes) {
    for (let attempt = 0; !(await isReady()); attempt += 1) {
      if (attempt % 50 === 0) log.info({ subgraph }, 'Waiting for a subgraph')
      await sleep(readyPauseMs)
    }
  }
}
