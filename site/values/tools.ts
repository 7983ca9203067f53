import { toolsOf } from '../../rest-facade/mcp/tools.ts'
import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import { priceText } from '../../schema/catalog/price-text.ts'
import { code, joined, tableValue, text, type Value } from './value.ts'

/** Every tool of agents, with the scopes of which each is enough. */
export function toolsTable(catalog: Catalog): Value {
  const rows = toolsOf(catalog).map(({ listed, scopes, runs }) => [
    code(listed.name),
    text(listed.title),
    scopes.length > 2
      ? joined([text('any product'), code('account:read')], ' or ')
      : joined(scopes.map(code), ' or '),
    text('operation' in runs ? priceText(runs.operation.price) : 'free'),
  ])
  return tableValue(['Tool', 'What it does', 'Scope', 'Price'], rows)
}
