/** Releases a share. Calling it again changes nothing. */
export type Release = () => void

interface Asking {
  readonly bytes: number
  /** How long the asker waits. */
  readonly patienceMs: number
  /** Has a function called when the asker leaves; returns what ends that. */
  readonly onGone: (leave: () => void) => () => void
}

/** A number of bytes that are in use at once. Shares are given in the order of asking. */
export interface ByteBudget {
  /**
   * Resolves to a share, to `gone` if the asker has left before there was room for it, or to `late`
   * after its patience. A share larger than the whole budget is given when no other one is out.
   */
  readonly take: (asking: Asking) => Promise<Release | 'gone' | 'late'>
  /** The bytes of all shares that are out. */
  readonly taken: () => number
  /** How many askers wait. */
  readonly waiting: () => number
}

interface Waiting {
  readonly bytes: number
  end(outcome: Release | 'gone' | 'late'): void
}

/**
 * Gives one share in a turn of the event loop: using it may take tens of milliseconds, and all other
 * requests have their turn in between.
 */
export function createByteBudget(maxBytes: number): ByteBudget {
  const waiting = new Set<Waiting>()
  let taken = 0
  let isNextDue = false

  function share(bytes: number): Release {
    let isOut = true
    taken += bytes
    return () => {
      if (!isOut) return
      isOut = false
      taken -= bytes
      serveSoon()
    }
  }

  function serveSoon(): void {
    if (isNextDue || waiting.size === 0) return
    isNextDue = true
    setImmediate(serveFirst)
  }

  /** The others wait behind the first one, so that a large share has its turn. */
  function serveFirst(): void {
    isNextDue = false
    const [first] = waiting
    const hasRoom = first && (taken === 0 || taken + first.bytes <= maxBytes)
    if (hasRoom) first.end(share(first.bytes))
  }

  return {
    taken: () => taken,
    waiting: () => waiting.size,
    take: ({ bytes, patienceMs, onGone }) =>
      new Promise((resolve) => {
        const asker: Waiting = {
          bytes,
          end(outcome) {
            if (!waiting.delete(asker)) return
            clearTimeout(timer)
            stopWatching()
            resolve(outcome)
            serveSoon()
          },
        }
        const timer = setTimeout(() => asker.end('late'), patienceMs).unref()
        const stopWatching = onGone(() => asker.end('gone'))
        waiting.add(asker)
        serveSoon()
      }),
  }
}
