import type { Logger } from 'pino'
import type { RequestsInHand } from './requests-in-hand.ts'

/** Says when a listener has so many requests that one more would only make all others slower. */
export interface Overload {
  /** Whether the next request is refused. */
  refuses(requests: Load): boolean
  readonly close: () => void
}

/** The requests that a listener has in progress. */
export type Load = Pick<RequestsInHand, 'count' | 'working' | 'servedPerSecond'>

interface OverloadOptions {
  /** For each listener: the live one must have places, however busy the sandbox is. */
  readonly maxRequests: number
  /**
   * Up to this number, work never counts as too much: after a quiet second nothing has been served
   * yet, and a burst must still pass.
   */
  readonly crowd?: number
  readonly log: Logger
}

/** Of the workers of a gateway together. */
export const crowd = 500

const reportMs = 1000

/** Concurrent work is served within this time; more of it would not be served faster. */
const waitSeconds = 0.25

/**
 * Limits the requests in progress. The number of requests that are worked on is also limited by how
 * many were served in the last second: more of them would only wait longer. The limit thus adapts
 * to the machine, the database and the kind of requests (docs/promises.md R7).
 */
export function createOverload({
  maxRequests,
  crowd: most = crowd,
  log,
}: OverloadOptions): Overload {
  let refused = 0
  const reporter = setInterval(() => {
    if (refused > 0)
      log.warn({ refused }, 'Requests were refused: there are more than the gateway can serve')
    refused = 0
  }, reportMs).unref()

  function isTooMuch(requests: Load): boolean {
    if (requests.count() >= maxRequests) return true
    const working = requests.working()
    return working >= most && working >= requests.servedPerSecond() * waitSeconds
  }

  return {
    refuses(requests) {
      const refuses = isTooMuch(requests)
      if (refuses) refused += 1
      return refuses
    },
    close: () => clearInterval(reporter),
  }
}
