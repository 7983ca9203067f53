import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '../../../rest-facade/routes/index.ts'
import { takesIdempotencyKey, templateOf } from '../../../rest-facade/routes/kinds/route.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import type { Break } from '../report/finding.ts'

/** The callers of persisted operations. */
export interface Callers {
  /** Operation → routes, such as `GET /v1/account`. */
  readonly routes: ReadonlyMap<string, readonly string[]>
  /**
   * Operation → files of the gateway that execute it for itself: to authenticate, to settle, by a
   * job.
   */
  readonly gateway: ReadonlyMap<string, readonly string[]>
}

/** Operations with all that executes them. */
export function breaksOf({ routes, gateway }: Callers, operations: Iterable<string>): Break[] {
  return [...operations].sort().map((operation) => ({
    operation,
    routes: routes.get(operation) ?? [],
    gateway: gateway.get(operation) ?? [],
  }))
}

/** The operations that the queues of the ledger execute for a call that costs credits or has an idempotency key. */
export const holdOperations: readonly string[] = ['ReserveBatch', 'ReserveApart', 'SettleBatch']

/** Reads who executes an operation: the route table, the catalog, and the source files below `root`. */
export function readCallers(root: string, operations: readonly string[]): Callers {
  const rows = routes.map((route) => ({
    route: `${route.method.toUpperCase()} ${templateOf(route)}`,
    operations: [route.operation, ...(takesIdempotencyKey(route) ? holdOperations : [])],
  }))
  const products = loadCatalog().services.flatMap(({ slug, operations: rows }) =>
    rows.map(({ method, path }) => ({
      route: `${method} /v1/${slug}${path}`,
      operations: holdOperations,
    })),
  )
  return {
    routes: invert([...products, ...rows].map(({ route, operations: all }) => [route, all])),
    gateway: invert(namedInSource(root, new Set(operations))),
  }
}

/** The files of the facade and of the program that name an operation, but for the route table. */
function namedInSource(
  root: string,
  operations: ReadonlySet<string>,
): (readonly [string, readonly string[]])[] {
  const files = ['rest-facade', 'gateway'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => !/^rest-facade\/routes\/(?!kinds\/)/.test(file))
      .sort(),
  )
  return files.map((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const literals = [...source.matchAll(/'([A-Z][A-Za-z]+)'/g)].map(([, literal = '']) => literal)
    const named = new Set(literals.filter((literal) => operations.has(literal)))
    return [file, [...named]]
  })
}

function invert(
  pairs: readonly (readonly [string, readonly string[]])[],
): ReadonlyMap<string, readonly string[]> {
  const callers = new Map<string, string[]>()
  for (const [caller, operations] of pairs) {
    for (const operation of operations) {
      callers.set(operation, [...(callers.get(operation) ?? []), caller])
    }
  }
  return callers
}
