import type {
  AccountCaller,
  Caller,
  ClientCaller,
  Environment,
} from '../../../schema/credentials/caller.ts'
import type { Database } from '../database/database.ts'
import { everyone, nobody, type Tenant } from '../database/tenant.ts'
import { DomainError } from './errors.ts'

/** What every subgraph is given once, at start; each declares its own settings beside it. */
export interface SubgraphOptions {
  /** A caller's is that of its tenant. */
  readonly database: Database
  /** See `deriveKey`. */
  readonly gatewaySecret: string
  /** `deriveKey(gatewaySecret, 'cursor')`, derived once. */
  readonly cursorKey: Uint8Array
  readonly keyPrefix: string
  /** Absolute, without a trailing slash, per environment. */
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly docsUrl: string
  /** Aborted when the process stops: what takes long gives up, and another process does it. */
  readonly stopping?: AbortSignal
  /** Tells other parts of this process, before the answer leaves, that a cached fact is stale. */
  readonly invalidate: (notice: InvalidationNotice) => void
  /** Asks the supergraph. Where there is none, there is no account. */
  readonly findAccount?: (id: string) => Promise<KnownAccount | null>
}

/** An account as other subgraphs need to know it. */
export interface KnownAccount {
  readonly id: string
  readonly name: string
  /** Whether its keys are accepted, and what it has granted still counts. */
  readonly isActive: boolean
}

/** A cached fact that is no longer true: everything remembered about the account must go. */
export interface InvalidationNotice {
  readonly accountId: string
}

/** What every resolver receives: who is calling, and the database as that caller may see it. */
export interface GraphContext extends SubgraphOptions {
  readonly caller: Caller
}

/** The settings of a subgraph are part of what its resolvers receive. */
export function createContext<Options extends SubgraphOptions>(
  options: Options,
  caller: Caller,
): Options & GraphContext {
  return { ...options, database: options.database.as(tenantOf(caller)), caller }
}

/** The one place that decides whose rows a call can touch: an account's are its own, whatever is asked. */
function tenantOf(caller: Caller): Tenant {
  switch (caller.kind) {
    case 'account':
      return caller.accountId
    case 'internal':
    case 'service':
      return everyone
    // Its tokens are of many accounts; each statement names the client.
    case 'client':
      return everyone
    case 'anonymous':
      return nobody
  }
}

/** The app that calls for itself. */
export function requireClient({ caller }: GraphContext): ClientCaller {
  if (caller.kind === 'client') return caller
  throw new DomainError('FORBIDDEN', 'This operation needs an OAuth app.')
}

/** The account that calls. Account-scoped services take the id from here and nowhere else. */
export function requireAccount({ caller }: GraphContext): AccountCaller {
  if (caller.kind === 'account') return caller
  throw new DomainError('FORBIDDEN', 'This operation needs an account.')
}
