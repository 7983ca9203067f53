import type { GraphContext } from './context.ts'
import { invalidRequest } from './errors.ts'
import {
  type Connection,
  type ConnectionRequest,
  type PagedList,
  readConnection,
} from './pagination.ts'

/** Of all accounts that one document shows. */
const maxRows = 20_000

interface Reading {
  rows: number
  last: Promise<unknown>
}

const readings = new WeakMap<GraphContext, Reading>()

/**
 * Reads details one after the other: a document that shows many accounts takes one connection, and leaves
 * the others to those who pay. Throws INVALID_REQUEST for more rows than a document may ask for.
 */
export function inTurn<Result>(
  context: GraphContext,
  rows: number,
  read: () => Promise<Result>,
): Promise<Result> {
  const reading = readings.get(context) ?? { rows: 0, last: Promise.resolve() }
  readings.set(context, reading)
  reading.rows += rows
  if (reading.rows > maxRows) {
    const message = `must leave all lists together at most ${maxRows} rows`
    throw invalidRequest([{ field: 'first', in: 'body', message }])
  }
  const turn = reading.last.then(read)
  // Whoever asked for it is told; the next has its turn.
  reading.last = turn.catch(() => {})
  return turn
}

/** The same of a page. */
export function listInTurn<Node>(
  context: GraphContext,
  list: PagedList<Node>,
  page: ConnectionRequest,
): Promise<Connection<Node>> {
  // A page that is none or too large is refused in its turn.
  const rows = Math.max(page.first, 1)
  return inTurn(context, rows, () => readConnection(context, list, page))
}
