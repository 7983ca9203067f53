import { LRUCache } from 'lru-cache'
import { atMost } from '../../../schema/process/at-most.ts'
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
 * The rows that one process may read for one document. The supergraph counts in advance where it
 * can; this counts the rows that were read, also for calls that bypass the supergraph's estimate.
 */
const maxRows = 20_000

/** The rows of so many documents are counted at a time, each for longer than its answer takes. */
const maxDocuments = 1000
const documentTtlMs = 60_000

interface Reading {
  rows: number
  last: Promise<unknown>
}

/**
 * The counted rows by the id of the request that carried the document; other processes send this id
 * with the caller. A subgraph may be asked many times for one document.
 */
const readings = new LRUCache<string, Reading>({ ...atMost(maxDocuments), ttl: documentTtlMs })

/**
 * Reads details sequentially: a document of internal tools with many accounts takes one connection,
 * and leaves the others to paying callers. Throws INVALID_REQUEST for more rows than a document may
 * ask for. Where the number of rows is known only after a read, the reads after the limit are
 * refused.
 */
export function sequentially<Result>(
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
  // The caller of this read gets its error; the next read goes on.
  reading.last = turn.catch(() => {})
  return turn
}

function requireFewRows({ rows }: Reading): void {
  if (rows <= maxRows) return
  const message = `must leave all lists together at most ${maxRows} rows`
  throw invalidRequest([{ field: 'first', in: 'body', message }])
}

/** Reads a page of a list in the turn of its document. */
export function listSequentially<Node>(
  context: GraphContext,
  list: PagedList<Node>,
  page: ConnectionRequest,
): Promise<Connection<Node>> {
  // An empty or too large page is refused when it is read.
  const rows = Math.min(Math.max(page.first, 1), maxPageSize)
  return sequentially(context, () => readConnection(context, list, page), rows)
}
