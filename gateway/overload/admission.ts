import { createFairShare, type FairShare } from './fair-share.ts'
import type { Sender } from './sender.ts'

/** Limits the requests that are worked on at once, by the delay of the process's own queue. */
export interface Admission {
  /** Notes the present delay of an event in this process, and the number of requests at work. */
  noteDelay(nowMs: number, delayMs: number, working: number): void
  /** Whether there is a bound: only then it matters whether a sender is a stranger. */
  isBounded(nowMs: number): boolean
  /** Whether a request is let in. */
  admits(nowMs: number, asked: Asked, atWork: AtWork): boolean
}

/** A request that is not let in yet. */
export interface Asked {
  /** The `Authorization` header of the request, or an empty string. */
  readonly credential: string
  readonly sender: Sender
}

/** The requests at work. */
export interface AtWork {
  readonly all: number
  readonly strangers: number
  /** Requests of strangers in the client block of the request that asks. */
  readonly ofBlock: number
}

/** The smallest bound, whatever the delay: fewer requests would not be served faster. */
export const leastWorking = 64

/** A delay that ends sooner was a burst or a garbage collection. */
const intervalMs = 100
/** Callers below their fair share are let in up to the bound times this factor. */
const reach = 1.5
/** The parts of the bound for strangers: for all of them, and for those of one client block. */
const strangersPart = 1 / 4
const blockPart = 1 / 10
/** A delay falls if it is no more than this part of the delay of the interval before. */
const fallen = 0.8
/** How much the bound grows in an interval without a long delay. */
const growth = 1.1
/** The bound ends after this time without a refusal. */
const calmMs = 1000

/**
 * Controlled delay (RFC 8289), with a bound that outlasts an interval: when the least delay of 100
 * ms is above `maxDelayMs`, a queue stands, and each further request makes it longer. If the delay
 * does not fall in the next 100 ms, the bound is the number of requests with which the delay would be
 * `maxDelayMs`, because both grow together. While it falls, the process catches up: a bound follows
 * the requests at work, and nothing else is bounded. Shorter delays are normal when many requests are
 * worked on at once.
 */
export function createAdmission(
  maxDelayMs: number,
  share: FairShare = createFairShare(),
): Admission {
  let bound = Number.POSITIVE_INFINITY
  /** The start of the long delay, and the least delay since then; null while the delay is short. */
  let long: { readonly sinceMs: number; readonly leastMs: number } | null = null
  /** The least delay of the interval before; Infinity if the delay was short. */
  let leastBeforeMs = Number.POSITIVE_INFINITY
  let boundMovedAtMs = Number.NEGATIVE_INFINITY
  let refusedAtMs = Number.NEGATIVE_INFINITY
  let fadedAtMs = Number.NEGATIVE_INFINITY

  function noteShort(nowMs: number): void {
    long = null
    leastBeforeMs = Number.POSITIVE_INFINITY
    if (nowMs - boundMovedAtMs < intervalMs) return
    bound *= growth
    boundMovedAtMs = nowMs
  }

  function noteLong(nowMs: number, delayMs: number, working: number): void {
    const sinceMs = long?.sinceMs ?? nowMs
    const leastMs = Math.min(long?.leastMs ?? delayMs, delayMs)
    long = { sinceMs, leastMs }
    if (nowMs - sinceMs < intervalMs) return
    const isFalling = leastMs <= fallen * leastBeforeMs
    const fitting = isFalling ? Math.min(bound, working) : (working * maxDelayMs) / leastMs
    // The first long delay may be the end of a stall, whose waiting requests are still being served: the
    // delay falls by itself. So no bound is set before the delay has stopped falling.
    if (!isFalling || Number.isFinite(bound)) bound = Math.max(leastWorking, fitting)
    leastBeforeMs = leastMs
    long = { sinceMs: nowMs, leastMs: delayMs }
    boundMovedAtMs = nowMs
    refusedAtMs = nowMs
  }

  /** While few requests are at work, no delay is noted. */
  function forgetBound(nowMs: number): void {
    if (nowMs - refusedAtMs > calmMs) bound = Number.POSITIVE_INFINITY
  }

  /** Strangers beyond their part take no place from anybody else. */
  function mayEnter(asker: number, { all, strangers }: AtWork): boolean {
    const working = all - Math.max(0, strangers - bound * strangersPart)
    return (
      working < leastWorking || working < bound || (working < bound * reach && !share.hasHad(asker))
    )
  }

  function mayAskerEnter({ credential, sender }: Asked, atWork: AtWork): boolean {
    if (sender.block !== null) return mayStrangerEnter(bound, atWork)
    const asker = share.ask(credential)
    if (!mayEnter(asker, atWork)) return false
    share.letIn(asker)
    return true
  }

  return {
    noteDelay(nowMs, delayMs, working) {
      if (delayMs > maxDelayMs) noteLong(nowMs, delayMs, working)
      else noteShort(nowMs)
    },
    isBounded(nowMs) {
      forgetBound(nowMs)
      return Number.isFinite(bound)
    },
    admits(nowMs, asked, atWork) {
      forgetBound(nowMs)
      const intervals = Math.floor((nowMs - fadedAtMs) / intervalMs)
      if (intervals > 0) {
        fadedAtMs = nowMs
        share.fade(intervals)
      }
      if (mayAskerEnter(asked, atWork)) return true
      refusedAtMs = nowMs
      return false
    },
  }
}

/** Strangers have places by client block, because a stranger may have any number of credentials. */
function mayStrangerEnter(bound: number, { strangers, ofBlock }: AtWork): boolean {
  return strangers < Math.ceil(bound * strangersPart) && ofBlock < Math.ceil(bound * blockPart)
}
