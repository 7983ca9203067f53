import type { PersonRole } from '../vocabulary/roles.ts'

/** Live state or its sandbox copy; each listener serves exactly one (docs/contract.md §9). */
export type Environment = 'live' | 'sandbox'

/** The environments as internal tools write them in inputs (docs/contract.md §8). */
export const environmentNames = { live: 'LIVE', sandbox: 'SANDBOX' } as const

/** The roles that an internal token can have; each includes those after it. */
export const internalRoles = ['admin', 'support', 'readonly'] as const
export type InternalRole = (typeof internalRoles)[number]

interface CallerBase {
  readonly environment: Environment
  /** `req_…`, also the usage log's `request_id`. */
  readonly requestId: string
  /** W3C trace id, 32 hexadecimal digits. */
  readonly traceId: string
  /**
   * The client's address, from a header only if TRUST_PROXY allows it. The service and the command
   * line have none.
   */
  readonly address?: string | null
}

/** An external developer: an API key, the session of a browser, or an OAuth app. */
export interface AccountCaller extends CallerBase {
  readonly kind: 'account'
  readonly address: string | null
  readonly accountId: string
  /**
   * `key_…`, also of a session that the key has signed in. Null for an app, which has a `clientId`, and for
   * a session of a person with a role.
   */
  readonly keyId: string | null
  /** `app_…`, authenticated by an access token that this account has granted. */
  readonly clientId?: string
  /** The `external_id` of the key; null or absent: it has none. */
  readonly externalId?: string | null
  /** Whether the key has budgets of its own or by its external id: it cannot lift its cap. */
  readonly isCapped?: boolean
  readonly scopes: readonly string[]
  /** The browser's session, if the request had no key. */
  readonly session?: CallerSession
  /**
   * Seals the result of a change that shows a secret, so that a repetition with the same credential and
   * idempotency key can be shown it again: `deriveReplayKey`, base64url. Never stored, never logged.
   */
  readonly replayKey?: string
}

export interface CallerSession {
  /** `ses_…` */
  readonly id: string
  /** The time of the sign-in: ISO 8601. */
  readonly authTime: string
  /**
   * The newest proof that was given in this session: ISO 8601; 1970 if the request has the cookie from before that proof.
   * Null if the session has no proof: it was handed over, or a mail opened it for somebody who has a passkey.
   */
  readonly provenAt: string | null
  /** Whether that proof permits what needs a fresh one (`STEP_UP_MINUTES`). */
  readonly isProofFresh: boolean
  /** The member who is signed in; null or absent: a person of a portal link, or a key. */
  readonly memberId?: string | null
  /** Whether the member has a passkey, so that nothing else proves the session; absent: no. */
  readonly hasPasskey?: boolean
  /** Whether no mail has reached the address of the member, so that none proves the session; absent: no. */
  readonly isUnconfirmed?: boolean
  /** The role of a person; null: a key has signed in. */
  readonly role: PersonRole | null
  /** The name in the audit trail if no key has signed in, else null. */
  readonly actor: string | null
  /** Where the page leads back to; null: nowhere. */
  readonly returnUrl: string | null
  /** Whether no decision followed yet: a sign-in for one request counts once. */
  readonly isFresh: boolean
  /** SHA-256 of the continue token of the request that the sign-in was for; null for none. */
  readonly signedInFor: string | null
}

/** How the audit trail names a caller of an account. */
export function actorOfAccount({ clientId, keyId, session }: AccountCaller) {
  if (clientId !== undefined) return { actorKind: 'oauth_client', actorId: clientId } as const
  if (keyId !== null) return { actorKind: 'key', actorId: keyId } as const
  return { actorKind: 'session', actorId: session?.actor ?? '' } as const
}

/** An OAuth app that calls for itself, at the endpoints for apps. */
export interface ClientCaller extends CallerBase {
  readonly kind: 'client'
  readonly address: string | null
  /** `app_…` */
  readonly clientId: string
  /** Whether the app has authenticated with its secret. */
  readonly isConfidential: boolean
}

/** The facade itself: verifies keys, reserves and settles credits, records usage. */
export interface ServiceCaller extends CallerBase {
  readonly kind: 'service'
}

/** Returns the facade itself as the caller; without options, the call belongs to no request. */
export function serviceCaller({
  environment = 'live',
  requestId = '',
  traceId = '',
}: Partial<Pick<CallerBase, 'environment' | 'requestId' | 'traceId'>> = {}): ServiceCaller {
  return { kind: 'service', environment, requestId, traceId, address: null }
}

/** An internal tool, proven by an internal token, or the command line on the database itself. */
export interface InternalCaller extends CallerBase {
  readonly kind: 'internal'
  readonly address: string | null
  readonly role: InternalRole
  /** `tok_…`: the token's `jti`; `cli` on the command line. */
  readonly tokenId: string
  /**
   * The name of the person: of a session of the operators' page, or `--by` on the command line. Null or
   * absent: a program, which is known by its token.
   */
  readonly operator?: string | null
}

/** How the audit trail names an internal tool: its person, or else its token. */
export function actorOfTool({ operator, tokenId }: InternalCaller): string {
  return operator ?? tokenId
}

/** An anonymous caller on a public endpoint. */
export interface AnonymousCaller extends CallerBase {
  readonly kind: 'anonymous'
}

/**
 * The caller of a subgraph. Only the facade and the internal listener create it, never from a
 * header of an outside request.
 */
export type Caller = AccountCaller | ClientCaller | ServiceCaller | InternalCaller | AnonymousCaller

/**
 * Who makes a key or an app: a key, `session:` and the person of a session, or `internal:` and the id of the
 * tool's token. The backend of an operator chooses the names of people.
 */
export function makerOf(caller: Caller): string {
  if (caller.kind === 'internal') return `internal:${caller.tokenId}`
  if (caller.kind !== 'account') throw new Error(`A caller of kind ${caller.kind} makes none.`)
  return caller.keyId ?? `session:${caller.session?.actor ?? ''}`
}
