import type { BackendHealth, ProbeBackends } from '../../../rest-facade/backends/probes.ts'

/** The state of the backend modules of one environment. */
export interface Findings {
  readonly backends: readonly BackendHealth[]
  /** The time in which these findings need no new probe. */
  readonly freshMs: number
}

/** How long a backend module may take to answer a probe. */
export const probeTimeoutMs = 2000
/** Probes are shared for this time from their beginning, so that many requests do not multiply them. */
const probesFreshMs = 1000

/** Probes the backend modules now. */
export async function findNow(
  probe: ProbeBackends,
  clockMs: () => number = () => performance.now(),
): Promise<Findings> {
  const beganMs = clockMs()
  const backends = await probe()
  return { backends, freshMs: Math.max(0, probesFreshMs - (clockMs() - beganMs)) }
}

/** Returns findings that are fresh or under way, and only otherwise calls `find`. */
export type FindShared = (find: () => Promise<Findings>) => Promise<Findings>

/**
 * Keeps the findings of one environment. When a probe fails because the process that made it has
 * ended, the next request that waits for its findings has another one made.
 */
export function keepFindings(clockMs: () => number = () => performance.now()): FindShared {
  let kept: { readonly backends: readonly BackendHealth[]; readonly untilMs: number } | null = null
  let finding: Promise<Findings> | null = null

  async function look(find: () => Promise<Findings>): Promise<Findings> {
    const found = await find()
    kept = { backends: found.backends, untilMs: clockMs() + found.freshMs }
    return found
  }

  return async function findShared(find) {
    while (finding) {
      const found = await finding.catch(() => null)
      if (found) return found
    }
    const freshMs = (kept?.untilMs ?? 0) - clockMs()
    if (kept && freshMs > 0) return { backends: kept.backends, freshMs }
    finding = look(find).finally(() => {
      finding = null
    })
    return finding
  }
}
