import type { RunLoad } from './load.ts'

/** One line of the table. */
export interface Row {
  readonly bench: string
  readonly goal: string
  readonly ours: string
  /** The value that ours is compared with, or nothing when the goal is absolute. */
  readonly floor: string
  readonly value: string
  /** Null when there was nothing to judge. */
  readonly isMet: boolean | null
  /** Unexpected results, which make the figures meaningless. */
  readonly problems: readonly string[]
  /** Everything that was measured, for bench-results.json. */
  readonly measured: unknown
}

export interface BenchContext {
  /** In a process of its own. */
  readonly runLoad: RunLoad
  /** How often each side is measured; medians are reported. */
  readonly slices: number
  /** How often each long piece is measured; once by default. */
  readonly longRounds: number
  /** How long such a piece lasts. */
  readonly longSeconds: number
  /** How long the soak lasts. */
  readonly soakMinutes: number
  /** The load of the soak in multiples of the peak; null: half of what a few connections reach. */
  readonly soakLoad: number | null
  /** The length of the long usage logs. */
  readonly logRows: number
  /** Flags for the gateway's process, such as `--cpu-prof`. */
  readonly gatewayFlags: readonly string[]
}

export interface Bench {
  readonly name: string
  readonly title: string
  /** Whether the benchmark takes minutes, and runs only when it is asked for. */
  readonly isLong?: true
  run(context: BenchContext): Promise<readonly Row[]>
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const high = sorted[middle] ?? Number.NaN
  const low = sorted.length % 2 === 1 ? high : (sorted[middle - 1] ?? Number.NaN)
  return (low + high) / 2
}
