import type { Request, RequestHandler } from 'express'
import { bearerRefusals } from '../callers/bearer-refusals.ts'
import { foreignPage, isFirstParty } from '../callers/first-party.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { readSessionCookie } from '../callers/session-cookie.ts'
import type { FindSession } from '../callers/verified-sessions.ts'
import { callOf } from '../http/call.ts'
import { noteAccepted } from '../http/request-in-hand.ts'
import type { AccountWork } from './account-work/account-work.ts'
import { limitWork } from './account-work/limit-work.ts'
import { identifySession } from './authenticate-session.ts'
import { requireEndUser } from './require-end-user.ts'

interface IdentifyResourceOwnerOptions {
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
  const { findSession, firstPartyOrigins, keyPrefix, issuer, trail } = options
  const { badKey } = bearerRefusals(issuer)('/v1/oauth/')

  const byKey: RequestHandler = function identifyByKey(req, res, next) {
    if (req.headers.authorization === undefined) return next()
    return options.authenticate(req, res, next)
  }

  const bySession: RequestHandler = async function identifyBySession(req, res, next) {
    const call = callOf(res)
    if (call.caller) return next()
    const secret = readSessionCookie(req, call.environment, keyPrefix)
    const found = secret && (await findSession(secret, call.address))
    if (found) {
      identifySession(call, secret, found)
      noteAccepted(res)
    }
    next()
  }

  /** An app cannot approve anything (docs/oauth-rules.md §1.10), and neither can a foreign page. */
  const refuse: RequestHandler = function refuseOthers(req, res, next) {
    const call = callOf(res)
    const isApp = call.caller?.clientId !== undefined
    const isForeign = call.caller?.session && isChange(req) && !isFirstParty(req, firstPartyOrigins)
    if (!isApp && !isForeign) return next()
    trail.note(call, isApp ? 'INVALID_API_KEY' : 'FORBIDDEN')
    next(isApp ? badKey : foreignPage)
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
