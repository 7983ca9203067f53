import type { RequestHandler } from 'express'
import { methodNotAllowed } from '../../http/unknown-route.ts'
import { createPathFinder } from './path-finder.ts'
import { inOrder, type NoteLateFailure, type Step } from './steps.ts'

/** One method of one path, with all that answers it. */
export interface Row {
  readonly method: string
  /** Below /v1, as Express writes it. */
  readonly path: string
  /** Whether the path is not below /v1. */
  readonly isRooted?: boolean
  readonly handlers: readonly Step[]
  /** A charged answer without its body would be paid for and not delivered. */
  readonly refusesHead?: boolean
}

/** All rows of one path. */
interface Route {
  readonly byMethod: ReadonlyMap<string, RequestHandler>
  readonly refuse: RequestHandler
}

/**
 * Answers every request on the path of a row, a method without a row with 405, and passes on all
 * others. A path that cannot be decoded is passed on as an error.
 */
export function mount(rows: readonly Row[], noteLate: NoteLateFailure): RequestHandler {
  const finder = createPathFinder<Route>()
  for (const [path, methods] of Map.groupBy(rows, fullPathOf)) {
    finder.add(path, routeOf(methods, noteLate))
  }

  return function answerRow(req, res, next) {
    const found = finder.find(req.path)
    if (!found) return next()
    const { byMethod, refuse } = found.value
    req.params = found.params
    return (byMethod.get(req.method) ?? refuse)(req, res, next)
  }
}

function fullPathOf({ path, isRooted }: Row): string {
  return isRooted ? path : `/v1${path}`
}

function routeOf(rows: readonly Row[], noteLate: NoteLateFailure): Route {
  const byMethod = new Map(
    rows.map((row) => [row.method.toUpperCase(), inOrder(row.handlers, noteLate)]),
  )
  const headed = rows.find((row) => row.method.toUpperCase() === 'GET' && !row.refusesHead)
  if (headed) byMethod.set('HEAD', inOrder(headed.handlers, noteLate))
  return { byMethod, refuse: methodNotAllowed([...byMethod.keys()]) }
}

/** `/things/{thing_id}` as Express writes it. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, ':$1')
}
