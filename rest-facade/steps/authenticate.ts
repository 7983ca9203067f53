import type { NextFunction, RequestHandler, Response } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import type { Audience } from '../../schema/vocabulary/audiences.ts'
import { bearerRefusals } from '../callers/bearer-refusals.ts'
import type { CookieUse } from '../callers/cookie-use.ts'
import type { KeyUse } from '../callers/key-use.ts'
import { suspendedAccount } from '../callers/suspended-account.ts'
import type { VerifiedKey, VerifiedKeys } from '../callers/verified-keys.ts'
import { bearerOf } from '../http/authorization.ts'
import { type Call, callOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { noteAccepted } from '../http/request-in-hand.ts'
import {
  authenticateSession,
  type SessionOptions,
  type SessionOutcome,
} from './authenticate-session.ts'
import { countAddress, refusalOf } from './rate-limit.ts'
import { refuseKnown } from './refuse-known.ts'

/** What of callers a route takes. */
export interface CallersTaken {
  /** Null: it takes no session of a browser. */
  readonly cookieUse: CookieUse | null
  /** The audiences of access tokens; by default those of REST alone. */
  readonly audiences?: readonly Audience[] | undefined
}

export interface AuthenticateOptions extends SessionOptions {
  readonly environment: Environment
  /** The base URL of the other environment. */
  readonly otherBaseUrl: string
  readonly keys: VerifiedKeys
  readonly keyUse: KeyUse
}

/**
 * Finds out who calls (docs/spec.md §9.3, §9.4 and §9.5): by a key or token, or without one by the session
 * of a browser, if the route takes sessions.
 */
export function authenticate(
  options: AuthenticateOptions,
  { cookieUse, audiences = ['api'] }: CallersTaken,
): RequestHandler {
  const { keys, keyUse } = options
  const refusals = bearerRefusals(options)
  const suspended = suspendedAccount(options.supportContact)

  function decide(
    res: Response,
    token: string,
    key: VerifiedKey | null,
    next: NextFunction,
  ): unknown {
    const call = callOf(res)
    const isMisdirected = key !== null && key.audience !== null && !audiences.includes(key.audience)
    if (!key || isMisdirected) {
      call.caller = null
      const { badKey, otherKey, otherAudience } = refusals(call.endpoint)
      const unknown = keys.isOfOther(token) ? otherKey : badKey(keys.whyRefused(token))
      const refusal = isMisdirected ? otherAudience : unknown
      return refuse(refuseAnonymous(call, refusal, options), next)
    }
    identify(call, token, key)
    const refusal = key.allowsAddress(call.address)
      ? key.isSuspended && suspended
      : otherAddress(key, call)
    if (refusal) return refuse(refuseKnown(call, refusal, options), next)
    if (key.keyId !== null) keyUse.note(key.keyId, call.arrivedAt)
    noteAccepted(res)
    return next()
  }

  const bySession = cookieUse && authenticateSession(cookieUse, options)

  async function decideSession(
    outcome: Promise<SessionOutcome>,
    res: Response,
    next: NextFunction,
  ): Promise<unknown> {
    const call = callOf(res)
    const decided = await outcome
    if (decided === 'none') return refuseKeyless(call, next)
    if (decided === 'unknown') return refuseKeyless(call, next, 'noSession')
    if (decided !== 'accepted') return next(decided)
    noteAccepted(res)
    return next()
  }

  function refuseKeyless(
    call: Call,
    next: NextFunction,
    why: 'noKey' | 'noSession' = 'noKey',
  ): unknown {
    return refuse(refuseAnonymous(call, refusals(call.endpoint)[why], options), next)
  }

  return function authenticate(req, res, next) {
    const call = callOf(res)
    const token = bearerOf(req)
    if (token === undefined) {
      const { authorization, cookie } = req.headers
      const mayHaveSession = authorization === undefined && cookie !== undefined
      if (!bySession || !mayHaveSession) return refuseKeyless(call, next)
      return decideSession(bySession(req, call), res, next)
    }
    call.noticesBefore = keys.notices()
    const found = keys.find(token)
    if (!(found instanceof Promise)) return decide(res, token, found, next)
    return found.then((key) => decide(res, token, key, next))
  }
}

/**
 * Authenticates once more if any account has changed since. It comes after all that may wait for the client:
 * while the body was on its way, the key may have ended, or got its first budget. A key of which nothing
 * has changed costs a comparison of two numbers; a session is looked up.
 */
export function authenticateAgain(
  options: AuthenticateOptions,
  taken: CallersTaken,
): RequestHandler {
  const { keys } = options
  const authenticateNow = authenticate(options, taken)
  return function authenticateAgain(req, res, next) {
    if (callOf(res).noticesBefore === keys.notices()) return next()
    return authenticateNow(req, res, next)
  }
}

function otherAddress({ keyId }: VerifiedKey, { address }: Call): ApiError {
  // A wrong TRUST_PROXY is seen by the address.
  const internal = `The allowlist of the key ${keyId} does not have the address ${address}.`
  return new ApiError('IP_NOT_ALLOWED', 'This API key may not be used from this address.', {
    internal,
  })
}

function refuse(refusal: ApiError | Promise<ApiError>, next: NextFunction): unknown {
  return refusal instanceof Promise ? refusal.then(next) : next(refusal)
}

/**
 * Counts an unknown caller by address. Above the limit, the caller learns only that. Keys are
 * looked up before, so that a valid one passes whatever others at its address send.
 */
function refuseAnonymous(
  call: Call,
  refusal: ApiError,
  options: AuthenticateOptions,
): ApiError | Promise<ApiError> {
  options.trail.note(call, refusal.code)
  const refusalNow = () => refusalOf(call) ?? refusal
  const counting = countAddress(call, options)
  return counting ? counting.then(refusalNow) : refusalNow()
}

/** Sets the caller, also for the usage-log entry of a later refusal. */
function identify(call: Call, token: string, key: VerifiedKey): void {
  const { environment, requestId, traceId, address } = call
  const { id, keyId, clientId, accountId, scopes, externalId, isCapped, rateLimitRps } = key
  call.caller = {
    kind: 'account',
    accountId,
    keyId,
    clientId,
    scopes,
    externalId,
    isCapped,
    environment,
    requestId,
    traceId,
    address: address || null,
  }
  call.credential = token
  call.credentialId = id
  call.budgetOwners = key.budgetOwners
  call.rateLimitRps = rateLimitRps
}
