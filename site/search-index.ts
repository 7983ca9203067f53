import type { DocsPage } from './content/docs-pages.ts'
import type { Endpoint } from './content/endpoints.ts'
import { idOf, plain } from './content/markdown.ts'

/** A search result: a page, a section of a page, or an operation. */
interface Entry {
  readonly title: string
  /** The name of its page or group. */
  readonly page: string
  readonly href: string
  /** The searched text, in lower case. */
  readonly words: string
}

/** The file that the browser searches in. */
export function searchIndex(
  pages: readonly DocsPage[],
  endpoints: readonly Endpoint[],
  hrefOf: (name: string) => string,
): string {
  const found = pages
    .filter(({ name }) => name !== 'contents' && name !== 'endpoints')
    .flatMap((page) => entriesOf(page, hrefOf(page.name)))
  const operations = endpoints.map(({ group, method, path, summary, scopes }) => ({
    title: `${method} ${path}`,
    page: `${group}: ${summary}`,
    href: `${hrefOf('endpoints')}#${idOf(group)}`,
    words: [method, path, group, summary, ...scopes].join(' ').toLowerCase(),
  }))
  return JSON.stringify([...found, ...operations])
}

function entriesOf({ label, markdown }: DocsPage, href: string): Entry[] {
  const [opening = '', ...sections] = markdown.split(/^## /m)
  return [
    { title: label, page: label, href, words: wordsOf(opening) },
    ...sections.map((section) => {
      const [heading = ''] = section.split('\n', 1)
      const title = plain(heading)
      return { title, page: label, href: `${href}#${idOf(heading)}`, words: wordsOf(section) }
    }),
  ]
}

function wordsOf(markdown: string): string {
  return plain(markdown).toLowerCase().replaceAll(/\s+/g, ' ')
}
