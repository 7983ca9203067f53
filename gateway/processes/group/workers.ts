import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

/** A child process. */
export interface Child {
  readonly id: number
  readonly pid: number
  /** Whether the child has said that it has started. */
  isReady(): boolean
  /** Resolves when the child is ready, or has ended before. */
  readonly settled: Promise<void>
  /** Resolves to the exit code of the child; null after a signal. */
  readonly ended: Promise<number | null>
  /** Asks the child to end; `isReplaced`: because another child has its place. */
  end(isReplaced: boolean): void
  kill(): void
}

interface KeepOptions {
  readonly name: string
  /** Starts one more child. */
  readonly start: () => Child
  readonly count: number
  readonly log: Logger
  /** The pauses before restarts; see `pauseAfter`. */
  readonly pause?: (ms: number) => Promise<unknown>
}

/** Children that are started again when they end by themselves. */
export interface KeptChildren {
  /** All children that have not ended, the replaced ones included. */
  all(): readonly Child[]
  /** Whether every place has a child that is ready. */
  areReady(): boolean
  /** Resolves when all children of the start are ready; rejects if one of them ends before. */
  readonly started: Promise<void>
  /** Puts a new child into each place, one after the other; a place without a new child keeps its old one. */
  replace(): Promise<void>
  /** Ends all children; resolves to whether each ended with 0. Those that have not ended in time are killed. */
  stop(patienceMs: number): Promise<boolean>
}

const firstPauseMs = 100
const maxPauseMs = 30_000
/** A child that ran for this time was healthy: earlier ends no longer count. */
const wellAfterMs = 60_000
/** A new child that is not ready after this time has hung, and would hold up all later ones. */
const startPatienceMs = 60_000

/** The pause before the next start, by the number of ends in a row. */
export function pauseAfter(ends: number): number {
  return Math.min(maxPauseMs, firstPauseMs * 2 ** (ends - 1))
}

interface Place {
  child: Child
  startedMs: number
  /** How often in a row a child ended soon after its start. */
  ends: number
}

export function keepChildren(options: KeepOptions): KeptChildren {
  const { name, start, count, log, pause = (ms) => sleep(ms, undefined, { ref: false }) } = options
  const running = new Set<Child>()
  let isStopping = false
  let areStarted = false
  let replacing: Promise<void> | null = null

  function begin(): Child {
    const child = start()
    running.add(child)
    void child.ended.then(() => running.delete(child))
    return child
  }

  const places: Place[] = Array.from({ length: count }, () => {
    const place = { child: begin(), startedMs: performance.now(), ends: 0 }
    void restartAfter(place, place.child)
    return place
  })

  function put(place: Place, child: Child): void {
    place.child = child
    place.startedMs = performance.now()
    void restartAfter(place, child)
  }

  /** When the child has ended and still has the place, another one gets it. */
  async function restartAfter(place: Place, child: Child): Promise<void> {
    const code = await child.ended
    if (place.child !== child || isStopping || !areStarted) return
    const lived = performance.now() - place.startedMs
    place.ends = lived > wellAfterMs ? 1 : place.ends + 1
    const pauseMs = pauseAfter(place.ends)
    log.error({ pid: child.pid, code, pauseMs }, `A ${name} has ended; it is started again`)
    await pause(pauseMs)
    if (!isStopping && place.child === child) put(place, begin())
  }

  async function replaceOne(place: Place): Promise<boolean> {
    const next = begin()
    if (!(await startsInTime(next))) {
      log.error({ pid: next.pid }, `A new ${name} did not start; the old one stays`)
      return false
    }
    const old = place.child
    put(place, next)
    old.end(true)
    return true
  }

  async function replaceAll(): Promise<void> {
    for (const place of places) if (isStopping || !(await replaceOne(place))) return
    log.info(`Every ${name} was replaced`)
  }

  const started = Promise.all(places.map(({ child }) => requireStarted(name, child))).then(() => {
    areStarted = true
    // A child that was ready first has perhaps ended while the others still started.
    for (const place of places) {
      if (!running.has(place.child)) void restartAfter(place, place.child)
    }
  })
  // The caller awaits this promise, perhaps only after the first child has failed.
  started.catch(() => {})

  return {
    all: () => [...running],
    areReady: () => places.every(({ child }) => running.has(child) && child.isReady()),
    started,
    replace() {
      replacing ??= replaceAll().finally(() => {
        replacing = null
      })
      return replacing
    },
    async stop(patienceMs) {
      isStopping = true
      return endAll(running, patienceMs)
    },
  }
}

async function requireStarted(name: string, child: Child): Promise<void> {
  await child.settled
  if (!child.isReady()) throw new Error(`A ${name} did not start.`)
}

async function startsInTime(child: Child): Promise<boolean> {
  const kill = setTimeout(() => child.kill(), startPatienceMs)
  await child.settled
  clearTimeout(kill)
  return child.isReady()
}

/** Whether each has ended with 0. */
async function endAll(running: ReadonlySet<Child>, patienceMs: number): Promise<boolean> {
  const ending = [...running]
  for (const child of ending) child.end(false)
  const kill = setTimeout(() => {
    for (const child of running) child.kill()
  }, patienceMs)
  const codes = await Promise.all(ending.map((child) => child.ended))
  clearTimeout(kill)
  return codes.every((code) => code === 0)
}
