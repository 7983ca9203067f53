import type { Request, RequestHandler } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import { bearerRefusals } from '../callers/bearer-refusals.ts'
import { foreignPage, isFirstParty } from '../callers/first-party.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { readSessionCookie } from '../callers/session-cookie.ts'
import { suspendedAccount } from '../callers/suspended-account.ts'
import type { FindSession } from '../callers/verified-sessions.ts'
import { callOf } from '../http/call.ts'
import { noteAccepted } from '../http/request-in-hand.ts'
import type { AccountWork } from './account-work/account-work.ts'
import { limitWork } from './account-work/limit-work.ts'
import { identifySession } from './authenticate-session.ts'
import type { AnonymousLimit } from './rate-limit.ts'
import { refuseKnown } from './refuse-known.ts'
import { requireEndUser } from './require-end-user.ts'

interface IdentifyResourceOwnerOptions extends AnonymousLimit {
  readonly environment: Environment
  /** The base URL of the other environment. */
  readonly otherBaseUrl: string
  /** The contact of the operator, for holders of suspended accounts; null: there is none. */
  readonly supportContact: string | null
  /** Authenticates API keys. */
  readonly authenticate: RequestHandler
  readonly authenticateAgain: RequestHandler
  readonly limitAccount: RequestHandler
  readonly limitAddress: RequestHandler
  readonly accountWork: AccountWork
  readonly findSession: FindSession
  readonly firstPartyOrigins: ReadonlySet<string>
  readonly keyPrefix: string
  readonly issuer: string
  readonly trail: RefusedCallers
}

/** Steps that find out who decides. */
export interface OwnerSteps {
  readonly identify: readonly RequestHandler[]
  /** Finds the owner again after the body has been read: see `authenticateAgain`. */
  readonly identifyAgain: RequestHandler
}

/**
 * Finds out who decides, on routes that are open to everybody (docs/oauth-rules.md §4). With a key
 * it is the holder of the key, or nobody if the key is wrong. Without a key it is the user of the
 * browser's session, or nobody.
 */
export function identifyResourceOwner(options: IdentifyResourceOwnerOptions): OwnerSteps {
  const { findSession, firstPartyOrigins, keyPrefix, trail } = options
  const ofApp = bearerRefusals(options)('/v1/oauth/').badKey('An app cannot decide for its user.')
  const suspended = suspendedAccount(options.supportContact)

  const byKey: RequestHandler = function identifyByKey(req, res, next) {
    if (req.headers.authorization === undefined) return next()
    return options.authenticate(req, res, next)
  }

  const bySession: RequestHandler = async function identifyBySession(req, res, next) {
    const call = callOf(res)
    if (call.caller) return next()
    const secret = readSessionCookie(req, call.environment, keyPrefix)
    const found = secret && (await findSession(secret, call.address))
    if (!found) return next()
    identifySession(call, secret, found)
    if (found.isSuspended) return next(await refuseKnown(call, suspended, options))
    noteAccepted(res)
    next()
  }

  /** An app cannot approve anything (docs/oauth-rules.md §1.10), and neither can a foreign page. */
  const refuse: RequestHandler = function refuseOthers(req, res, next) {
    const call = callOf(res)
    const isApp = call.caller?.clientId !== undefined
    const isForeign = call.caller?.session && isChange(req) && !isFirstParty(req, firstPartyOrigins)
    if (!isApp && !isForeign) return next()
    trail.note(call, isApp ? 'INVALID_API_KEY' : 'FORBIDDEN')
    next(isApp ? ofApp : foreignPage)
  }

  const limit: RequestHandler = function limitOwner(req, res, next) {
    const isKnown = callOf(res).caller !== null
    return (isKnown ? options.limitAccount : options.limitAddress)(req, res, next)
  }

  const identifyAgain: RequestHandler = function identifyAgain(req, res, next) {
    const call = callOf(res)
    if (!call.caller) return next()
    if (!call.caller.session) return options.authenticateAgain(req, res, next)
    call.caller = null
    return bySession(req, res, next)
  }

  const limitKnown = limitWork(options.accountWork, identifyAgain)
  const limitOwnersWork: RequestHandler = function limitOwnersWork(req, res, next) {
    return callOf(res).caller ? limitKnown(req, res, next) : next()
  }

  const identify = [byKey, bySession, limit, refuse, requireEndUser, limitOwnersWork]
  return { identify, identifyAgain }
}

function isChange({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
