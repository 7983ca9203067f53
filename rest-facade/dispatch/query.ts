import { type ParsedUrlQuery, parse } from 'node:querystring'

/** Reads the query of an address: all of it, because what is there twice must not go unseen. */
export function parseQuery(query: string): ParsedUrlQuery {
  // The limit of headers bounds it.
  return parse(query, '&', '=', { maxKeys: 0 })
}
