import type { Request } from 'express'
import type { AccountCaller } from '../../schema/credentials/caller.ts'
import { mayCallProducts } from '../../schema/vocabulary/roles.ts'
import { type CookieUse, refusalOfCookie } from '../callers/cookie-use.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { readSessionCookie } from '../callers/session-cookie.ts'
import type { FindSession, VerifiedSession } from '../callers/verified-sessions.ts'
import type { Call } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { type AnonymousLimit, countAddress, refusalOf } from './rate-limit.ts'

export interface SessionOptions extends AnonymousLimit {
  readonly findSession: FindSession
  readonly trail: Pick<RefusedCallers, 'note'>
  readonly keyPrefix: string
  /** `{base_url}/v1` */
  readonly issuer: string
}

/**
 * The outcome for a request without a key: its session is the caller, or it is refused, or unknown, or there
 * is no cookie.
 */
export type SessionOutcome = 'accepted' | 'unknown' | 'none' | ApiError

/**
 * Finds the caller by the cookie of a browser. A refused caller is counted by address, because
 * pages of other origins must not use up the account's limit. Every call looks the session up.
 */
export function authenticateSession(use: CookieUse, options: SessionOptions) {
  const { findSession, trail, keyPrefix } = options
  const ownOrigin = new URL(options.issuer).origin

  function refusalFor(req: Request, caller: AccountCaller): ApiError | null {
    return refusalOfCookie(req, use, ownOrigin) ?? (use === 'costs' ? productRefusal(caller) : null)
  }

  return async function authenticateSession(req: Request, call: Call): Promise<SessionOutcome> {
    call.caller = null
    const secret = readSessionCookie(req, call.environment, keyPrefix)
    if (!secret) return 'none'
    const found = await findSession(secret, call.address)
    if (!found) return 'unknown'
    const refusal = refusalFor(req, identifySession(call, secret, found))
    if (!refusal) return 'accepted'
    trail.note(call, refusal.code)
    await countAddress(call, options)
    const tooMany = refusalOf(call)
    if (!tooMany) return refusal
    call.caller = null
    return tooMany
  }
}

/** Whether the role of a session keeps it from product operations, whatever its scopes. */
export function productRefusal({ session, environment }: AccountCaller): ApiError | null {
  const role = session?.role ?? null
  return role === null || mayCallProducts(role, environment) ? null : withoutProducts
}

const withoutProducts = new ApiError(
  'FORBIDDEN',
  'A developer calls products in live with an API key, and in the sandbox by session too.',
)

/** No count of notices equals this, so a session is always looked up again after the body. */
const neverHolds = -1

/** Sets the caller, also for the usage-log entry of a later refusal. */
export function identifySession(call: Call, secret: string, found: VerifiedSession): AccountCaller {
  const { environment, requestId, traceId, address } = call
  const { accountId, keyId, scopes, externalId, isCapped, session, rateLimitRps } = found
  const caller: AccountCaller = {
    kind: 'account',
    accountId,
    keyId,
    scopes,
    externalId,
    isCapped,
    session,
    environment,
    requestId,
    traceId,
    address: address || null,
  }
  call.caller = caller
  call.credential = secret
  call.credentialId = session.id
  call.budgetOwners = found.budgetOwners
  call.rateLimitRps = rateLimitRps
  call.noticesBefore = neverHolds
  return caller
}
