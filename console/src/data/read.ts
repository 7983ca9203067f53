import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Answer, CallOptions } from 'credit-gateway-sdk'
import { heartbeatMs } from '../api.ts'
import { isOutage } from '../outage.ts'
import { useSession } from '../session/session.tsx'
import { useFilters } from './search.ts'

export interface ReadOptions {
  /** One of these scopes is needed. Without one, no request is made. */
  readonly scopes?: readonly string[]
  /** Whether the query is repeated periodically while the page is open. */
  readonly isLive?: boolean
  readonly everyMs?: number
  readonly isEnabled?: boolean
  /** For so long a part of the page that is shown later does not ask again. */
  readonly freshMs?: number
  /** Whether the data of the previous key stays until the answer comes: for filters. */
  readonly keepsPrevious?: boolean
}

/** Why the session may not read something. */
export interface Missing {
  /** One of these scopes is sufficient. */
  readonly scopes: readonly string[]
  /** The role of the person; null: a key is signed in. */
  readonly role: string | null
}

export type Read<Data> = UseQueryResult<Data, Error> & {
  /** Null: the session may read it. */
  readonly missing: Missing | null
}

/** The key names the data. All data that one change affects has the same first part. */
export type ReadKey = readonly [string, ...unknown[]]

/** Reads one object by the API, and keeps it while the screen shows it. */
export function useRead<Data>(
  key: ReadKey,
  call: (options: CallOptions) => Promise<Answer<Data>>,
  options: ReadOptions = {},
): Read<Data> {
  const { scopes, isLive = false, everyMs = heartbeatMs, isEnabled = true } = options
  const session = useSession()
  const isPermitted = !scopes || scopes.some((scope) => session.can(scope))
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await call({ signal })).data,
    enabled: isEnabled && isPermitted,
    ...(options.freshMs === undefined ? {} : { staleTime: options.freshMs }),
    refetchInterval: ({ state }) => (isLive || isOutage(state.error) ? everyMs : false),
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  })
  const missing = isPermitted ? null : { scopes: scopes ?? [], role: session.role }
  return { ...query, missing }
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next_cursor: string | null
}

export type ReadPage<Item> = Read<Page<Item>> & {
  readonly cursor: string | null
  /** Turns to another page; null: the first one. */
  turn(cursor: string | null): void
  readonly pagesTurned: number
}

interface ListOptions extends ReadOptions {
  readonly limit?: number
  /** The name of the cursor in the address, if a screen has several lists. */
  readonly cursorName?: string
}

/**
 * One page of a list, by the cursor in the address. A list makes one request, never one for each
 * row.
 */
export function useList<Item>(
  key: ReadKey,
  call: (
    input: { readonly cursor?: string; readonly limit: number },
    options: CallOptions,
  ) => Promise<Answer<Page<Item>>>,
  { limit = 25, cursorName = 'cursor', ...options }: ListOptions = {},
): ReadPage<Item> {
  const { filters, turn, pagesTurned } = useFilters()
  const cursor = filters[cursorName] ?? null
  const read = useRead<Page<Item>>(
    [...key, { cursor, limit }],
    (sent) => call({ limit, ...(cursor === null ? {} : { cursor }) }, sent),
    { keepsPrevious: true, ...options },
  )
  return { ...read, cursor, turn: (to) => turn(to, cursorName), pagesTurned }
}
