import type { Request } from 'express'
import type { AccountCaller } from '../../schema/credentials/caller.ts'
import { mayCallProducts } from '../../schema/vocabulary/roles.ts'
import { type CookieUse, refusalOfCookie } from '../callers/cookie-use.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { readSessionCookie } from '../callers/session-cookie.ts'
import { suspendedAccount } from '../callers/suspended-account.ts'
import type { FindSession, VerifiedSession } from '../callers/verified-sessions.ts'
import type { Call } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { AnonymousLimit } from './rate-limit.ts'
import { refuseKnown } from './refuse-known.ts'

export interface SessionOptions extends AnonymousLimit {
  readonly findSession: FindSession
  readonly trail: Pick<RefusedCallers, 'note'>
  readonly keyPrefix: string
  /** `{base_url}/v1` */
  readonly issuer: string
  /** The contact of the operator, for holders of suspended accounts; null: there is none. */
  readonly supportContact: string | null
}

/**
 * The outcome for a request without a key. `accepted`: the session is the caller. `unknown`: there is no
 * such session. `none`: there is no cookie. An error refuses the session.
 */
export type SessionOutcome = 'accepted' | 'unknown' | 'none' | ApiError

/**
 * Finds the caller by the cookie of a browser. A refused caller is counted by address, because
 * pages of other origins must not use up the account's limit. Every call looks the session up.
 */
export function authenticateSession(use: CookieUse, options: SessionOptions) {
  const { findSession, keyPrefix } = options
  const ownOrigin = new URL(options.issuer).origin

  const suspended = suspendedAccount(options.supportContact)

  function refusalFor(req: Request, caller: AccountCaller, isSuspended: boolean): ApiError | null {
    const foreign = refusalOfCookie(req, use, ownOrigin)
    if (foreign) return foreign
    if (isSuspended) return suspended
    return use === 'costs' ? productRefusal(caller) : null
  }

  return async function authenticateSession(req: Request, call: Call): Promise<SessionOutcome> {
    call.caller = null
    const secret = readSessionCookie(req, call.environment, keyPrefix)
    if (!secret) return 'none'
    const found = await findSession(secret, call.address)
    if (!found) return 'unknown'
    const refusal = refusalFor(req, identifySession(call, secret, found), found.isSuspended)
    return refusal ? refuseKnown(call, refusal, options) : 'accepted'
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
