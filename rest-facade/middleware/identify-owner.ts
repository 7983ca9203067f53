import type { RequestHandler } from 'express'
import { bearerRefusals } from '../bearer-refusals.ts'
import { type Call, callOf } from '../call.ts'
import { requireFirstParty } from '../first-party.ts'
import { readSessionCookie } from '../session-cookie.ts'
import type { FindSession, VerifiedSession } from '../verified-sessions.ts'

interface IdentifyOwnerOptions {
  /** Of API keys. */
  readonly authenticate: RequestHandler
  readonly limitAccount: RequestHandler
  readonly limitAddress: RequestHandler
  readonly findSession: FindSession
  readonly firstPartyOrigins: ReadonlySet<string>
  readonly keyPrefix: string
  readonly issuer: string
}

/**
 * Finds out who decides, on routes that are open to everybody (design, oauth §4): whoever sends a key,
 * and nobody else when that is wrong; else whoever the browser is signed in as; else nobody.
 */
export function identifyOwner(options: IdentifyOwnerOptions): RequestHandler[] {
  const { findSession, firstPartyOrigins, keyPrefix, issuer } = options
  const { badKey } = bearerRefusals(issuer)('/v1/oauth/')

  const byKey: RequestHandler = function identifyByKey(req, res, next) {
    if (req.headers.authorization === undefined) return next()
    return options.authenticate(req, res, next)
  }

  /** An app cannot approve anything, least of all itself (design, oauth §1.10). */
  const refuseApps: RequestHandler = function refuseApps(_req, res, next) {
    next(callOf(res).caller?.clientId === undefined ? undefined : badKey)
  }

  const bySession: RequestHandler = async function identifyBySession(req, res, next) {
    const call = callOf(res)
    if (call.caller) return next()
    const secret = readSessionCookie(req, call.environment, keyPrefix)
    const found = secret && (await findSession(secret, call.address))
    if (!found) return next()
    if (req.method !== 'GET') requireFirstParty(req, firstPartyOrigins)
    identify(call, found)
    next()
  }

  const limit: RequestHandler = function limitOwner(req, res, next) {
    const isKnown = callOf(res).caller !== null
    return (isKnown ? options.limitAccount : options.limitAddress)(req, res, next)
  }

  return [byKey, refuseApps, bySession, limit]
}

function identify(call: Call, found: VerifiedSession): void {
  const { environment, requestId, traceId, address } = call
  const { accountId, keyId, scopes, session, rateLimitRps } = found
  call.caller = {
    kind: 'account',
    accountId,
    keyId,
    scopes,
    session,
    environment,
    requestId,
    traceId,
    address: address || null,
  }
  call.credentialId = session.id
  call.rateLimitRps = rateLimitRps
}
