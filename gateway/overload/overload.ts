import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { Metrics } from '../observability/metrics.ts'
import { type Admission, type AtWork, createAdmission, leastWorking } from './admission.ts'
import type { RequestsInHand } from './requests-in-hand.ts'
import { knownSender, type Sender, unjudgedSender } from './sender.ts'

/** Decides when one more request would only make all others slower. */
export interface Overload {
  /**
   * Counts the requests of a listener from now on. Returns the sender of its next request, or null if
   * the request is refused. It reads nothing but headers and addresses.
   */
  guard(requests: Load): (req: IncomingMessage) => Sender | null
  /**
   * Adds a queue whose wait counts too from now on. `leastWaitMs` returns the wait of the item that has
   * waited least.
   */
  readonly watchQueue: (leastWaitMs: () => number) => void
  readonly close: () => void
}

/** The requests that a listener has in progress. */
export type Load = Pick<RequestsInHand, 'count' | 'heldBy' | 'working' | 'strangers'>

interface OverloadOptions {
  /**
   * The limit of each listener: a busy sandbox must leave places to live. The last eighth of them is
   * for credentials that have less than a sixty-fourth.
   */
  readonly maxRequests: number
  /** The limit of the delay of the event loop and the queues together; 0 is no limit. */
  readonly maxDelayMs: number
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'overloadRefusals'>
  readonly admission?: Admission
  /** Who sends a request; by default nobody is a stranger. */
  readonly senderOf?: (req: IncomingMessage) => Sender
}

/** The part of the places that only credentials with few of all places may take. */
const reservedPart = 1 / 8
const fewPart = 1 / 64
const reportMs = 1000
const sampleMs = 5
/** A wait of the event loop up to this long is no delay: to read the ready events already takes some µs. */
const momentMs = 1

/**
 * Limits the requests in progress of each listener, and by the delay of the event loop and of the
 * queues, which all listeners share, the requests at work (docs/promises.md R7).
 */
export function createOverload(options: OverloadOptions): Overload {
  const { maxRequests, maxDelayMs, log, metrics } = options
  const { admission = createAdmission(maxDelayMs || Number.POSITIVE_INFINITY) } = options
  const unreserved = maxRequests - Math.floor(maxRequests * reservedPart)
  const few = Math.max(1, Math.floor(maxRequests * fewPart))
  const { senderOf = () => knownSender } = options
  const unjudged = options.senderOf ? unjudgedSender : knownSender
  const loads = createLoads()
  const queues: (() => number)[] = []
  let sampler: NodeJS.Timeout | undefined
  const loop = createLoopMeter()
  let refused = 0
  const reporter = setInterval(() => {
    if (refused > 0)
      log.warn({ refused }, 'Requests were refused: there are more than the gateway can serve')
    refused = 0
  }, reportMs).unref()

  function sample(): void {
    const working = loads.working()
    const loopDelayMs = loop.nextDelayMs()
    if (working >= leastWorking) {
      admission.noteDelay(loop.atMs(), loopDelayMs + longestWaitMs(queues), working)
      return
    }
    // While few requests are at work, none is refused. The timer stops then, because it must not wake an idle
    // process.
    clearInterval(sampler)
    sampler = undefined
    admission.noteDelay(loop.atMs(), 0, working)
  }

  function startSampling(): void {
    loop.begin()
    sampler = setInterval(sample, sampleMs).unref()
  }

  function isFull(requests: Load, credential: string): boolean {
    const count = requests.count()
    if (count < unreserved) return false
    return count >= maxRequests || requests.heldBy(credential) >= few
  }

  function admit(requests: Load, req: IncomingMessage): Sender | null {
    const credential = req.headers.authorization ?? ''
    if (isFull(requests, credential)) return null
    const working = loads.working()
    if (!sampler && working >= leastWorking) startSampling()
    const nowMs = performance.now()
    const sender = admission.isBounded(nowMs) ? senderOf(req) : unjudged
    const isLetIn = admission.admits(nowMs, { credential, sender }, loads.atWork(sender, working))
    return isLetIn ? sender : null
  }

  return {
    guard(requests) {
      loads.add(requests)
      return (req) => {
        const sender = admit(requests, req)
        if (sender) return sender
        refused += 1
        metrics.overloadRefusals.inc()
        return null
      }
    },
    watchQueue(leastWaitMs) {
      queues.push(leastWaitMs)
    },
    close() {
      clearInterval(reporter)
      clearInterval(sampler)
    },
  }
}

function longestWaitMs(queues: readonly (() => number)[]): number {
  let longestMs = 0
  for (const leastWaitMs of queues) longestMs = Math.max(longestMs, leastWaitMs())
  return longestMs
}

/** Measures how long the event loop was delayed between two looks. */
function createLoopMeter() {
  let sampled = { atMs: 0, use: performance.eventLoopUtilization() }
  function begin(): void {
    sampled = { atMs: performance.now(), use: performance.eventLoopUtilization() }
  }
  return {
    begin,
    /** When it was looked at last. */
    atMs: () => sampled.atMs,
    /**
     * The delay of the event loop since the last look; 0 if the loop was idle for a moment, because it then
     * had no queue.
     */
    nextDelayMs(): number {
      const { atMs, use } = sampled
      begin()
      const { idle } = performance.eventLoopUtilization(sampled.use, use)
      return idle >= momentMs ? 0 : Math.max(0, sampled.atMs - atMs - sampleMs)
    },
  }
}

/** The requests of all listeners. */
function createLoads() {
  const loads: Load[] = []
  return {
    add(load: Load): void {
      loads.push(load)
    },
    working(): number {
      let working = 0
      for (const load of loads) working += load.working()
      return working
    },
    atWork({ block }: Sender, all: number): AtWork {
      let strangers = 0
      let ofBlock = 0
      for (const load of loads) {
        strangers += load.strangers.count()
        if (block !== null) ofBlock += load.strangers.of(block)
      }
      return { all, strangers, ofBlock }
    },
  }
}
