import { type ParsedUrlQuery, parse } from 'node:querystring'

/** Reads the whole query of an address, because repeated parameters must not go unseen. */
export function parseQuery(query: string): ParsedUrlQuery {
  // The limit of headers bounds it.
  return parse(query, '&', '=', { maxKeys: 0 })
}
