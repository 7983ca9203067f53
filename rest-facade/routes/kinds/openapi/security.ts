import type { ErrorCode } from '../../../../schema/vocabulary/error-codes.ts'
import {
  coversTokenScope,
  membersScope,
  tokenScopes,
} from '../../../../schema/vocabulary/scopes.ts'
import type { Protection } from '../../../steps/require-scope.ts'
import type { OpenapiPart, SecurityRequirement } from './openapi-part.ts'

/**
 * The scope that a key or token needs, and the one that some answers need besides (see
 * `explainRefusal`).
 */
interface ScopeNeeds extends Protection {
  readonly someNeedScope?: string
}

/** Refusals of every route that asks for a key, a token or a session. */
export const callerRefusals: readonly ErrorCode[] = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_API_KEY',
  'IP_NOT_ALLOWED',
  'FORBIDDEN',
  'ACCOUNT_SUSPENDED',
]

/** An API key with the scope, or an access token where tokens may have that scope. */
export function keyOrToken({
  scope,
  orScope,
  keysOnly,
}: Protection): readonly SecurityRequirement[] {
  if (scope === membersScope) return [{ SessionCookie: [] }]
  const onTokens = keysOnly ? [] : [scope, orScope].filter(isTokenScope)
  return [{ ApiKeyBearer: [] }, ...onTokens.map((name) => ({ OAuth2: [name] }))]
}

/** The part of the OpenAPI document for a route that needs a scope. */
export function scopePart(needs: ScopeNeeds) {
  return {
    security: keyOrToken(needs),
    notes: [scopeText(needs), ...(needs.ownerOnly ? ['Of people, only an OWNER may.'] : [])],
    extensions: {
      'x-scope': needs.scope,
      'x-or-scope': needs.orScope,
      'x-some-need-scope': needs.someNeedScope,
    },
    refusals: callerRefusals,
  } as const satisfies Omit<OpenapiPart, 'success'>
}

function scopeText({ scope, orScope, keysOnly, someNeedScope }: ScopeNeeds): string {
  const isForAnyKey = coversTokenScope([], scope)
  if (isForAnyKey && keysOnly) {
    return 'Any API key will do, whatever its scopes. An access token is refused.'
  }
  if (scope === membersScope) {
    return `Only the session of a person is accepted, whose role has the scope \`${scope}\`.`
  }
  const either = orScope === undefined ? '' : ` or \`${orScope}\``
  if (isForAnyKey)
    return `Any API key will do; an access token needs the scope \`${scope}\`${either}.`
  const more = someNeedScope === undefined ? '' : ` Some answers need \`${someNeedScope}\` besides.`
  const isForTokens = !keysOnly && isTokenScope(scope)
  const tokens = isForTokens ? '' : ' Only an API key is accepted, no access token.'
  return `Needs the scope \`${scope}\`${either}.${more}${tokens}`
}

function isTokenScope(scope: string | undefined): scope is string {
  return scope !== undefined && tokenScopes.includes(scope)
}
