/** The product services, by slug (docs/contract.md §7). */
export const serviceSlugs = [
  'contacts',
  'promote',
  'seo',
  'markets',
  'campaigns',
  'cloud',
  'reviews',
  'who-is-searching',
] as const
export type ServiceSlug = (typeof serviceSlugs)[number]

/** The scopes of product operations. */
export const productScopes: readonly string[] = serviceSlugs.flatMap((slug) => [
  `${slug}:read`,
  `${slug}:write`,
])

/** The scopes of an API key (docs/contract.md §4); `*` covers all of them, and no more. */
export const scopes: readonly string[] = [
  'account:read',
  'account:write',
  'billing:read',
  'billing:write',
  'usage:read',
  'audit:read',
  'audit:write',
  'keys:read',
  'keys:write',
  'oauth:read',
  'oauth:write',
  'oauth:consent',
  'webhooks:read',
  'webhooks:write',
  'members:read',
  ...productScopes,
]

/** The scope to invite and remove people. Only a role has it: no key and no token does. */
export const membersScope = 'members:write'

export const everyScope = '*'

/**
 * Scopes for the account holder's identity and for refresh tokens (OpenID Connect Core §5.4, §11).
 */
const identityScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/**
 * Access tokens may read and call products, but never manage keys, OAuth or the sandbox
 * (docs/contract.md §4).
 */
export const tokenScopes: readonly string[] = [
  ...identityScopes,
  'account:read',
  'billing:read',
  'usage:read',
  'audit:read',
  'webhooks:read',
  ...productScopes,
]

/** The scopes that are of use at `/mcp`: what an agent is told to ask for. */
export const mcpScopes: readonly string[] = [
  ...productScopes,
  'account:read',
  'usage:read',
  'openid',
]

/**
 * The most that an app may have which nobody registered by hand: it calls the tools of agents and reads what they cost
 * (docs/oauth-rules.md 130).
 */
export const agentScopes: readonly string[] = [...mcpScopes, 'offline_access']

/** Whether the scopes `held` cover the scope `needed`. */
export function coversScope(held: readonly string[], needed: string): boolean {
  return held.includes(needed) || (held.includes(everyScope) && needed !== membersScope)
}

/** What a key can be given of the scopes `held`. */
export function scopesForKey(held: readonly string[]): string[] {
  return held.filter((scope) => scope !== membersScope)
}

/**
 * Whether a key with the scopes `held` may grant `scope` to an app. Every key may grant identity
 * scopes.
 */
export function coversTokenScope(held: readonly string[], scope: string): boolean {
  return identityScopes.includes(scope) || coversScope(held, scope)
}
