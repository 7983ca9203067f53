/** The product services, by slug (contract §7). */
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

/** What an API key can be allowed to do (contract §4); `*` is all of it. */
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

/** Whether a holder of `held` may do what needs `needed`. */
export function coversScope(held: readonly string[], needed: string): boolean {
  return held.includes(everyScope) || held.includes(needed)
}
