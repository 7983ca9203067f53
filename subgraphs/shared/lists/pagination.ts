import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { open, seal } from '../../../schema/credentials/secrets.ts'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { requireAll } from '../graph/checks.ts'
import { invalidRequest } from '../graph/errors.ts'

export const defaultPageSize = 50
export const maxPageSize = 200

/** A page as the graph shows it. `nextCursor` null is the only sign of the end (docs/spec.md §7.3). */
export interface Page<Item> {
  readonly items: Item[]
  readonly nextCursor: string | null
}

/** Seals positions in one list of one owner, so that a cursor works nowhere else. */
export interface CursorCodec {
  encode(position: string): string
  /**
   * Throws INVALID_REQUEST for a changed cursor, or for a cursor of another list, account or
   * environment.
   */
  decode(cursor: string): string
}

/**
 * Cursors are opaque and authenticated, and bound to the list and its owner but not to filters:
 * the client repeats those (docs/contract.md §5; docs/spec.md §7.4 and §7.5).
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

/** Cuts a page out of `limit + 1` rows: the extra row only shows that there are more. */
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

/** Rows of a list, newest first: at most `limit`, and only those that follow the position `before`. */
export interface ListOptions {
  readonly limit: number
  readonly before: string | null
}

/** A list that is read in pages. */
export interface PagedList<Item> {
  /** Cursors of this name work here and nowhere else. */
  readonly name: string
  /** The owner of the list; null for a list that belongs to no account. */
  readonly owner: AccountScope | null
  readonly read: (options: ListOptions) => Promise<Item[]>
  /** The position by which the list is ordered, newest first. */
  readonly positionOf: (item: Item) => string
}

interface PageRequest {
  readonly limit: number
  readonly cursor?: string | null
}

/**
 * Reads one page, as an account holder sees it. Throws INVALID_REQUEST for a cursor that is not of this list.
 */
export async function readPage<Item>(
  { cursorKey }: { readonly cursorKey: Uint8Array },
  { name, owner, read, positionOf }: PagedList<Item>,
  { limit, cursor }: PageRequest,
  place?: Pick<FieldError, 'field' | 'in'>,
): Promise<Page<Item>> {
  const ownerName = owner ? `${owner.accountId}/${owner.environment}` : 'everybody'
  const cursors = cursorCodec(cursorKey, name, ownerName, place)
  const before = cursor ? cursors.decode(cursor) : null
  const rows = await read({ limit: limit + 1, before })
  return toPage(rows, limit, (item) => cursors.encode(positionOf(item)))
}

/** A page as internal tools see it. */
export interface Connection<Node> {
  readonly nodes: Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The arguments of a page for internal tools. */
export interface ConnectionRequest {
  readonly first: number
  readonly after?: string | null
}

/** Reads a page for internal tools. Throws INVALID_REQUEST also for a page size out of bounds. */
export async function readConnection<Node>(
  context: { readonly cursorKey: Uint8Array },
  list: PagedList<Node>,
  { first, after }: ConnectionRequest,
): Promise<Connection<Node>> {
  requirePageSize(first)
  const place = { field: 'after', in: 'body' } as const
  const page = await readPage(context, list, { limit: first, cursor: after }, place)
  const pageInfo = { hasNextPage: page.nextCursor !== null, endCursor: page.nextCursor }
  return { nodes: page.items, pageInfo }
}

/** Throws INVALID_REQUEST for a page size out of bounds. */
export function requirePageSize(first: number): void {
  requireAll([['first', first >= 1 && first <= maxPageSize, `must be 1 to ${maxPageSize}`]])
}
