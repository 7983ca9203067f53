import { type ParsedUrlQuery, parse } from 'node:querystring'
import { noteUnreadable } from '../../../schema/vocabulary/unreadable.ts'
import { percentProblems } from '../../http/unicode/percent-encoding.ts'

/** Reads the whole query of an address, because repeated parameters must not go unseen. */
export function parseQuery(text: string): ParsedUrlQuery {
  // Express passes on null for an address without a query, which most calls have.
  if (!text) return Object.create(null)
  // The limit of headers bounds it.
  const query = parse(text, '&', '=', { maxKeys: 0 })
  noteUnreadable(query, percentProblems(text, 'query'))
  return query
}
