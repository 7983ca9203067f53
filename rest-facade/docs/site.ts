import { allEndpoints, endpointsMarkdown } from './endpoints.ts'
import type { DocsOptions } from './docs-options.ts'
import { errorPages, errorTables } from './error-markdown.ts'
import { readGuide } from './read-guide.ts'
import { type Values, fill, valuesOf } from './values.ts'

const guides: Readonly<Record<string, DocsPage['section']>> = {
  authentication: 'Start',
  sandbox: 'Start',
  credits: 'Guides',
  idempotency: 'Guides',
  pagination: 'Guides',
  'rate-limits': 'Guides',
  oauth: 'Guides',
  webhooks: 'Guides',
  versioning: 'Guides',
  endpoints: 'Reference',
  errors: 'Reference',
}

/** A page of the documentation as Markdown, with its values filled in; links within it begin with `/docs`. */
export interface DocsPage {
  /** Below `/docs`, such as `errors/NOT_FOUND`; the landing page's is empty. */
  readonly name: string
  readonly title: string
  /** One paragraph of Markdown. */
  readonly summary: string
  readonly markdown: string
  /** Where the navigation shows it; null: on another page's list. */
  readonly section: 'Start' | 'Guides' | 'Reference' | null
}

/** All of them, in the order of the navigation. */
export function docsPages(options: DocsOptions): readonly DocsPage[] {
  const errors = errorPages(options.docsUrl)
  const tables = errorTables(errors)
  const values: Values = new Map([
    ...valuesOf(options),
    ['errors', tables.envelope],
    ['oauth_errors', tables.oauth],
    ['endpoints', endpointsMarkdown(allEndpoints(options.catalog))],
  ])
  const pages: readonly DocsPage[] = [
    { ...readGuide('index'), name: '', section: 'Start' },
    ...Object.entries(guides).map(([name, section]) => ({ ...readGuide(name), section })),
    ...errors.map(({ code, summary, markdown }) => ({
      ...{ name: `errors/${code}`, title: code, summary, markdown },
      section: null,
    })),
  ]
  return pages.map((page) => ({
    ...page,
    summary: fill(page.summary, values),
    // What is filled in may be a guide's table with values of its own.
    markdown: fill(fill(page.markdown, values), values),
  }))
}
