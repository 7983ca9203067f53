import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import { expressPath } from '../../steps/dispatch/mount.ts'
import { createRowFinder } from '../../steps/dispatch/row-finder.ts'

/** A product operation, and the values of the placeholders in its path. */
interface FoundProduct {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
}

/** Finds the product operation that would answer a request, as the listener finds it; null: none. */
export function createProductFinder({ services }: Catalog) {
  const finder = createRowFinder<Operation>()
  for (const { slug, operations } of services) {
    for (const operation of operations) {
      finder.add(operation.method, `/v1/${slug}${expressPath(operation.path)}`, operation)
    }
  }

  return function findProduct(method: string, path: string): FoundProduct | null {
    const found = finder.match(method, path)
    const params = found && decodeAll(found.params)
    return params && { operation: found.value, params }
  }
}

/**
 * The decoded placeholders of a path. Null: Express could not decode them either, so nothing is at
 * this path.
 */
function decodeAll(params: Readonly<Record<string, string>>) {
  try {
    const pairs = Object.entries(params)
    return Object.fromEntries(pairs.map(([name, text]) => [name, decodeURIComponent(text)]))
  } catch {
    return null
  }
}
