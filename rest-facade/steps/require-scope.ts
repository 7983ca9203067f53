import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { AccountCaller, Environment } from '../../schema/credentials/caller.ts'
import type { Audience } from '../../schema/vocabulary/audiences.ts'
import { coversScope, coversTokenScope, productScopes } from '../../schema/vocabulary/scopes.ts'
import { bearerRefusals } from '../callers/bearer-refusals.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { callerOf, callOf } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'

/** The requirements of a route for its callers. */
export interface Protection {
  readonly scope: string
  /** This scope is sufficient too. */
  readonly orScope?: string
  /** Only API keys are accepted, no access tokens. */
  readonly keysOnly?: boolean
  /** Of people, only an OWNER may; the subgraph refuses the others whose role has the scope. */
  readonly ownerOnly?: boolean
  /** The audiences of access tokens that are accepted; by default those of REST alone. */
  readonly audiences?: readonly Audience[]
  /** The route stops or removes something, so the limits of what an account has running never refuse it. */
  readonly isStop?: boolean
}

interface RequireScopeOptions {
  readonly trail: RefusedCallers
  /** `{base_url}/v1` */
  readonly issuer: string
  readonly environment: Environment
  /** The base URL of the other environment. */
  readonly otherBaseUrl: string
}

/** Refuses a key or access token whose scopes do not cover the operation (docs/spec.md §9.6). */
export function requireScope(
  { scope, orScope, keysOnly = false }: Protection,
  options: RequireScopeOptions,
): RequestHandler {
  const { trail, issuer } = options
  const refusals = bearerRefusals(options)
  const refusalOf = scopeCheck({ scope, orScope }, issuer)

  return function requireScope(_req, res, next) {
    const call = callOf(res)
    const caller = callerOf(call)
    if (keysOnly && caller.clientId !== undefined) {
      trail.note(call, 'INVALID_API_KEY')
      return next(refusals(call.endpoint).badKey('Only a key may do this, and no token.'))
    }
    const refusal = refusalOf(caller)
    if (!refusal) return next()
    trail.note(call, 'FORBIDDEN')
    next(refusal)
  }
}

/** Refuses a caller who may call no product (docs/spec.md §9.6). */
export function requireProductScope({
  trail,
  issuer,
}: Pick<RequireScopeOptions, 'trail' | 'issuer'>): RequestHandler {
  // The refusal names no scope in the header, which could only name scopes that are all needed (RFC 6750
  // §3).
  const explain = refusalsFor(
    (who) => `${who} lacks the scope ${productScopes[0]}, or another one of a product.`,
    insufficientScope(issuer),
    productScopes[0] ?? null,
  )

  return function requireProductScope(_req, res, next) {
    const call = callOf(res)
    const caller = callerOf(call)
    if (productScopes.some((scope) => coversScope(caller.scopes, scope))) return next()
    trail.note(call, 'FORBIDDEN')
    next(explain(caller))
  }
}

/** Returns what tells whether the scopes of a caller suffice: null, or the refusal. */
export function scopeCheck(
  { scope, orScope = scope }: Pick<Protection, 'scope' | 'orScope'>,
  issuer: string,
) {
  const explain = explanationOf(scope, issuer)

  return function refusalOf(caller: AccountCaller): ApiError | null {
    const { clientId, scopes } = caller
    const covers = clientId === undefined ? coversTokenScope : coversScope
    if (covers(scopes, scope) || covers(scopes, orScope)) return null
    return explain(caller)
  }
}

/** Completes a subgraph's refusal for a missing scope: message, challenge and audit-trail line. */
export function explainRefusal(
  scope: string,
  { trail, issuer }: Pick<RequireScopeOptions, 'trail' | 'issuer'>,
): ErrorRequestHandler {
  const explain = explanationOf(scope, issuer)

  return function explainRefusal(error, _req, res, next) {
    const isRefused = error instanceof ApiError && error.code === 'FORBIDDEN'
    const call = callOf(res)
    // Steps before the subgraph have already noted their refusals.
    if (!isRefused || error.cause === undefined) return next(error)
    trail.note(call, 'FORBIDDEN')
    next(explain(callerOf(call)))
  }
}

function explanationOf(scope: string, issuer: string) {
  const challenge = `${insufficientScope(issuer)}, scope="${scope}"`
  return refusalsFor((who) => `${who} lacks the scope ${scope}.`, challenge, scope)
}

function insufficientScope(issuer: string): string {
  return `Bearer realm="${issuer}", error="insufficient_scope"`
}

function refusalsFor(messageFor: (who: string) => string, challenge: string, scope: string | null) {
  const logged = { scope }
  const keyLacks = new ApiError('FORBIDDEN', messageFor('This API key'), { logged })
  const roleLacks = new ApiError('FORBIDDEN', messageFor('The role of this session'), { logged })
  const tokenLacks = new ApiError('FORBIDDEN', messageFor('This access token'), {
    logged,
    headers: { 'WWW-Authenticate': challenge },
  })
  return function explain({ clientId, keyId }: AccountCaller): ApiError {
    if (clientId !== undefined) return tokenLacks
    return keyId === null ? roleLacks : keyLacks
  }
}
