import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { methodNotAllowed } from '../../http/unknown-route.ts'
import { createRowFinder } from './row-finder.ts'
import { inOrder, type NoteLateFailure, type Step } from './steps.ts'

/** One method of one path, with all that answers it. */
export interface Row {
  readonly method: string
  /** Below /v1, as Express writes it. */
  readonly path: string
  /** The path is not below /v1. */
  readonly isRooted?: boolean
  readonly handlers: readonly Step[]
  /** A charged answer without its body would be paid for and not delivered. */
  readonly refusesHead?: boolean
}

/** All rows, in two forms that answer the same. */
interface Mounted {
  /** Answers requests whose row is known at once, and passes on all others. */
  readonly fastLane: RequestHandler
  /** Answers every request on a known path; another method is answered with 405. */
  readonly router: Router
}

/**
 * A route answers its own failures: Express would first look for a handler behind every route that
 * comes after it.
 */
export function mount(
  rows: readonly Row[],
  answerFailure: ErrorRequestHandler,
  noteLate: NoteLateFailure,
): Mounted {
  const router = Router({ caseSensitive: true, strict: true })
  const finder = createRowFinder<RequestHandler>()
  const byPath = Map.groupBy(rows, ({ path }) => path)
  for (const [path, methods] of [...byPath].sort(fixedFirst)) {
    const isRooted = methods.some((row) => row.isRooted)
    const fullPath = isRooted ? path : `/v1${path}`
    const route = router.route(fullPath)
    const allowed = methods.map(({ method }) => method.toUpperCase())
    const hasHead = methods.some(
      ({ method, refusesHead }) => verb(method) === 'get' && !refusesHead,
    )
    const refuse = methodNotAllowed(hasHead ? [...allowed, 'HEAD'] : allowed)
    if (!hasHead) route.head(refuse)
    for (const { method, handlers } of methods) {
      const handler = inOrder([...handlers, answerFailure], noteLate)
      route[verb(method)](handler)
      finder.add(method.toUpperCase(), fullPath, handler)
    }
    route.all(refuse)
  }
  const fastLane: RequestHandler = function fastLane(req, res, next) {
    const found = finder.find(req.method, req.path)
    if (!found) return next()
    req.params = found.params
    return found.value(req, res, next)
  }
  return { fastLane, router }
}

/** `/things/{thing_id}` as Express writes it. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1')
}

/** A path comes before one whose placeholder would match it: `things/new` and `:id.pdf` before `:id`. */
function fixedFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  const sortKey = (path: string) =>
    path.replaceAll(':', '\uffff').replaceAll(/\uffff[a-z_]+(?=\.)/g, '\ufffe')
  return sortKey(a) < sortKey(b) ? -1 : 1
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

function verb(method: string): (typeof verbs)[number] {
  const found = verbs.find((name) => name === method.toLowerCase())
  if (!found) throw new Error(`${method} is not a method of this API.`)
  return found
}
