import { cut } from '../../../../schema/vocabulary/field-problems.ts'
import { everyScope, scopes, tokenScopes } from '../../../../schema/vocabulary/scopes.ts'
import { type Check, problem } from './check.ts'

/** `scope-token *( SP scope-token )` (RFC 6749 §3.3). */
const grammar = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

const known = new Set([everyScope, ...scopes, ...tokenScopes])

/**
 * Known scopes must be registered for the app; unknown ones are ignored, unless all are unknown
 * (docs/oauth-rules.md 34).
 */
export const checkScope: Check = ({ scope }, client) => {
  if (scope === null) return []
  if (!isScopeText(scope)) {
    return problem('scope', 'must be scopes with single spaces between them', 'invalid_scope')
  }
  const wanted = scopesOf(scope)
  const foreign = client
    ? wanted.filter((name) => known.has(name) && !client.scopes.includes(name))
    : []
  if (foreign.length > 0) {
    return problem('scope', `this app may not have ${cut(foreign.join(' '))}`, 'invalid_scope')
  }
  return wanted.some((name) => known.has(name))
    ? []
    : problem('scope', 'names no scope that is known', 'invalid_scope')
}

/**
 * A screen may show a request without scopes; an approval needs at least one (docs/oauth-rules.md
 * 42).
 */
export const checkScopeIsThere: Check = ({ scope }) =>
  scope === null ? problem('scope', 'is required', 'invalid_scope') : []

export function isScopeText(scope: string): boolean {
  return grammar.test(scope)
}

/** The scopes of a text, without repetitions, in the order of the request. */
export function scopesOf(scope: string | null): readonly string[] {
  return scope === null ? [] : [...new Set(scope.split(' '))]
}

export function isKnownScope(scope: string): boolean {
  return known.has(scope)
}
