import { idOf, wordsOf } from './markup/plain-text.ts'
import { readerTabs, readGenerated, type StoredPage } from './stored-pages.ts'
import type { Endpoint } from './values/endpoints.ts'
import { fillWith, type Values } from './values/value.ts'

/** A page, or a section of a page, as the build has found it. */
export interface StoredEntry {
  /** The name of its page. */
  readonly page: string
  /** The anchor of a section. */
  readonly id: string | null
  readonly title: string
  /** The searched text, with `{{values}}`. */
  readonly text: string
}

/** A search result: a page, a section of a page, or an operation. */
interface Entry {
  readonly title: string
  /** The name of its page or group. */
  readonly page: string
  readonly href: string
  /** The tab that has it. */
  readonly reader: string
  /** What is searched, and shown around what was found. */
  readonly text: string
}

/**
 * What people search for, by words that begin with it, and how the pages say it. All in lower case.
 */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  invit: ['portal link', 'send your users'],
  team: ['portal link', 'roles'],
  login: ['sign in', 'session'],
  plan: ['subscription', 'tier'],
  upgrade: ['subscription', 'tier'],
  refund: ['money comes back', 'returned money', 'credit note'],
  chargeback: ['dispute'],
  customer: ['external_id', 'external id'],
  client: ['external_id', 'app'],
  limit: ['budget', 'rate limit'],
  quota: ['budget', 'rate limit'],
  token: ['api key', 'access token'],
  price: ['credit', 'cost'],
  cost: ['price', 'credit'],
  mail: ['notification'],
  alert: ['notification', 'webhook'],
  npm: ['sdk'],
  library: ['sdk'],
  mcp: ['agent'],
  down: ['status', 'unavailable'],
}

interface SearchOptions {
  readonly pages: readonly StoredPage[]
  readonly values: Values
  readonly endpoints: readonly Endpoint[]
  readonly hrefOf: (name: string) => string
}

/** The file that the browser searches in. */
export function searchIndex({ pages, values, endpoints, hrefOf }: SearchOptions): string {
  const named = new Map(pages.map((page) => [page.name, page]))
  const stored: readonly StoredEntry[] = JSON.parse(readGenerated('search.json'))
  const served = stored.filter(({ page }) => named.has(page))
  const found = served.map(
    ({ page, id, title, text }): Entry => ({
      ...{ title, page: named.get(page)?.label ?? '' },
      reader: readerTabs[named.get(page)?.reader ?? 'api'],
      href: id === null ? hrefOf(page) : `${hrefOf(page)}#${id}`,
      text: fillWith(text, values, ({ markdown }) => wordsOf(markdown)),
    }),
  )
  const operations = endpoints.map(
    ({ group, method, path, summary, scopes }): Entry => ({
      title: `${method} ${path}`,
      ...{ page: `${group}: ${summary}`, reader: readerTabs.api },
      href: `${hrefOf('endpoints')}#${idOf(group)}`,
      text: [summary, group, ...scopes].join(' · '),
    }),
  )
  return JSON.stringify({ entries: [...found, ...operations], synonyms })
}
