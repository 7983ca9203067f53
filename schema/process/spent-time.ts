import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

/**
 * The time that this process spends on one request: its turns of the event loop, and the statements that
 * run for it.
 */
export class SpentTime {
  /** Requests in the order in which they began. */
  static #count = 0
  readonly place = SpentTime.#count++
  readonly accountId: string
  #ms = 0
  #turnSinceMs: number | null = null

  constructor(accountId: string) {
    this.accountId = accountId
  }

  get ms(): number {
    const openMs = this.#turnSinceMs === null ? 0 : performance.now() - this.#turnSinceMs
    return this.#ms + openMs
  }

  add(ms: number): void {
    this.#ms += ms
  }

  /**
   * Notes that the event loop works for the request from now on, until it has run all that is due in this
   * turn. Called again in that time, it changes nothing.
   */
  noteTurn(): void {
    if (this.#turnSinceMs !== null) return
    this.#turnSinceMs = performance.now()
    // Promises come before the next tick, wherever this is called.
    queueMicrotask(() => process.nextTick(() => this.#endTurn()))
  }

  #endTurn(): void {
    this.#ms = this.ms
    this.#turnSinceMs = null
  }
}

/** The member of `extensions` by which a subgraph in another process says how long it has worked. */
export const spentMember = 'spentMs'

const current = new AsyncLocalStorage<SpentTime>()

/** Has the statements of this work count for `spent`. Without it, nothing is measured. */
export function spending<Result>(spent: SpentTime | null, work: () => Result): Result {
  return spent ? current.run(spent, work) : work()
}

/** The time of the request of this work, if it is measured. */
export function spentTime(): SpentTime | undefined {
  return current.getStore()
}

/** Counts what another process says it has spent on the request of this work. */
export function addSpentElsewhere(extensions: Readonly<Record<string, unknown>> | undefined): void {
  const ms = extensions?.[spentMember]
  if (typeof ms === 'number') current.getStore()?.add(ms)
}

/** Counts time that nobody has measured: what the request of this work has waited for may have taken all of it. */
export function addSpentUnmeasured(ms: number): void {
  current.getStore()?.add(ms)
}

const ignore = () => {}

/**
 * Runs a statement, and counts its time: from when it calls `onSent`, because it has a connection, until the
 * answer is read, less one turn of the event loop. For so long the answer may have waited while the
 * loop worked for others.
 */
export function timedStatement<Result>(
  run: (onSent: () => void) => Promise<Result>,
): Promise<Result> {
  const spent = current.getStore()
  return spent ? timed(spent, run) : run(ignore)
}

async function timed<Result>(
  spent: SpentTime,
  run: (onSent: () => void) => Promise<Result>,
): Promise<Result> {
  let begun: ReturnType<typeof look> | null = null
  const onSent = () => {
    begun = look()
  }
  try {
    return await run(onSent)
  } finally {
    if (begun) spent.add(statementMs(begun))
    spent.noteTurn()
  }
}

function look() {
  const { loopCount } = performance.nodeTiming.uvMetricsInfo
  return { atMs: performance.now(), use: performance.eventLoopUtilization(), loopCount }
}

function statementMs(begun: ReturnType<typeof look>): number {
  const { active } = performance.eventLoopUtilization(begun.use)
  const turns = performance.nodeTiming.uvMetricsInfo.loopCount - begun.loopCount
  const wholeMs = performance.now() - begun.atMs
  return Math.max(0, wholeMs - active / Math.max(1, turns))
}
