import { LRUCache } from 'lru-cache'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { atMost } from '../../../schema/process/at-most.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'

/** How long the answers of a route are kept, and what else they depend on beside the account. */
export interface Keeping {
  readonly seconds: number
  /** The scopes that decide what is in the answer, beside that of the route. */
  readonly scopes: readonly string[]
}

/** Answers that are kept for a moment, until the account changes. Each environment has its own. */
export interface KeptAnswers {
  /** Returns the kept result for callers who may read the same, or asks. Simultaneous callers share one question. */
  find(
    operation: string,
    keeping: Keeping,
    caller: AccountCaller,
    ask: () => Promise<unknown>,
  ): Promise<unknown>
  /** Forgets everything about an account, including questions that are still being answered. */
  readonly forget: (accountId: string) => void
  /** Forgets everything: notices of changes may have been lost. */
  readonly forgetAll: () => void
}

interface KeptAnswer {
  readonly untilMs: number
  readonly result: Promise<unknown>
}

/** An account has one answer for each operation and each set of the few scopes that matter, of some kilobytes. */
const maxAccounts = 1000

/**
 * Another account's change does not matter to an answer that is on its way: a forecast takes so long that a busy gateway
 * would never keep one.
 */
export function createKeptAnswers(): KeptAnswers {
  const accounts = new LRUCache<string, Map<string, KeptAnswer>>(atMost(maxAccounts))
  return {
    find(operation, { seconds, scopes }, caller, ask) {
      const readable = scopes.filter((scope) => coversScope(caller.scopes, scope))
      const kind = caller.clientId === undefined ? 'holder' : 'app'
      const name = [operation, kind, ...readable].join(' ')
      const answers = accounts.get(caller.accountId) ?? new Map<string, KeptAnswer>()
      accounts.set(caller.accountId, answers)
      const kept = answers.get(name)
      if (kept && performance.now() < kept.untilMs) return kept.result
      const result = ask()
      const asked = { untilMs: performance.now() + seconds * 1000, result }
      answers.set(name, asked)
      void result.catch(() => answers.get(name) === asked && answers.delete(name))
      return result
    },
    forget: (accountId) => void accounts.delete(accountId),
    forgetAll: () => accounts.clear(),
  }
}
