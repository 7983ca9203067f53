import { createDatabaseProbe, type DatabaseProbe } from './database-probe.ts'

/** Tells a slow database, which is waited for, from a silent one. */
export interface SilenceWatch {
  /**
   * Does work on the database. It refuses at once while the database is known to be silent, and
   * gives up when the database turns out to be silent: work that has not begun by then must not
   * begin.
   */
  guard<Result>(work: (isGivenUp: () => boolean) => Promise<Result>): Promise<Result>
  /** Throws RefusedUnsent while the database is known to be silent. */
  refuseInSilence(): void
  /** Asks the database, for work that `guard` does not know and that waits for long. */
  look(): void
  close(): Promise<void>
}

/** After this wait, the probe asks the database, and again after each further wait. */
const lookAfterMs = 400
/** When its open connection is silent for this share of the time, the probe asks on a fresh one too. */
const doubtShare = 0.3
const lookAgainMs = 250

interface SilenceOptions {
  /** A working database answers the trivial question of the probe sooner. The first watch of a database decides. */
  readonly silentMs: number
  /** Ends the statements that wait for an answer. */
  readonly onSilence: () => void
}

interface Guarded {
  isGivenUp: boolean
  readonly giveUp: (reason: Error) => void
}

interface Watch extends SilenceWatch {
  /** Functions that end the statements that wait for an answer; silence calls them. */
  readonly listeners: Set<() => void>
}

/** The watches by database: each has one, however many pools this process has for it. */
const watches = new Map<string, Watch>()

/**
 * A statement may take seconds, so its duration does not reveal a network that drops all packets. A
 * probe beside it does. Then `onSilence` must end the waiting statements, and nothing begins until
 * the database answers again.
 */
export function watchForSilence(
  url: string,
  { silentMs, onSilence }: SilenceOptions,
): SilenceWatch {
  const watch = watches.get(url) ?? createWatch(url, silentMs)
  watches.set(url, watch)
  watch.listeners.add(onSilence)
  return {
    guard: (work) => watch.guard(work),
    refuseInSilence: () => watch.refuseInSilence(),
    look: () => watch.look(),
    async close() {
      watch.listeners.delete(onSilence)
      if (watch.listeners.size > 0) return
      watches.delete(url)
      await watch.close()
    },
  }
}

function createWatch(url: string, silentMs: number): Watch {
  const listeners = new Set<() => void>()
  const statements = createGuards()
  /** A probe that gives up has an answer, so it must not give up before the database counts as silent. */
  const newProbe = () => createDatabaseProbe(url, 2 * silentMs)
  let probe = newProbe()
  // The probe connects now, because connecting takes longer than an answer.
  probe.check().catch(() => {})
  let isLooking = false
  let isSilent = false
  let isClosed = false
  let lookingAgain: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    if (isLooking || isClosed) return
    isLooking = true
    const isThere = await isAnswered()
    const wasSilent = isSilent
    isSilent = !isThere
    isLooking = false
    if (isClosed || !isSilent) return
    if (!wasSilent) giveUp()
    lookingAgain = setTimeout(look, lookAgainMs).unref()
  }

  function giveUp(): void {
    statements.giveUp()
    for (const onSilence of listeners) onSilence()
  }

  /** A late answer counts. */
  function endSilence(): void {
    isSilent = false
  }

  /**
   * A network may have dropped a connection that was idle for long: the database is silent only if
   * a fresh connection is silent too.
   */
  async function isAnswered(): Promise<boolean> {
    const known = isAnswering(probe)
    const doubtMs = silentMs * doubtShare
    if (await inTime(known, doubtMs)) return true
    // A probe that began after the end would never be ended.
    if (isClosed) return false
    replaceProbe()
    if (await inTime(Promise.race([known, isAnswering(probe)]), silentMs - doubtMs)) return true
    replaceProbe()
    return false
  }

  /** Begins a new probe. The old one is closed only after its check in progress has ended. */
  function replaceProbe(): void {
    const replaced = probe
    probe = newProbe()
    void replaced
      .check()
      .then(endSilence, () => {})
      .finally(replaced.close)
  }

  function refuseInSilence(): void {
    if (isSilent) throw new RefusedUnsent(new SilentDatabase())
  }

  return {
    listeners,
    refuseInSilence,
    look: () => void look(),
    async guard(work) {
      refuseInSilence()
      const looking = setInterval(look, lookAfterMs).unref()
      try {
        return await statements.guard(work)
      } finally {
        clearInterval(looking)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(lookingAgain)
      await probe.close()
    },
  }
}

/** An error is an answer too: the statements meet the same error. */
function isAnswering(probe: DatabaseProbe): Promise<boolean> {
  return probe.check().then(
    () => true,
    () => true,
  )
}

/** Work that is given up when the database turns silent. */
function createGuards() {
  const underWay = new Set<Guarded>()
  return {
    async guard<Result>(work: (isGivenUp: () => boolean) => Promise<Result>): Promise<Result> {
      const { promise: silence, reject } = Promise.withResolvers<never>()
      const guarded: Guarded = { isGivenUp: false, giveUp: reject }
      underWay.add(guarded)
      try {
        return await Promise.race([work(() => guarded.isGivenUp), silence])
      } finally {
        underWay.delete(guarded)
      }
    },
    giveUp(): void {
      for (const guarded of underWay) {
        guarded.isGivenUp = true
        guarded.giveUp(new SilentDatabase())
      }
    },
  }
}

/** The database does not answer. The error has the code of an address that does not answer. */
export class SilentDatabase extends Error {
  override readonly name: string = 'SilentDatabase'
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The database does not answer.')
  }
}

/** The work was not begun, for the reason that is the cause; message and code are those of the reason. */
export class RefusedUnsent extends Error {
  override readonly name = 'RefusedUnsent'
  readonly code: string | undefined

  constructor(reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason), { cause: reason })
    const { code }: { readonly code?: unknown } = Object(reason)
    this.code = typeof code === 'string' ? code : undefined
  }
}

/**
 * An answer that arrived while this process was busy is in time: it is read before the timer
 * counts.
 */
async function inTime(answer: Promise<boolean>, patienceMs: number): Promise<boolean> {
  const { promise: tooLong, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => setImmediate(resolve, false), patienceMs)
  try {
    return await Promise.race([answer, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
