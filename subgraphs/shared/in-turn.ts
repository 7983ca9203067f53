import type { GraphContext } from './context.ts'
import {
  type Connection,
  type ConnectionRequest,
  type PagedList,
  readConnection,
} from './pagination.ts'

const lastReadings = new WeakMap<GraphContext, Promise<unknown>>()

/**
 * Reads details one after the other: a document that shows many accounts takes one connection, and leaves
 * the others to those who pay. How many rows it may ask for is decided before it comes here.
 */
export function inTurn<Result>(
  context: GraphContext,
  read: () => Promise<Result>,
): Promise<Result> {
  const last = lastReadings.get(context) ?? Promise.resolve()
  const turn = last.then(read)
  // Whoever asked for it is told; the next has its turn.
  lastReadings.set(
    context,
    turn.catch(() => {}),
  )
  return turn
}

/** The same of a page. */
export function listInTurn<Node>(
  context: GraphContext,
  list: PagedList<Node>,
  page: ConnectionRequest,
): Promise<Connection<Node>> {
  return inTurn(context, () => readConnection(context, list, page))
}
