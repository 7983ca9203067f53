import type { Logger } from 'pino'
import type { RequestsInHand } from './requests-in-hand.ts'

/** Says when a listener has so much in hand that one more request would only make all others late. */
export interface Overload {
  /** Whether it refuses the next one. */
  refuses(requests: Load): boolean
  readonly close: () => void
}

/** What a listener has in hand. */
export type Load = Pick<RequestsInHand, 'count' | 'working' | 'servedPerSecond'>

interface OverloadOptions {
  /** In hand of one listener: the live one must have room whatever the sandbox is asked. */
  readonly maxRequests: number
  /**
   * So few are never too many to work on at once: a burst after a quiet second finds nothing served yet.
   */
  readonly crowd?: number
  readonly log: Logger
}

const reportMs = 1000

/** What is worked on at once is served within so long; more of it would not be served any faster. */
const waitSeconds = 0.25

/**
 * Bounds the requests in hand, and those that are worked on by how many were served a moment ago: more of
 * them would only wait longer. So it finds by itself how much this machine, its database and these
 * requests allow (docs/promises.md R7).
 */
export function createOverload({ maxRequests, crowd = 500, log }: OverloadOptions): Overload {
  let refused = 0
  const reporter = setInterval(() => {
    if (refused > 0) log.warn({ refused }, 'Requests were refused: more come than can be served')
    refused = 0
  }, reportMs).unref()

  function isTooMuch(requests: Load): boolean {
    if (requests.count() >= maxRequests) return true
    const working = requests.working()
    return working >= crowd && working >= requests.servedPerSecond() * waitSeconds
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
