import type { KeyCreateRequest } from 'credit-gateway-sdk'
import { serviceNames } from '../../../../schema/vocabulary/service-names.ts'

export type Scope = NonNullable<KeyCreateRequest['scopes']>[number]

interface Area {
  readonly label: string
  readonly scopes: readonly Scope[]
}

/** In the order in which people look for them. */
const productSlugs = [
  ...(['contacts', 'promote', 'seo', 'markets', 'campaigns', 'cloud', 'reviews'] as const),
  'who-is-searching',
] as const

const products: readonly Area[] = productSlugs.map((slug) => ({
  label: serviceNames[slug],
  scopes: [`${slug}:read`, `${slug}:write`],
}))

const management: readonly Area[] = [
  { label: 'Account', scopes: ['account:read', 'account:write'] },
  { label: 'Billing', scopes: ['billing:read', 'billing:write'] },
  { label: 'Usage', scopes: ['usage:read'] },
  { label: 'Audit', scopes: ['audit:read', 'audit:write'] },
  { label: 'API keys', scopes: ['keys:read', 'keys:write'] },
  { label: 'OAuth', scopes: ['oauth:read', 'oauth:write', 'oauth:consent'] },
  { label: 'Webhooks', scopes: ['webhooks:read', 'webhooks:write'] },
  { label: 'Members', scopes: ['members:read'] },
]

/** The scopes of keys, in the order in which people look for them. */
export const areaGroups: readonly { readonly label: string; readonly areas: readonly Area[] }[] = [
  { label: 'Products', areas: products },
  { label: 'Your account', areas: management },
]

/** What a key needs to call all products. */
export const productScopes: readonly Scope[] = products.flatMap(({ scopes }) => scopes)

export const everyScope: Scope = '*'

interface Purpose {
  readonly label: string
  readonly note: string
  readonly scopes: readonly Scope[]
}

/** What most keys are for. The first is that of a new key. */
export const purposes: readonly Purpose[] = [
  {
    label: 'Call products',
    note: 'Calls every product. Reads and changes nothing in your account.',
    scopes: productScopes,
  },
  {
    label: 'Read dashboards',
    note: 'Reads usage, credits, invoices, keys and settings. Spends nothing and changes nothing.',
    scopes: management
      .flatMap(({ scopes }) => scopes)
      // A dashboard needs nobody's address.
      .filter((scope) => verbOf(scope) === 'read' && scope !== 'members:read'),
  },
  {
    label: 'Everything',
    note: 'Can do all that you can, also what is added later. Keep it on your own machines.',
    scopes: [everyScope],
  },
]

/** The scopes of a purpose that the session can give; none: it cannot make such a key. */
export function scopesFor({ scopes }: Purpose, can: (scope: Scope) => boolean): readonly Scope[] {
  return scopes.filter(can)
}

/** The last part of a scope: the permitted action. */
export function verbOf(scope: Scope): string {
  return scope.replace(/^.*:/, '')
}
