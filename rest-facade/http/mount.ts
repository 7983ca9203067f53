import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { methodNotAllowed } from './unknown-route.ts'

/** One method of one path, with all that answers it. */
export interface Row {
  readonly method: string
  /** Below /v1, as Express writes it. */
  readonly path: string
  /** The path is not below /v1. */
  readonly isRooted?: boolean
  readonly handlers: readonly (RequestHandler | ErrorRequestHandler)[]
  /** A charged answer without its body would be paid for and not delivered. */
  readonly refusesHead?: boolean
}

/**
 * A router of all rows; another method on a known path is answered with 405. A route answers its own
 * failures: Express would first look for a handler behind every route that comes after it.
 */
export function mount(rows: readonly Row[], answerFailure: ErrorRequestHandler): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const byPath = Map.groupBy(rows, ({ path }) => path)
  for (const [path, methods] of [...byPath].sort(fixedFirst)) {
    const isRooted = methods.some((row) => row.isRooted)
    const route = router.route(isRooted ? path : `/v1${path}`)
    const allowed = methods.map(({ method }) => method.toUpperCase())
    const hasHead = methods.some(
      ({ method, refusesHead }) => verb(method) === 'get' && !refusesHead,
    )
    const refuse = methodNotAllowed(hasHead ? [...allowed, 'HEAD'] : allowed)
    if (!hasHead) route.head(refuse)
    for (const { method, handlers } of methods) {
      route[verb(method)](...handlers, answerFailure)
    }
    route.all(refuse)
  }
  return router
}

/** `/things/{thing_id}` as Express writes it. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1')
}

/** A fixed path comes before one whose placeholder would match it. */
function fixedFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  const sortKey = (path: string) => path.replaceAll(':', '\uffff')
  return sortKey(a) < sortKey(b) ? -1 : 1
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

function verb(method: string): (typeof verbs)[number] {
  const found = verbs.find((name) => name === method.toLowerCase())
  if (!found) throw new Error(`${method} is not a method of this API.`)
  return found
}
