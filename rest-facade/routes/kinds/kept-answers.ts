import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { type AccountCache, createAccountCache } from '../../callers/account-cache.ts'

/** How long the answers of a route are kept, and what else they depend on beside the account. */
export interface Keeping {
  readonly seconds: number
  /** The scopes that decide what is in the answer, beside that of the route. */
  readonly scopes: readonly string[]
}

interface KeptAnswer {
  readonly accountId: string
  readonly result: unknown
}

/** Answers that are kept for a moment, until the account changes. Each environment has its own. */
export interface KeptAnswers extends Pick<AccountCache<KeptAnswer>, 'forget' | 'forgetAll'> {
  /** Returns the kept result for callers who may read the same, or asks. Simultaneous callers share one question. */
  find(
    operation: string,
    keeping: Keeping,
    caller: AccountCaller,
    ask: () => Promise<unknown>,
  ): Promise<unknown>
}

/** An answer is some kilobytes. */
const maxAnswers = 2000

export function createKeptAnswers(): KeptAnswers {
  const caches = new Map<number, AccountCache<KeptAnswer>>()

  function cacheOf(seconds: number): AccountCache<KeptAnswer> {
    const known = caches.get(seconds)
    if (known) return known
    const made = createAccountCache<KeptAnswer>(seconds, maxAnswers)
    caches.set(seconds, made)
    return made
  }

  return {
    async find(operation, { seconds, scopes }, caller, ask) {
      const { accountId } = caller
      const readable = scopes.filter((scope) => coversScope(caller.scopes, scope))
      const kind = caller.clientId === undefined ? 'holder' : 'app'
      const name = [operation, accountId, kind, ...readable].join(' ')
      const kept = await cacheOf(seconds).find(name, async () => ({
        accountId,
        result: await ask(),
      }))
      return kept?.result
    },
    forget(accountId) {
      for (const cache of caches.values()) cache.forget(accountId)
    },
    forgetAll() {
      for (const cache of caches.values()) cache.forgetAll()
    },
  }
}
