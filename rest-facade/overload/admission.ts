import { createFairShare, type FairShare } from './fair-share.ts'

/** Decides how many requests are worked on at once, by the delay of the process's own queue. */
export interface Admission {
  /** Notes how long an event of this process waits for its turn now, with so many requests at work. */
  noteDelay(nowMs: number, delayMs: number, working: number): void
  /** Whether a request is let in. `credential`: its `Authorization` header, or an empty string. */
  admits(nowMs: number, credential: string, working: number): boolean
}

/** So many are worked on, whatever the delay: fewer would not be served faster. */
export const leastWorking = 64

/** A delay that is over sooner was a burst or a garbage collection. */
const intervalMs = 100
/** So many times the bound is open to those who have not had their share. */
const reach = 1.5
/** How much the bound grows in an interval without a long delay. */
const growth = 1.1
/** So long after the last refusal there is no bound. */
const calmMs = 1000

/**
 * Controlled delay (RFC 8289), with a bound that outlasts an interval: when the least delay of 100 ms
 * is above `maxDelayMs`, a queue stands, and each further request makes it longer. The bound is then
 * the number of requests with which the delay would be `maxDelayMs`, because both grow together.
 * A shorter delay is the price of working on many requests at once.
 */
export function createAdmission(
  maxDelayMs: number,
  share: FairShare = createFairShare(),
): Admission {
  let bound = Number.POSITIVE_INFINITY
  /** Since when the delay has been long, and how long at least; null while it is short. */
  let long: { readonly sinceMs: number; readonly leastMs: number } | null = null
  let boundMovedAtMs = Number.NEGATIVE_INFINITY
  let refusedAtMs = Number.NEGATIVE_INFINITY
  let fadedAtMs = Number.NEGATIVE_INFINITY

  function noteShort(nowMs: number): void {
    long = null
    if (nowMs - boundMovedAtMs < intervalMs) return
    bound *= growth
    boundMovedAtMs = nowMs
  }

  function noteLong(nowMs: number, delayMs: number, working: number): void {
    const { sinceMs, leastMs } = long ?? { sinceMs: nowMs, leastMs: delayMs }
    long = { sinceMs, leastMs: Math.min(leastMs, delayMs) }
    if (nowMs - sinceMs < intervalMs) return
    bound = Math.max(leastWorking, (working * maxDelayMs) / long.leastMs)
    long = { sinceMs: nowMs, leastMs: delayMs }
    boundMovedAtMs = nowMs
    refusedAtMs = nowMs
  }

  function mayEnter(asker: number, working: number): boolean {
    return (
      working < leastWorking || working < bound || (working < bound * reach && !share.hasHad(asker))
    )
  }

  return {
    noteDelay(nowMs, delayMs, working) {
      if (delayMs > maxDelayMs) noteLong(nowMs, delayMs, working)
      else noteShort(nowMs)
    },
    admits(nowMs, credential, working) {
      // Nobody notes a delay while few are at work.
      if (nowMs - refusedAtMs > calmMs) bound = Number.POSITIVE_INFINITY
      const intervals = Math.floor((nowMs - fadedAtMs) / intervalMs)
      if (intervals > 0) {
        fadedAtMs = nowMs
        share.fade(intervals)
      }
      const asker = share.ask(credential)
      if (mayEnter(asker, working)) {
        share.letIn(asker)
        return true
      }
      refusedAtMs = nowMs
      return false
    },
  }
}
