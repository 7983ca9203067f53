import type { KeyCreateRequest } from 'credit-gateway-sdk'

export type Scope = NonNullable<KeyCreateRequest['scopes']>[number]

interface Area {
  readonly label: string
  readonly scopes: readonly Scope[]
}

const products: readonly Area[] = [
  { label: 'Contacts', scopes: ['contacts:read', 'contacts:write'] },
  { label: 'Promote', scopes: ['promote:read', 'promote:write'] },
  { label: 'SEO', scopes: ['seo:read', 'seo:write'] },
  { label: 'Markets', scopes: ['markets:read', 'markets:write'] },
  { label: 'Campaigns', scopes: ['campaigns:read', 'campaigns:write'] },
  { label: 'Cloud', scopes: ['cloud:read', 'cloud:write'] },
  { label: 'Reviews', scopes: ['reviews:read', 'reviews:write'] },
  { label: 'Who is searching', scopes: ['who-is-searching:read', 'who-is-searching:write'] },
]

/** The scopes of keys, by area, in the order in which people look for them. */
export const areas: readonly Area[] = [
  ...products,
  { label: 'Account', scopes: ['account:read', 'account:write'] },
  { label: 'Billing', scopes: ['billing:read', 'billing:write'] },
  { label: 'Usage', scopes: ['usage:read'] },
  { label: 'Audit', scopes: ['audit:read', 'audit:write'] },
  { label: 'API keys', scopes: ['keys:read', 'keys:write'] },
  { label: 'OAuth', scopes: ['oauth:read', 'oauth:write', 'oauth:consent'] },
  { label: 'Webhooks', scopes: ['webhooks:read', 'webhooks:write'] },
]

/** What a key needs to call all products. */
export const productScopes: readonly Scope[] = products.flatMap(({ scopes }) => scopes)

export const everyScope: Scope = '*'

/** The last part of a scope: the permitted action. */
export function verbOf(scope: Scope): string {
  return scope.replace(/^.*:/, '')
}
