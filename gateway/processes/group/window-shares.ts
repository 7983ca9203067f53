import type { Counted } from '../../../rest-facade/rate-limit/rate-limiter.ts'

/** A worker asks for a part of the current window of `key`. */
export interface WindowAsk {
  readonly key: string
  /** Requests that the window admits in all. */
  readonly limit: number
  /** The most requests that the worker wants to count. */
  readonly want: number
}

/** The requests `from` to `from + count - 1` of a window are the worker's to count. */
export interface WindowGrant {
  readonly from: number
  /** The number of granted requests; 0: the window is used up. */
  readonly count: number
  /** Unix milliseconds: the window is the clock second of this time. */
  readonly clockMs: number
}

/** The windows of all workers, counted in one place. */
export interface Windows {
  readonly take: (ask: WindowAsk) => WindowGrant
}

/**
 * The windows of all workers, which the primary has. No request of a window is granted twice, so the workers
 * together never exceed it.
 */
export function createWindows(clockMs: () => number = Date.now): Windows {
  let second = 0
  let granted = new Map<string, number>()
  return {
    take({ key, limit, want }) {
      const nowMs = clockMs()
      const now = Math.floor(nowMs / 1000)
      if (now !== second) {
        granted = new Map()
        second = now
      }
      const before = granted.get(key) ?? 0
      const count = Math.max(0, Math.min(want, limit - before))
      if (count > 0) granted.set(key, before + count)
      return { from: before + 1, count, clockMs: nowMs }
    },
  }
}

/**
 * Sends all asks of one turn of the event loop; resolves to a grant for each, in order. Rejects when
 * nobody can count.
 */
export type AskWindows = (asks: readonly WindowAsk[]) => Promise<readonly WindowGrant[]>

interface SharesOptions {
  readonly workers: number
  readonly ask: AskWindows
  /** Receives failures of `ask`: its requests are let through uncounted. */
  readonly onFailure: (error: unknown) => void
  readonly clockMs?: () => number
}

/** The remaining part of a grant. */
interface Share {
  next: number
  readonly end: number
}

/** Receives the count of a request; null: nobody could count it. */
type Tell = (counted: Counted | null) => void

interface Waiting {
  limit: number
  readonly tell: Tell[]
}

/**
 * Counts requests of a worker in its shares of the windows, and asks for a further share when one is used up.
 * A share is small, because its remaining part is lost when the window ends.
 */
export function createShares({ workers, ask, onFailure, clockMs = Date.now }: SharesOptions) {
  const sharesAt = sharesOfWindow()
  /** The requests of the next message, and those of the message under way. */
  const next = new Map<string, Waiting>()
  const underWay = new Set<string>()

  function wait(key: string, limit: number, tell: Tell): void {
    const waiting = next.get(key) ?? { limit, tell: [] }
    waiting.limit = limit
    waiting.tell.push(tell)
    next.set(key, waiting)
    if (!underWay.has(key)) scheduleAsk()
  }

  let isScheduled = false
  function scheduleAsk(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      void askForAll()
    })
  }

  /** One ask for a key is under way at a time, so that its waiting requests need no more than they use. */
  async function askForAll(): Promise<void> {
    const asked = [...next].filter(([key]) => !underWay.has(key))
    if (asked.length === 0) return
    for (const [key] of asked) {
      next.delete(key)
      underWay.add(key)
    }
    const asks = asked.map(([key, waiting]) => askOf(key, waiting, workers))
    const grants = await ask(asks).catch((error: unknown): readonly WindowGrant[] => {
      onFailure(error)
      return []
    })
    for (const [index, [key, waiting]] of asked.entries()) {
      underWay.delete(key)
      const grant = grants[index]
      if (grant) serve(key, waiting, grant)
      else for (const tell of waiting.tell) tell(null)
    }
    if ([...next.keys()].some((key) => !underWay.has(key))) scheduleAsk()
  }

  function serve(key: string, { limit, tell }: Waiting, grant: WindowGrant) {
    const { from, count, clockMs: ms } = grant
    const later = next.get(key)
    // Requests that came while the message was under way may not need another one.
    const all = later ? [...tell, ...later.tell.splice(0, Math.max(0, count - tell.length))] : tell
    if (later?.tell.length === 0) next.delete(key)
    tellAll(all, limit, grant)
    const nowMs = clockMs()
    const isCurrent = Math.floor(ms / 1000) === Math.floor(nowMs / 1000)
    if (count <= all.length || !isCurrent) return
    sharesAt(nowMs).set(key, { next: from + all.length, end: from + count - 1 })
  }

  function countOne(key: string, limit: number): Counted | Promise<Counted | null> {
    const nowMs = clockMs()
    const share = sharesAt(nowMs).get(key)
    if (share && share.next <= share.end) {
      const count = share.next
      share.next += 1
      return { count, clockMs: nowMs }
    }
    return new Promise((resolve) => wait(key, limit, resolve))
  }

  return function countInShare(
    key: string,
    limit: number,
    requests = 1,
  ): Counted | Promise<Counted | null> {
    if (requests === 1) return countOne(key, limit)
    return lastOf(requests, async () => countOne(key, limit))
  }
}

function tellAll(all: readonly Tell[], limit: number, { from, count, clockMs }: WindowGrant): void {
  for (const [index, tell] of all.entries()) {
    tell({ count: index < count ? from + index : limit + 1, clockMs })
  }
}

function askOf(key: string, { limit, tell }: Waiting, workers: number): WindowAsk {
  const share = Math.max(1, Math.floor(limit / (4 * workers)))
  return { key, limit, want: Math.max(share, tell.length) }
}

/** The shares by key. Those of a window that is over are dropped. */
function sharesOfWindow(): (nowMs: number) => Map<string, Share> {
  let second = 0
  let shares = new Map<string, Share>()
  return function sharesAt(nowMs) {
    const now = Math.floor(nowMs / 1000)
    if (now !== second) {
      shares = new Map()
      second = now
    }
    return shares
  }
}

async function lastOf(
  requests: number,
  countOne: () => Promise<Counted | null>,
): Promise<Counted | null> {
  const counted = await Promise.all(Array.from({ length: requests }, countOne))
  return counted.reduce(later)
}

/** The count that includes the other; null if one of them could not be counted. */
function later(one: Counted | null, other: Counted | null): Counted | null {
  if (one === null || other === null) return null
  return other.count > one.count ? other : one
}
