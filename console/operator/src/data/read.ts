import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Page, Read, ReadPage } from '../../../src/data/read.ts'
import { useFilters } from '../../../src/data/search.ts'
import { isOutage } from '../../../src/outage.ts'
import { ask, type Body, type Name, type Variables } from '../api.ts'

const everyMs = 5000

interface AskedOptions {
  /** Whether the query is repeated periodically while the page is open. */
  readonly isLive?: boolean
  readonly isEnabled?: boolean
}

/** Reads by one operation. The key of what is read is the operation with its variables. */
export function useAsked<One extends Name>(
  operation: One,
  variables: Variables<One>,
  options: AskedOptions = {},
): Read<Body<One>> {
  // What is shown of one account must not stay for another one.
  return useAskedAs(operation, variables, (body) => body, { ...options, keepsPrevious: false })
}

function useAskedAs<One extends Name, Data>(
  operation: One,
  variables: Variables<One>,
  pick: (body: Body<One>) => Data,
  { isLive = false, isEnabled = true, keepsPrevious }: AskedOptions & { keepsPrevious: boolean },
): Read<Data> {
  const query = useQuery({
    queryKey: [operation, variables],
    queryFn: ({ signal }) => ask(operation, variables, { signal }),
    select: pick,
    enabled: isEnabled,
    refetchInterval: ({ state }) => (isLive || isOutage(state.error) ? everyMs : false),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })
  return { ...query, missing: null } as Read<Data>
}

/** A page of the graph. A node is null if one subgraph knows it and another does not. */
interface Connection<Item> {
  readonly nodes: readonly (Item | null)[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

interface PagedOptions extends AskedOptions {
  /** The name of the cursor in the address, if a screen has several lists. */
  readonly cursorName?: string
  readonly first?: number
}

type Paged<One extends Name> = Omit<Variables<One>, 'first' | 'after'>

/** One page of a list, by the cursor in the address. */
export function useAskedPage<One extends Name, Item>(
  operation: One,
  variables: Paged<One>,
  pick: (body: Body<One>) => Connection<Item> | undefined,
  { cursorName = 'cursor', first = 25, ...options }: PagedOptions = {},
): ReadPage<Item> {
  const { filters, turn, pagesTurned } = useFilters()
  const cursor = filters[cursorName] ?? null
  const asked = { ...variables, first, after: cursor } as unknown as Variables<One>
  const read = useAskedAs(operation, asked, (body) => pageOf(pick(body)), {
    ...options,
    keepsPrevious: true,
  })
  return { ...read, cursor, turn: (to) => turn(to, cursorName), pagesTurned }
}

function pageOf<Item>(connection: Connection<Item> | undefined): Page<Item> {
  if (!connection) return { items: [], next_cursor: null }
  const { hasNextPage, endCursor } = connection.pageInfo
  return {
    items: connection.nodes.filter((node) => node !== null),
    next_cursor: hasNextPage ? endCursor : null,
  }
}

/** A list that has all its items. */
export function wholeList<Item>(
  read: Read<unknown>,
  items: readonly Item[] | undefined,
): ReadPage<Item> {
  const data = items && { items, next_cursor: null }
  return { ...read, data, cursor: null, turn: () => {}, pagesTurned: 0 } as ReadPage<Item>
}
