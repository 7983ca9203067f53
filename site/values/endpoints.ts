import { routes } from '../../rest-facade/routes/index.ts'
import { serviceOf, templateOf } from '../../rest-facade/routes/kinds/route.ts'
import { localRoutes } from '../../rest-facade/routes/local.ts'
import { priceText } from '../../schema/catalog/price-text.ts'
import { absentForAgents, type ServedToAgents } from '../../schema/vocabulary/audiences.ts'
import { coversTokenScope } from '../../schema/vocabulary/scopes.ts'
import { heading, type Section } from '../markup/elements.ts'
import { idOf, plain } from '../markup/plain-text.ts'
import type { DocsOptions } from './docs-options.ts'
import { code, joined, tableValue, text, type Value } from './value.ts'

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
  /** Every key can call it, and a token with one of the scopes, unless it is for keys only. */
  readonly isForAnyKey?: boolean
  readonly isForKeysOnly?: boolean
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
export function allEndpoints({
  catalog: { services },
  ...served
}: Pick<DocsOptions, 'catalog' | keyof ServedToAgents>): readonly Endpoint[] {
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
      isForAnyKey: route.scope !== undefined && coversTokenScope([], route.scope),
      isForKeysOnly: route.keysOnly === true,
      price: 'free',
    }))
  const status = localRoutes.map((route) => ({
    ...{ group: 'Status', method: 'GET', path: templateOf(route) },
    summary: route.listedAs ?? route.summary,
    ...{ scopes: [], price: 'free' },
  }))
  const all = [...products, ...others, ...status]
  const absent = absentForAgents(served).paths
  return all.filter(({ path }) => !absent.includes(path))
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

/** The sections of `endpointTables`. */
export function sectionsOf(endpoints: readonly Endpoint[]): readonly Section[] {
  const groups = new Set(endpoints.map(({ group }) => group))
  return [...groups].map((group) => ({ id: idOf(group), text: plain(group) }))
}

/** Every operation, in one table for each group. */
export function endpointTables(endpoints: readonly Endpoint[]): Value {
  const tables = [...Map.groupBy(endpoints, ({ group }) => group)].map(([group, members]) => {
    const name = text(group)
    const { markdown, markup } = tableOf(members)
    return {
      markdown: `## ${name.markdown}\n\n${markdown}`,
      markup: heading(2, group, name.markup) + markup.markup,
    }
  })
  return {
    markdown: tables.map(({ markdown }) => markdown).join('\n\n'),
    markup: { markup: tables.map(({ markup }) => markup).join('') },
  }
}

function tableOf(endpoints: readonly Endpoint[]): Value {
  const rows = endpoints.map((endpoint) => [
    code(`${endpoint.method} ${endpoint.path}`),
    text(endpoint.summary),
    accessOf(endpoint),
    text(endpoint.price),
  ])
  return tableValue(['Operation', 'What it does', 'Scope', 'Price'], rows)
}

function accessOf({ scopes, isForAnyCaller, isForAnyKey, isForKeysOnly }: Endpoint): Value {
  if (isForAnyCaller) return text('any key or token')
  if (isForAnyKey && isForKeysOnly) return text('any key')
  if (isForAnyKey) return joined([text('any key; a token:'), joined(scopes.map(code), ' or ')], ' ')
  return scopes.length === 0 ? text('public') : joined(scopes.map(code), ' or ')
}
