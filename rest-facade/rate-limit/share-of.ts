/**
 * The part of a limit that each of several processes has, so that all together do not exceed it; at
 * least 1.
 */
export function shareOf(limit: number, processes: number): number {
  return Math.max(1, Math.floor(limit / processes))
}
