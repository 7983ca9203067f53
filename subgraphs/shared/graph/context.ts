import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type {
  AccountCaller,
  Caller,
  ClientCaller,
  Environment,
} from '../../../schema/credentials/caller.ts'
import type { Budget, BudgetInput, BudgetPeriod } from '../budgets/budget.type.ts'
import type { Database } from '../database/database.ts'
import { allTenants, noTenant, type Tenant } from '../database/tenant.ts'
import { DomainError } from './errors.ts'

/**
 * Every subgraph receives these options once, at start; each declares further settings of its own.
 */
export interface SubgraphOptions {
  /** A resolver receives the view of its caller's tenant. */
  readonly database: Database
  /** See `deriveKey`. */
  readonly gatewaySecret: string
  /** `deriveKey(gatewaySecret, 'cursor')`, derived once. */
  readonly cursorKey: Uint8Array
  readonly keyPrefix: string
  /** Absolute, without a trailing slash, per environment. */
  readonly baseUrls: Readonly<Record<Environment, string>>
  readonly docsUrl: string
  /** Whether this gateway serves the console, so that texts may lead there; true unless set. */
  readonly hasConsole?: boolean
  /** Where people buy credits, if not in the console. */
  readonly topUpUrl?: string
  /** Aborted when the process stops: long work gives up, and another process does it. */
  readonly stopping?: AbortSignal
  /** Tells other parts of this process, before the answer leaves, that a cached fact is stale. */
  readonly invalidate: (notice: InvalidationNotice) => void
  /** Finds an account by the supergraph. Without a supergraph, no account is found. */
  readonly findAccount?: (id: string) => Promise<KnownAccount | null>
  /** Whether the link of an invitation, `ivt_…`, lets somebody join now, by the supergraph. */
  readonly isInvitationOpen?: (id: string) => Promise<boolean>
  /** The idempotency keys of acts, by the supergraph. They are never claimed inside a transaction. */
  readonly acts?: ActKeys
  /**
   * The budgets of accounts, by the supergraph. They are never asked for inside a transaction,
   * because the account subgraph has its own.
   */
  readonly budgets?: BudgetBook
  /** What accounts spend through apps, by the supergraph. */
  readonly appSpending?: AppSpending
}

/** An act of an internal caller, and the key that it was sent with. */
export interface ClaimedAct {
  /** The hash of the key. */
  readonly reference: string
  /** SHA-256 of what is done, to whom, and for what reason. */
  readonly actHash: string
  /** How long the key belongs to the act. */
  readonly seconds: number
}

/** Which act a key belongs to, over all accounts and subgraphs: the account subgraph knows. */
export interface ActKeys {
  /** False: the key belongs to another act. */
  claim(act: ClaimedAct): Promise<boolean>
  /** Takes the claim of an attempt back that was refused. */
  release(act: ClaimedAct): Promise<void>
}

/** The credits of the last 30 days by account; those that have spent none are missing. */
export type AppSpending = (
  app: { readonly clientId: string; readonly environment: Environment },
  accountIds: readonly string[],
) => Promise<ReadonlyMap<string, number>>

/** A line of the audit trail: an `AuditEventInput` of the usage subgraph, as JSON. */
export type AuditLine = Readonly<Record<string, unknown>>

/**
 * The budgets of an account, which the account subgraph keeps. A spender is `key:<id of the first
 * key of a chain of rotations>`, `consent:<client_id>`, `external_id:<external id>` or `account`.
 */
export interface BudgetBook {
  /**
   * Replaces all budgets of a spender and returns them. A period that stays keeps its use; `[]`
   * removes all. Throws INVALID_REQUEST for two budgets of one period or a limit below 1. A line of the
   * audit trail (`lineOf`) is written in the same transaction.
   */
  set(
    owner: AccountScope,
    spender: string,
    budgets: readonly BudgetInput[],
    line?: AuditLine,
  ): Promise<Budget[]>
  /**
   * Sets the use of a budget to 0, with its line of the audit trail. Throws NOT_FOUND if there is
   * no budget of this period.
   */
  reset(
    owner: AccountScope,
    spender: string,
    period: BudgetPeriod,
    line: AuditLine,
  ): Promise<Budget>
  /**
   * External ids that have budgets, come after this one and have this text in them, in the order of their
   * characters.
   */
  listExternalIds(
    owner: AccountScope,
    page: { readonly after: string; readonly search: string; readonly limit: number },
  ): Promise<readonly string[]>
  /** The budgets by spender; a spender without budgets is missing. */
  read(owner: AccountScope, spenders: readonly string[]): Promise<ReadonlyMap<string, Budget[]>>
}

/** The facts about an account that other subgraphs need. */
export interface KnownAccount {
  readonly id: string
  readonly name: string
  /** Whether its keys are accepted and its grants to apps still count. */
  readonly isActive: boolean
  /** `ACTIVE`, `SUSPENDED` or `CLOSED`. */
  readonly status: string
}

/** The notice that a cached fact about an account is no longer true: all caches must drop the account. */
export interface InvalidationNotice {
  readonly accountId: string
}

/** Every resolver receives this: the caller, and the database as the caller may see it. */
export interface GraphContext extends SubgraphOptions {
  readonly caller: Caller
}

/** Makes the context of a request, with which resolvers receive the settings of the subgraph too. */
export function createContext<Options extends SubgraphOptions>(
  options: Options,
  caller: Caller,
): Options & GraphContext {
  return { ...options, database: options.database.as(tenantOf(caller)), caller }
}

/** The one place that decides whose rows a call can touch: an account only touches its own. */
function tenantOf(caller: Caller): Tenant {
  switch (caller.kind) {
    case 'account':
      return caller.accountId
    case 'internal':
    case 'service':
      return allTenants
    // An app has tokens of many accounts; each statement names the app.
    case 'client':
      return allTenants
    case 'anonymous':
      return noTenant
  }
}

/** The calling app, which acts for itself. */
export function requireClient({ caller }: GraphContext): ClientCaller {
  if (caller.kind === 'client') return caller
  throw new DomainError('FORBIDDEN', 'This operation needs an OAuth app.')
}

/**
 * The calling account. Services that work for one account take its id from here and nowhere else.
 */
export function requireAccount({ caller }: GraphContext): AccountCaller {
  if (caller.kind === 'account') return caller
  throw new DomainError('FORBIDDEN', 'This operation needs an account.')
}
