import { createDatabaseProbe } from './database-probe.ts'

/** Tells a database that takes long from one that answers nobody: the first is waited for. */
export interface SilenceWatch {
  /**
   * Does work on the database. Refused at once while that is known to be silent, and given up when it
   * turns out to be: what has not begun by then must not begin.
   */
  guard<Result>(work: (isGivenUp: () => boolean) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Who waits for so long has somebody else ask, and again after as much. */
const lookAfterMs = 400
/** Who asks for no more than an answer has it sooner from any database that lives. */
const silentMs = 1000
/** Whose connection says nothing for so long asks on a fresh one too. */
const doubtMs = 300
const lookAgainMs = 250

interface Guarded {
  isGivenUp: boolean
  readonly giveUp: (reason: Error) => void
}

interface Watch extends SilenceWatch {
  /** Those who have to end what waits for an answer. */
  readonly listeners: Set<() => void>
}

/** One for each database, however many pools it has in this process. */
const watches = new Map<string, Watch>()

/**
 * A statement may take seconds, so its own time says nothing: a network that swallows everything is found
 * out by asking beside it. Then `onSilence` has to end what waits, and nothing is begun until the
 * database answers again.
 */
export function watchForSilence(url: string, onSilence: () => void): SilenceWatch {
  const watch = watches.get(url) ?? createWatch(url)
  watches.set(url, watch)
  watch.listeners.add(onSilence)
  return {
    guard: (work) => watch.guard(work),
    async close() {
      watch.listeners.delete(onSilence)
      if (watch.listeners.size > 0) return
      watches.delete(url)
      await watch.close()
    },
  }
}

function createWatch(url: string): Watch {
  const listeners = new Set<() => void>()
  const underWay = new Set<Guarded>()
  let probe = createDatabaseProbe(url)
  // Its connection is there when it is needed: making one takes longer than an answer.
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
    for (const guarded of underWay) {
      guarded.isGivenUp = true
      guarded.giveUp(new SilentDatabase())
    }
    for (const onSilence of listeners) onSilence()
  }

  /** A late answer is one. */
  function endSilence(): void {
    isSilent = false
  }

  /**
   * A network may have forgotten a connection that nobody has used for long: the database is silent only
   * where a fresh one is mute too.
   */
  async function isAnswered(): Promise<boolean> {
    const known = ask()
    if (await inTime(known, doubtMs)) return true
    // Nobody would end what is begun now.
    if (isClosed) return false
    replaceProbe()
    if (await inTime(Promise.race([known, ask()]), silentMs - doubtMs)) return true
    replaceProbe()
    return false
  }

  /** A refusal is an answer too: whoever works on the database gets it as well. */
  function ask(): Promise<boolean> {
    return probe.check().then(
      () => true,
      () => true,
    )
  }

  /** Not before it is known what came of the check that is under way. */
  function replaceProbe(): void {
    const replaced = probe
    probe = createDatabaseProbe(url)
    void replaced
      .check()
      .then(endSilence, () => {})
      .finally(replaced.close)
  }

  return {
    listeners,
    async guard(work) {
      if (isSilent) throw new RefusedUnsent()
      const { promise: silence, reject } = Promise.withResolvers<never>()
      const guarded: Guarded = { isGivenUp: false, giveUp: reject }
      underWay.add(guarded)
      const looking = setInterval(look, lookAfterMs).unref()
      try {
        return await Promise.race([work(() => guarded.isGivenUp), silence])
      } finally {
        clearInterval(looking)
        underWay.delete(guarded)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(lookingAgain)
      await probe.close()
    },
  }
}

/** As an address that nobody answers at. */
export class SilentDatabase extends Error {
  override readonly name: string = 'SilentDatabase'
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The database does not answer.')
  }
}

/** What was asked of it was not begun. */
export class RefusedUnsent extends SilentDatabase {
  override readonly name = 'RefusedUnsent'
}

/** What came while this process was busy with something else has come in time: it is read first. */
async function inTime(answer: Promise<boolean>, patienceMs: number): Promise<boolean> {
  const { promise: tooLong, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => setImmediate(resolve, false), patienceMs)
  try {
    return await Promise.race([answer, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
