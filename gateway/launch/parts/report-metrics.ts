import type { Ledger } from '../../../rest-facade/charge/ledger.ts'
import type { UsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Metrics } from '../../observability/metrics.ts'
import type { OpenSubgraph } from '../supergraph/graph.ts'

/** Reports the queues of a facade: for credits and for the usage log. */
export function reportFacadeMetrics(
  metrics: Metrics,
  ledger: Ledger,
  recorder: UsageRecorder,
): void {
  metrics.watchOpenHolds(ledger.open)
  metrics.watchSettlementsInDoubt(ledger.inDoubt)
  metrics.watchQueue('reserve', ledger.queues.reserve)
  metrics.watchQueue('settle', ledger.queues.settle)
  metrics.watchQueue('usage_log', recorder)
}

/** Reports the database connections of the subgraphs that run in this process. */
export function reportSubgraphMetrics(
  metrics: Metrics,
  subgraphs: ReadonlyMap<string, OpenSubgraph>,
): void {
  for (const [name, subgraph] of subgraphs) {
    metrics.watchDatabase(name, subgraph.connections)
  }
}
