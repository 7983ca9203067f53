import { routes } from '../../rest-facade/routes/index.ts'
import { serviceOf, templateOf } from '../../rest-facade/routes/kinds/route.ts'
import { localRoutes } from '../../rest-facade/routes/local.ts'
import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import { table, verbatim } from './markdown.ts'
import { priceText } from './price-text.ts'

/** One operation of the API, as the lists of the documentation show it. */
export interface Endpoint {
  readonly group: string
  readonly method: string
  /** The path, with {placeholders}. */
  readonly path: string
  readonly summary: string
  /** Any of them is enough. */
  readonly scopes: readonly string[]
  /** The operation needs a key or token, but no scope. */
  readonly isForAnyCaller?: boolean
  readonly price: string
}

const groupNames: Readonly<Record<string, string>> = {
  account: 'Account',
  keys: 'API keys',
  usage: 'Usage and audit',
  billing: 'Billing',
  oauth: 'OAuth and OpenID Connect',
}

/** The products come first, because most readers come for them. */
export function allEndpoints({ services }: Catalog): readonly Endpoint[] {
  const products = services.flatMap(({ name, slug, operations }) =>
    operations.map(({ method, path, summary, scope, price }) => ({
      ...{ group: name, method, summary, scopes: [scope], price: priceText(price) },
      path: `/v1/${slug}${path}`,
    })),
  )
  // Payment providers call the signed routes, not readers of the documentation.
  const others = routes
    .filter(({ kind }) => kind !== 'signed')
    .map((route) => ({
      group: groupNames[serviceOf(route.path)] ?? 'Account',
      method: route.method.toUpperCase(),
      path: templateOf(route),
      summary: route.summary,
      scopes: [route.scope, route.orScope].filter((scope) => scope !== undefined),
      isForAnyCaller: route.kind === 'quote',
      price: 'free',
    }))
  const status = localRoutes.map((route) => ({
    ...{ group: 'Status', method: 'GET', path: templateOf(route) },
    summary: route.listedAs ?? route.summary,
    ...{ scopes: [], price: 'free' },
  }))
  return [...products, ...others, ...status]
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

/** Every operation, in one table for each group. */
export function endpointsMarkdown(endpoints: readonly Endpoint[]): string {
  const groups = Map.groupBy(endpoints, ({ group }) => group)
  return [...groups]
    .map(([group, members]) => `## ${verbatim(group)}\n\n${rowsOf(members)}`)
    .join('\n\n')
}

function rowsOf(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map((endpoint) => [
    `\`${endpoint.method} ${endpoint.path}\``,
    verbatim(endpoint.summary),
    accessText(endpoint),
    endpoint.price,
  ])
  return table(['Operation', 'What it does', 'Scope', 'Price'], rows)
}

function accessText({ scopes, isForAnyCaller }: Endpoint): string {
  if (isForAnyCaller) return 'any key or token'
  return scopes.length === 0 ? 'public' : scopes.map((scope) => `\`${scope}\``).join(' or ')
}
