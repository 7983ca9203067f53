import { idOf, wordsOf } from './markup/plain-text.ts'
import { readGenerated, type StoredPage } from './stored-pages.ts'
import type { Endpoint } from './values/endpoints.ts'
import { fillWith, type Values } from './values/value.ts'

/** A page, or a section of a page, as the build has found it. */
export interface StoredEntry {
  /** The name of its page. */
  readonly page: string
  /** The anchor of a section. */
  readonly id: string | null
  readonly title: string
  /** The searched text, in lower case and with `{{values}}`. */
  readonly words: string
}

/** A search result: a page, a section of a page, or an operation. */
interface Entry {
  readonly title: string
  /** The name of its page or group. */
  readonly page: string
  readonly href: string
  readonly words: string
}

interface SearchOptions {
  readonly pages: readonly StoredPage[]
  readonly values: Values
  readonly endpoints: readonly Endpoint[]
  readonly hrefOf: (name: string) => string
}

/** The file that the browser searches in. */
export function searchIndex({ pages, values, endpoints, hrefOf }: SearchOptions): string {
  const labels = new Map(pages.map(({ name, label }) => [name, label]))
  const stored: readonly StoredEntry[] = JSON.parse(readGenerated('search.json'))
  const served = stored.filter(({ page }) => labels.has(page))
  const found = served.map(
    ({ page, id, title, words }): Entry => ({
      ...{ title, page: labels.get(page) ?? '' },
      href: id === null ? hrefOf(page) : `${hrefOf(page)}#${id}`,
      words: fillWith(words, values, ({ markdown }) => wordsOf(markdown)),
    }),
  )
  const operations = endpoints.map(
    ({ group, method, path, summary, scopes }): Entry => ({
      title: `${method} ${path}`,
      page: `${group}: ${summary}`,
      href: `${hrefOf('endpoints')}#${idOf(group)}`,
      words: [method, path, group, summary, ...scopes].join(' ').toLowerCase(),
    }),
  )
  return JSON.stringify([...found, ...operations])
}
