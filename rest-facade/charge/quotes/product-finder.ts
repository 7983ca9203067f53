import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import { expressPath } from '../../steps/dispatch/mount.ts'
import { createPathFinder } from '../../steps/dispatch/path-finder.ts'

/** A product operation, and the values of the placeholders in its path. */
interface FoundProduct {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
}

/** Finds the product operation that would answer a request, as the listener finds it; null: none. */
export function createProductFinder({ services }: Catalog) {
  const finder = createPathFinder<readonly Operation[]>()
  for (const { slug, operations } of services) {
    for (const [path, methods] of Map.groupBy(operations, (operation) => operation.path)) {
      finder.add(`/v1/${slug}${expressPath(path)}`, methods)
    }
  }

  return function findProduct(method: string, path: string): FoundProduct | null {
    const found = findDecoded(path)
    const operation = found?.value.find((one) => one.method === method)
    return found && operation ? { operation, params: found.params } : null
  }

  function findDecoded(path: string) {
    try {
      return finder.find(path)
    } catch {
      // The listener cannot decode this path either, so nothing is there.
      return null
    }
  }
}
