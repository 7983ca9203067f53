import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'

/** The filters of a screen, as they are in the address. An empty filter is left out. */
export type Filters = Readonly<Record<string, string | undefined>>

export function parseSearch(text: string): Filters {
  return Object.fromEntries(new URLSearchParams(text))
}

export function writeSearch(filters: Filters): string {
  const pairs = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs as [string, string][]).toString()
  return text === '' ? '' : `?${text}`
}

export interface Search {
  readonly filters: Filters
  /**
   * Changes some filters. The list returns to its first page, and the browser's "back" undoes the
   * change.
   */
  readonly set: (changes: Filters) => void
  /** Like `set`, without an entry in the history: for typed text. */
  readonly replace: (changes: Filters) => void
  /** Turns to another page of a list; null: the first one. A screen's second list has a name of its own. */
  readonly turn: (cursor: string | null, name?: string) => void
  /** The number of pages before this one. */
  readonly pagesTurned: number
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    pagesTurned?: number
  }
}

/** The state of the screen in the address: filters, and the cursor of its list. */
export function useFilters(): Search {
  const filters: Filters = useSearch({ strict: false })
  const pagesTurned = useRouterState({ select: ({ location }) => location.state.pagesTurned ?? 0 })
  const navigate = useNavigate()
  const go = (changes: Filters, options: { replace?: boolean; turned?: number }) =>
    void navigate({
      to: '.',
      search: ((known: Filters) => ({ ...known, ...changes })) as never,
      replace: options.replace ?? false,
      state: (state) => ({ ...state, pagesTurned: options.turned ?? 0 }),
    })
  return {
    filters,
    set: (changes) => go({ cursor: undefined, ...changes }, {}),
    replace: (changes) => go({ cursor: undefined, ...changes }, { replace: true }),
    turn: (cursor, name = 'cursor') =>
      go({ [name]: cursor ?? undefined }, { turned: cursor === null ? 0 : pagesTurned + 1 }),
    pagesTurned,
  }
}
