import type { RequestHandler } from 'express'
import { type Call, callerOf, callOf, headerOf } from '../call.ts'
import { ApiError } from '../errors.ts'
import type { KeyUse } from '../key-use.ts'
import type { VerifiedKeys } from '../verified-keys.ts'

/** RFC 6750 §2.1: the scheme in any case, then one b64token. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

const challenge = { 'WWW-Authenticate': 'Bearer' }

/** Finds out who calls (spec, Authentication 3 to 5). The one way from a bearer to a caller. */
export function authenticate(keys: VerifiedKeys, keyUse: KeyUse): RequestHandler {
  return async function authenticate(req, res, next) {
    const call = callOf(res)
    await identify(call, headerOf(req, 'authorization'), keys)
    keyUse.note(callerOf(call).keyId, call.arrivedAt)
    next()
  }
}

async function identify(call: Call, authorization: string, keys: VerifiedKeys): Promise<void> {
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined) {
    throw new ApiError(
      'AUTHENTICATION_REQUIRED',
      'Send an API key in the header "Authorization: Bearer <API_KEY>".',
      { headers: challenge },
    )
  }
  const key = await keys.find(token)
  if (!key) {
    // One answer for every reason, so that nobody learns which it was.
    throw new ApiError('INVALID_API_KEY', 'This API key is not valid here.', { headers: challenge })
  }
  const { environment, requestId, traceId, address } = call
  const { keyId, accountId, scopes, rateLimitRps } = key
  call.caller = { kind: 'account', accountId, keyId, scopes, environment, requestId, traceId }
  call.credential = token
  call.rateLimitRps = rateLimitRps
  if (!key.allowsAddress(address)) {
    throw new ApiError('IP_NOT_ALLOWED', 'This API key may not be used from this address.')
  }
}
