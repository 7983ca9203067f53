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

/** What an API key can be allowed to do (docs/contract.md §4); `*` is all of it. */
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
  ...serviceSlugs.flatMap((slug) => [`${slug}:read`, `${slug}:write`]),
]

export const everyScope = '*'

/** What identifies the account holder to an app, and has a refresh token issued (OpenID Connect Core §5.4, §11). */
const identityScopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

/** Of access tokens: reading, and the product services; never keys, OAuth or the sandbox (docs/contract.md §4). */
export const tokenScopes: readonly string[] = [
  ...identityScopes,
  'account:read',
  'billing:read',
  'usage:read',
  'audit:read',
  'webhooks:read',
  ...serviceSlugs.flatMap((slug) => [`${slug}:read`, `${slug}:write`]),
]

/** Whether a holder of `held` may do what needs `needed`. */
export function coversScope(held: readonly string[], needed: string): boolean {
  return held.includes(everyScope) || held.includes(needed)
}

/** Whether a key with the scopes `held` may let an app have `scope`: who somebody is, every key may say. */
export function coversTokenScope(held: readonly string[], scope: string): boolean {
  return identityScopes.includes(scope) || coversScope(held, scope)
}
