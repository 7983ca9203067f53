import type { AccountCaller, Caller, ClientCaller, Environment } from '../../schema/caller.ts'
import type { Database } from './database.ts'
import { DomainError } from './errors.ts'
import type { FileStorage } from './file-storage/file-storage.ts'
import { everyone, nobody, type Tenant } from './tenant.ts'
import type { EndpointUrlRules } from './webhook-sender/endpoint-url.ts'

/** What a subgraph is given once, at start. */
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
  readonly billing: BillingSettings
  readonly oauth: OAuthSettings
  /** How long the usage log is kept; for ever when it is 0 or absent. */
  readonly usageLogRetentionDays?: number
  /** How payments are collected; absent: live ones are not. */
  readonly payments?: PaymentOptions
  /** Absent: addresses are public and https. */
  readonly webhooks?: WebhookSettings
  /** Absent: nothing can be exported here. */
  readonly exports?: ExportSettings
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

/** What an operator decides about billing. */
export interface BillingSettings {
  /** Of subscriptions and add-ons: an ISO 8601 duration. */
  readonly period: string
  /** Balances below which an account is told that it runs low. */
  readonly lowCreditsThresholds: readonly number[]
  /** For so long the allowance of a period is there before its payment; with it when it is 0 or absent. */
  readonly allowanceGraceDays?: number
}

/** What an operator decides about webhooks. */
export interface WebhookSettings extends EndpointUrlRules {
  /** For so long events and their deliveries are kept. */
  readonly retentionDays: number
}

/** What an operator decides about exports. */
export interface ExportSettings {
  readonly files: FileStorage
  /** For so long a link to a result works; every look at the job makes a new one. */
  readonly urlTtlSeconds: number
  /** For so long a result is kept. */
  readonly retentionDays: number
  /** Told what an operator should know. */
  readonly warn: (message: string) => void
}

/** What an operator decides about the OpenID provider. */
export interface OAuthSettings {
  /** How long a signing key signs before its successor does. */
  readonly signingKeyRotationDays: number
  /** For so long a refresh token that was used may be used once more, for clients with many tabs. */
  readonly refreshGraceSeconds: number
}

export interface PaymentOptions {
  /** Told what an operator should know: never a secret. */
  readonly warn: (message: string) => void
  /** Where this gateway takes notifications, per environment, as it is reached from here; without it none are sent. */
  readonly notificationUrls?: Readonly<Record<Environment, string>>
  /** Who collects live payments. Without it none are taken, unless they are to be simulated. */
  readonly stripe?: StripeOptions
  /** Whether credits may be given live for payments that nobody collects. */
  readonly simulatesLive?: boolean
}

export interface StripeOptions {
  readonly secretKey: string
  /** Signs Stripe's notifications. */
  readonly webhookSecret: string
  /** Scheme, host and port; Stripe's own unless set. */
  readonly apiUrl?: string
}

/** A cached fact that is no longer true: everything remembered about the account must go. */
export interface InvalidationNotice {
  readonly accountId: string
}

/** What every resolver receives: who is calling, and the database as that caller may see it. */
export interface GraphContext extends SubgraphOptions {
  readonly caller: Caller
}

export function createContext(options: SubgraphOptions, caller: Caller): GraphContext {
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
