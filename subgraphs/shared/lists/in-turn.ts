import { LRUCache } from 'lru-cache'
import type { GraphContext } from '../graph/context.ts'
import { invalidRequest } from '../graph/errors.ts'
import {
  type Connection,
  type ConnectionRequest,
  maxPageSize,
  type PagedList,
  readConnection,
} from './pagination.ts'

/**
 * Of all that one document shows, as far as one process reads it. What can be counted before, the
 * supergraph has counted; here is seen what was really there, and who else would have a subgraph read more.
 */
const maxRows = 20_000

/** So many documents are told apart at a time, each for longer than it takes to answer one. */
const maxDocuments = 1000
const documentTtlMs = 60_000

interface Reading {
  rows: number
  last: Promise<unknown>
}

/**
 * By the request that brought the document, which comes along with the caller also from other processes:
 * for one document a subgraph may be asked many times.
 */
const readings = new LRUCache<string, Reading>({ max: maxDocuments, ttl: documentTtlMs })

/**
 * Reads details one after the other: a document that shows many accounts takes one connection, and leaves
 * the others to those who pay. Throws INVALID_REQUEST for more rows than a document may ask for; of what
 * tells its rows only once it is read, nothing more is read when these were too many.
 */
export function inTurn<Result>(
  { caller }: GraphContext,
  read: () => Promise<Result>,
  rows: number | ((result: Result) => number) = 1,
): Promise<Result> {
  const reading = readings.get(caller.requestId) ?? { rows: 0, last: Promise.resolve() }
  readings.set(caller.requestId, reading)
  if (typeof rows === 'number') reading.rows += rows
  requireFewRows(reading)
  const turn = reading.last.then(async () => {
    requireFewRows(reading)
    const result = await read()
    if (typeof rows === 'function') reading.rows += rows(result)
    return result
  })
  // Whoever asked for it is told; the next has its turn.
  reading.last = turn.catch(() => {})
  return turn
}

function requireFewRows({ rows }: Reading): void {
  if (rows <= maxRows) return
  const message = `must leave all lists together at most ${maxRows} rows`
  throw invalidRequest([{ field: 'first', in: 'body', message }])
}

/** The same of a page. */
export function listInTurn<Node>(
  context: GraphContext,
  list: PagedList<Node>,
  page: ConnectionRequest,
): Promise<Connection<Node>> {
  // A page that is none or too large is refused in its turn.
  const rows = Math.min(Math.max(page.first, 1), maxPageSize)
  return inTurn(context, () => readConnection(context, list, page), rows)
}
