import type { FieldError } from '../../schema/error-codes.ts'
import { open, seal } from '../../schema/secrets.ts'
import { invalidRequest } from './errors.ts'

export const defaultPageSize = 50
export const maxPageSize = 200

/** A page as the graph shows it. `nextCursor` null is the only sign of the end (spec, pagination 3). */
export interface Page<Item> {
  readonly items: Item[]
  readonly nextCursor: string | null
}

/** Seals positions for one list of one owner, so that a cursor works nowhere else. */
export interface CursorCodec {
  encode(position: string): string
  /** Throws INVALID_REQUEST for a changed cursor, or one of another list, account or environment. */
  decode(cursor: string): string
}

/**
 * Cursors are opaque and authenticated, and bound to the list and its owner but not to filters:
 * the client repeats those (contract §5, spec pagination 4 and 5).
 */
export function cursorCodec(
  key: Uint8Array,
  list: string,
  owner: string,
  place: Pick<FieldError, 'field' | 'in'> = { field: 'cursor', in: 'query' },
): CursorCodec {
  const context = `${list}/${owner}`
  return {
    encode: (position) => seal(key, position, context),
    decode(cursor) {
      const position = open(key, cursor, context)
      if (position !== null) return position
      throw invalidRequest([{ ...place, message: 'is not a cursor of this list' }])
    },
  }
}

/** Cuts a page out of `limit + 1` rows: the extra row only tells that there is more. */
export function toPage<Item>(
  rows: readonly Item[],
  limit: number,
  encodeLast: (item: Item) => string,
): Page<Item> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { items, nextCursor: hasMore ? encodeLast(last) : null }
}
