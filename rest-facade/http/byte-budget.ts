/** Releases a share. Calling it again changes nothing. */
export type Release = () => void

interface Asking {
  /** The account whose share this is; by default the share belongs to no other request. */
  readonly account?: string
  readonly bytes: number
  /** How long the asker waits. */
  readonly patienceMs: number
  /** Has a function called when the asker leaves; returns what ends that. */
  readonly onGone: (leave: () => void) => () => void
}

/**
 * A number of bytes that are in use at once. The accounts take turns, each in the order of its asking,
 * and one that has half of the bytes gets no further share until it releases one.
 */
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

interface Account {
  readonly waiting: Set<Waiting>
  /** The bytes of its shares that are out. */
  taken: number
}

/**
 * Gives one share in a turn of the event loop: using it may take tens of milliseconds, and all other
 * requests have their turn in between.
 */
export function createByteBudget(maxBytes: number): ByteBudget {
  /** Accounts that have a share or ask for one, in the order of their turns. */
  const accounts = new Map<string | symbol, Account>()
  let taken = 0
  let waiting = 0
  let isNextDue = false

  function accountOf(name: string | symbol): Account {
    const account = accounts.get(name) ?? { waiting: new Set(), taken: 0 }
    accounts.set(name, account)
    return account
  }

  function forgetIfGone(name: string | symbol, account: Account): void {
    if (account.waiting.size === 0 && account.taken === 0) accounts.delete(name)
  }

  function share(name: string | symbol, account: Account, bytes: number): Release {
    let isOut = true
    taken += bytes
    account.taken += bytes
    return () => {
      if (!isOut) return
      isOut = false
      taken -= bytes
      account.taken -= bytes
      forgetIfGone(name, account)
      serveSoon()
    }
  }

  function serveSoon(): void {
    if (isNextDue || waiting === 0) return
    isNextDue = true
    setImmediate(serveFirst)
  }

  /** The others wait behind the first one, so that a large share has its turn. */
  function serveFirst(): void {
    isNextDue = false
    for (const [name, account] of accounts) {
      const [first] = account.waiting
      if (!first || account.taken >= maxBytes / 2) continue
      if (taken > 0 && taken + first.bytes > maxBytes) return
      // A map keeps the order in which its keys were added: the account goes to the end.
      accounts.delete(name)
      accounts.set(name, account)
      first.end(share(name, account, first.bytes))
      return
    }
  }

  return {
    taken: () => taken,
    waiting: () => waiting,
    take: ({ account: name = Symbol('nobody else'), bytes, patienceMs, onGone }) =>
      new Promise((resolve) => {
        const account = accountOf(name)
        const asker: Waiting = {
          bytes,
          end(outcome) {
            if (!account.waiting.delete(asker)) return
            waiting -= 1
            forgetIfGone(name, account)
            clearTimeout(timer)
            stopWatching()
            resolve(outcome)
            serveSoon()
          },
        }
        const timer = setTimeout(() => asker.end('late'), patienceMs).unref()
        const stopWatching = onGone(() => asker.end('gone'))
        account.waiting.add(asker)
        waiting += 1
        serveSoon()
      }),
  }
}
