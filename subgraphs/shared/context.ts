import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { AccountCaller, Caller, Environment } from '../../schema/caller.ts'
import type { Database } from './database.ts'
import { DomainError } from './errors.ts'

/** What a subgraph is given once, at start. */
export interface SubgraphOptions {
  readonly database: Database
  /** See `deriveKey`. */
  readonly gatewaySecret: string
  /** `deriveKey(gatewaySecret, 'cursor')`, derived once. */
  readonly cursorKey: Uint8Array
  readonly keyPrefix: string
  /** Absolute, without a trailing slash, per environment. */
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly docsUrl: string
  /** Tells other parts of this process, before the answer leaves, that a cached fact is stale. */
  readonly invalidate: (notice: InvalidationNotice) => void
  /** Asks the supergraph. Where there is none, there is no account. */
  readonly hasAccount?: (id: string, caller: Caller) => Promise<boolean>
}

/** A cached fact that is no longer true: everything remembered about the account must go. */
export interface InvalidationNotice {
  readonly accountId: string
}

/** What every resolver receives: who is calling, and a unit of work of its own. */
export interface GraphContext extends SubgraphOptions {
  readonly caller: Caller
  /** Forked on first use: the hot operations never need one. */
  readonly em: SqlEntityManager
}

export function createContext(options: SubgraphOptions, caller: Caller): GraphContext {
  let em: SqlEntityManager | undefined
  return {
    ...options,
    caller,
    get em() {
      em ??= options.database.orm.em.fork()
      return em
    },
  }
}

/** The account that calls. Account-scoped services take the id from here and nowhere else. */
export function requireAccount({ caller }: GraphContext): AccountCaller {
  if (caller.kind === 'account') return caller
  throw new DomainError('FORBIDDEN', 'This operation needs an account.')
}
