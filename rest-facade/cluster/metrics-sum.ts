import { Registry } from '@prometheus-io/client'
import type { MetricsJson } from './messages.ts'

/** The types of metrics that only grow: their sums must not shrink when a process ends. */
const lasting = new Set(['counter', 'histogram'])

/** Metrics of processes, the ended ones included. */
export interface MetricsHistory {
  /** The newest metrics of a running process. */
  note(process: number, metrics: MetricsJson): void
  /** The process has ended; its counters stay. */
  end(process: number): Promise<void>
  /** The counters of ended processes. */
  readonly ended: () => MetricsJson
}

export function createMetricsHistory(): MetricsHistory {
  const newest = new Map<number, MetricsJson>()
  let ended: MetricsJson = []
  return {
    note: (process, metrics) => void newest.set(process, metrics),
    async end(process) {
      const last = newest.get(process)
      newest.delete(process)
      if (!last) return
      const counters = last.filter(({ type }) => lasting.has(type))
      ended = await jsonOf(sum([ended, counters]))
    },
    ended: () => ended,
  }
}

/** All processes in one registry. A metric says itself how its values are combined, by default summed. */
export function sum(metrics: readonly MetricsJson[]): Registry {
  return Registry.aggregate(metrics.map((one) => [...one]))
}

export async function jsonOf(registry: Registry): Promise<MetricsJson> {
  // Some values have no JSON, such as NaN; a message carries null for them.
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()))
}
