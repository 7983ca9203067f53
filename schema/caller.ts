/** Live state or its play copy; each listener serves exactly one (contract §9). */
export type Environment = 'live' | 'sandbox'

/** What an internal token permits; each role includes those after it. */
export const internalRoles = ['admin', 'support', 'readonly'] as const
export type InternalRole = (typeof internalRoles)[number]

interface CallerBase {
  readonly environment: Environment
  /** `req_…`, also the usage log's `request_id`. */
  readonly requestId: string
  /** W3C trace id, 32 hexadecimal digits. */
  readonly traceId: string
  /** The client's, as far as TRUST_PROXY lets a header say it; the service and the command line have none. */
  readonly address?: string | null
}

/** An external developer, proven by an API key. */
export interface AccountCaller extends CallerBase {
  readonly kind: 'account'
  readonly address: string | null
  readonly accountId: string
  readonly keyId: string
  readonly scopes: readonly string[]
}

/** The facade itself: verifies keys, reserves and settles credits, records usage. */
export interface ServiceCaller extends CallerBase {
  readonly kind: 'service'
}

/** An internal tool, proven by an internal token, or the command line on the database itself. */
export interface InternalCaller extends CallerBase {
  readonly kind: 'internal'
  readonly address: string | null
  readonly role: InternalRole
  /** `tok_…`: the token's `jti`; `cli` on the command line. */
  readonly tokenId: string
}

/** Anybody, on a public endpoint. */
export interface AnonymousCaller extends CallerBase {
  readonly kind: 'anonymous'
}

/**
 * Who is calling a subgraph. It is made only by the facade and the internal listener,
 * never from a header that came from outside.
 */
export type Caller = AccountCaller | ServiceCaller | InternalCaller | AnonymousCaller
