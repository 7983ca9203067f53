import type { Read } from '../../../../src/data/read.ts'
import type { Body } from '../../api.ts'

export type GatewayProcess = Body<'GatewayProcesses'>[number]
export type ProcessRead = Read<Body<'GatewayProcesses'>>

/** A module as all processes see it. */
export interface ModuleSum {
  readonly name: string
  readonly processes: number
  readonly openBreakers: number
  readonly calls: number
  readonly failures: number
  /** By the calls of each process; null without any. */
  readonly meanMs: number | null
}

/** Modules in the order of their names. */
export function modulesOf(processes: readonly GatewayProcess[]): readonly ModuleSum[] {
  const byName = Map.groupBy(
    processes.flatMap(({ modules }) => modules),
    ({ name }) => name,
  )
  return [...byName]
    .map(([name, seen]) => {
      const timed = seen.filter(({ meanMs, calls }) => meanMs !== null && calls > 0)
      const timedCalls = sum(timed.map(({ calls }) => calls))
      const timeMs = sum(timed.map(({ meanMs, calls }) => (meanMs ?? 0) * calls))
      return {
        name,
        processes: seen.length,
        openBreakers: seen.filter(({ isBreakerOpen }) => isBreakerOpen).length,
        calls: sum(seen.map(({ calls }) => calls)),
        failures: sum(seen.map(({ failures }) => failures)),
        meanMs: timedCalls === 0 ? null : Math.round(timeMs / timedCalls),
      }
    })
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** The newest of these instants; null without any. */
export function newestOf(instants: readonly (string | null)[]): string | null {
  const known = instants.filter((one) => one !== null)
  return known.toSorted().at(-1) ?? null
}

/** The report of the process that knows most of what all processes share: each asks the same tables. */
export function newestWorker(processes: readonly GatewayProcess[]): GatewayProcess | null {
  const workers = processes.filter(({ deadJobs }) => deadJobs !== null)
  return workers.toSorted((one, other) => other.seenAt.localeCompare(one.seenAt))[0] ?? null
}
