import { Registry } from '@prometheus-io/client'
import type { MetricsJson } from './messages.ts'

/** The types of metrics that only grow: their sums must not shrink when a process ends. */
const lasting = new Set(['counter', 'histogram'])

/** Metrics of processes, the ended ones included. */
export interface MetricsHistory {
  /** The newest metrics of a running process. */
  note(process: number, metrics: MetricsJson): void
  /** The process has ended; its counters stay. Resolves when they are summed with earlier ones. */
  end(process: number): Promise<void>
  /**
   * The newest metrics of each running process, and the counters of ended ones. A process that does
   * not answer in time keeps its last values, so that no counter falls.
   */
  readonly all: () => MetricsJson[]
}

export function createMetricsHistory(): MetricsHistory {
  const newest = new Map<number, MetricsJson>()
  const ended: MetricsJson[] = []
  let summing = Promise.resolve()

  async function sumEnded(): Promise<void> {
    const parts = [...ended]
    const summed = await jsonOf(sum(parts))
    ended.splice(0, parts.length, summed)
  }

  return {
    note: (process, metrics) => void newest.set(process, metrics),
    end(process) {
      const last = newest.get(process)
      newest.delete(process)
      if (!last) return summing
      ended.push(last.filter(({ type }) => lasting.has(type)))
      // Sums are made one after the other, because each takes the place of the values that it has
      // summed.
      summing = summing.then(sumEnded)
      return summing
    },
    all: () => [...ended, ...newest.values()],
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
