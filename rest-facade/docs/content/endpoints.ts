import type { Catalog } from '../../catalog/load-catalog.ts'
import { serviceOf, templateOf } from '../../route-kinds/route.ts'
import { routes } from '../../routes/index.ts'
import { table, verbatim } from './markdown.ts'
import { priceText } from './price-text.ts'

/** One operation of the API, as lists of them show it. */
export interface Endpoint {
  readonly group: string
  readonly method: string
  /** With {placeholders}. */
  readonly path: string
  readonly summary: string
  /** Any of them is sufficient. An empty list means public. */
  readonly scopes: readonly string[]
  readonly price: string
}

const groupNames: Readonly<Record<string, string>> = {
  account: 'Account',
  keys: 'API keys',
  usage: 'Usage and audit',
  billing: 'Billing',
  oauth: 'OAuth and OpenID Connect',
}

const open = { group: 'Status', method: 'GET', scopes: [], price: 'free' }

const statusEndpoints: readonly Endpoint[] = [
  { ...open, path: '/v1/health', summary: 'Whether the gateway lives, and how the products are' },
  { ...open, path: '/v1/ready', summary: 'Whether it can serve requests' },
  { ...open, path: '/v1/openapi.json', summary: 'This API as OpenAPI 3.1' },
]

/** Products come first, because most readers look for them. */
export function allEndpoints({ services }: Catalog): readonly Endpoint[] {
  const products = services.flatMap(({ name, slug, operations }) =>
    operations.map(({ method, path, summary, scope, price }) => ({
      ...{ group: name, method, summary, scopes: [scope], price: priceText(price) },
      path: `/v1/${slug}${path}`,
    })),
  )
  const others = routes
    .filter(({ isSigned }) => !isSigned)
    .map((route) => ({
      group: groupNames[serviceOf(route.path)] ?? 'Account',
      method: route.method.toUpperCase(),
      path: templateOf(route),
      summary: route.summary,
      scopes: [route.scope, route.orScope].filter((scope) => scope !== undefined),
      price: 'free',
    }))
  return [...products, ...others, ...statusEndpoints]
}

export function endpointsByScope(endpoints: readonly Endpoint[]) {
  const byScope = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) {
    for (const scope of endpoint.scopes) {
      byScope.set(scope, [...(byScope.get(scope) ?? []), endpoint])
    }
  }
  return byScope
}

/** Every operation in a table for each group. */
export function endpointsMarkdown(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints, ({ group }) => group)
  return [...groups]
    .map(([group, members]) => `## ${verbatim(group)}\n\n${rowsOf(members)}`)
    .join('\n\n')
}

function rowsOf(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map(({ method, path, summary, scopes, price }) => [
    `\`${method} ${path}\``,
    verbatim(summary),
    scopes.length === 0 ? 'public' : scopes.map((scope) => `\`${scope}\``).join(' or '),
    price,
  ])
  return table(['Operation', 'What it does', 'Scope', 'Price'], rows)
}
