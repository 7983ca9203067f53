import { AsyncLocalStorage } from 'node:async_hooks'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../schema/process/at-most.ts'

/** Caches facts about accounts, by name, until a notice says that an account has changed. */
export interface AccountCache<Value> {
  /** Returns the cached value or looks it up; simultaneous calls for a name share one look-up. */
  find(name: string, lookUp: () => Promise<Value | null>): Promise<Value | null>
  /** Returns the cached value, without a look-up. */
  get(name: string): Cached<Value> | undefined
  /**
   * Looks a cached value up in the background, a moment later together with others. A value that is not found
   * any more is forgotten; a look-up that fails changes nothing, and is not repeated.
   */
  renew(name: string, lookUp: () => Promise<Value | null>): void
  /** Forgets everything about an account, including look-ups that are still running. */
  readonly forget: (accountId: string) => void
  /** Forgets everything: notices of changes may have been lost. */
  readonly forgetAll: () => void
  /** How often it was told to forget. While this stays the same, what it found before still holds. */
  readonly notices: () => number
}

/** A value that is still remembered. */
export interface Cached<Value> {
  readonly value: Value
  /** Whether the value is in the second half of its life, and nobody has renewed it yet. */
  readonly isDue: boolean
}

class Entry<Value> implements Cached<Value> {
  readonly value: Value
  readonly #dueAtMs: number
  /** Whether the next look-up of the value waits, runs or has failed. */
  isRenewed = false

  constructor(value: Value, dueAtMs: number) {
    this.value = value
    this.#dueAtMs = dueAtMs
  }

  get isDue(): boolean {
    return !this.isRenewed && performance.now() >= this.#dueAtMs
  }
}

/** The accounts whose change makes a value stale. */
export interface OfAccounts {
  readonly accountId: string
  /** The account that has registered the app; only values of apps have one. */
  readonly clientAccountId?: string | undefined
}

const usualMaxValues = 50_000
/** Look-ups that begin together share statements. */
const gatherMs = 50

/** Missing values are not cached. `cacheSeconds` is the lifetime when no notice arrives. */
export function createAccountCache<Value extends OfAccounts>(
  cacheSeconds: number,
  maxValues = usualMaxValues,
): AccountCache<Value> {
  const names = createNames()
  const gather = createGathering()
  const lifeMs = Math.max(1, cacheSeconds * 1000)
  const cache = new LRUCache<string, Entry<Value>>({
    ...atMost(maxValues),
    ttl: lifeMs,
    // Reads the clock for each value. Otherwise the cache sets a timer in nearly every millisecond.
    ttlResolution: 0,
    noDisposeOnSet: true,
    dispose: ({ value }, name) => names.remove(name, value),
  })
  const lookUps = new Map<string, Promise<Value | null>>()
  let staleNotices = 0

  async function remembered(name: string, lookUp: () => Promise<Value | null>) {
    const noticesBefore = staleNotices
    const value = await lookUp()
    // Something changed during the look-up: the answer may be older than the change.
    if (noticesBefore === staleNotices) {
      if (value) remember(name, value)
      else cache.delete(name)
    } else {
      const entry = cache.get(name)
      if (entry) entry.isRenewed = false
    }
    return value
  }

  function remember(name: string, value: Value): void {
    names.add(name, value)
    cache.set(name, new Entry(value, performance.now() + lifeMs / 2))
  }

  function lookUpOnce(name: string, lookUp: () => Promise<Value | null>): Promise<Value | null> {
    const running = lookUps.get(name)
    if (running) return running
    const started = remembered(name, lookUp).finally(() => {
      if (lookUps.get(name) === started) lookUps.delete(name)
    })
    lookUps.set(name, started)
    return started
  }

  return {
    get: (name) => cache.get(name),
    async find(name, lookUp) {
      return cache.get(name)?.value ?? lookUpOnce(name, lookUp)
    },
    renew(name, lookUp) {
      const entry = cache.get(name)
      if (!entry) return
      entry.isRenewed = true
      // Nobody waits for this look-up. If its error lasts, whoever asks after the end of the value meets
      // it.
      const begin = () => cache.has(name) && lookUpOnce(name, lookUp).catch(() => {})
      gather(begin)
    },
    forget(accountId) {
      staleNotices += 1
      lookUps.clear()
      for (const name of names.takeOut(accountId)) cache.delete(name)
    },
    forgetAll() {
      staleNotices += 1
      lookUps.clear()
      cache.clear()
      names.clear()
    },
    notices: () => staleNotices,
  }
}

/** Begins together what comes within a moment. */
function createGathering(): (begin: () => void) => void {
  let waiting: (() => void)[] = []

  function beginWaiting(): void {
    const gathered = waiting
    waiting = []
    for (const begin of gathered) begin()
  }

  return function gather(begin) {
    // The timer belongs to the first request; each look-up belongs to the request that asked for it.
    if (waiting.push(AsyncLocalStorage.bind(begin)) === 1)
      setTimeout(beginWaiting, gatherMs).unref()
  }
}

/** The names of the values of each account. */
function createNames() {
  const byAccount = new Map<string, Set<string>>()
  return {
    add(name: string, value: OfAccounts): void {
      for (const accountId of accountsOf(value)) {
        const names = byAccount.get(accountId) ?? new Set()
        byAccount.set(accountId, names.add(name))
      }
    },
    remove(name: string, value: OfAccounts): void {
      for (const accountId of accountsOf(value)) {
        const names = byAccount.get(accountId)
        names?.delete(name)
        if (names?.size === 0) byAccount.delete(accountId)
      }
    },
    takeOut(accountId: string): readonly string[] {
      const names = [...(byAccount.get(accountId) ?? [])]
      byAccount.delete(accountId)
      return names
    },
    clear(): void {
      byAccount.clear()
    },
  }
}

function accountsOf({ accountId, clientAccountId }: OfAccounts): readonly string[] {
  return clientAccountId === undefined ? [accountId] : [accountId, clientAccountId]
}
