import type { Ledger } from '../ledger.ts'
import type { Metrics } from '../metrics.ts'
import type { UsageRecorder } from '../usage-recorder.ts'
import type { OpenSubgraph } from './graph.ts'

/** Lets a monitor see what waits in a facade: for credits, for the usage log. */
export function watchFacade(metrics: Metrics, ledger: Ledger, recorder: UsageRecorder): void {
  metrics.watchOpenHolds(ledger.open)
  metrics.watchQueue('reserve', ledger.queues.reserve)
  metrics.watchQueue('settle', ledger.queues.settle)
  metrics.watchQueue('usage_log', recorder)
}

/** And what the connections of subgraphs do, where they run in this process. */
export function watchSubgraphs(
  metrics: Metrics,
  subgraphs: ReadonlyMap<string, OpenSubgraph>,
): void {
  for (const [name, subgraph] of subgraphs) {
    metrics.watchDatabase(name, subgraph.connections)
  }
}
