import type { DocsOptions } from './docs-options.ts'
import { allEndpoints, endpointsMarkdown } from './endpoints.ts'
import { errorPages, errorTables } from './error-markdown.ts'
import { plain } from './markdown.ts'
import { readGuide } from './read-guide.ts'
import { figureTable, promiseTables } from './reliability.ts'
import { fill, valuesOf } from './values.ts'

const sections = ['Start', 'Guides', 'Reference'] as const

/** A page as Markdown, with its values filled in. Links within it begin with `/docs`. */
export interface DocsPage {
  /** Below `/docs`, such as `errors/NOT_FOUND`; the landing page's is empty. */
  readonly name: string
  readonly title: string
  /** The name of the page in the navigation. */
  readonly label: string
  /** One paragraph, without marks. */
  readonly description: string
  readonly markdown: string
  /** The section of the page in the navigation; null if only other pages link to it. */
  readonly section: (typeof sections)[number] | null
}

/** The files of `guides/`, in the order of the navigation. Pages have the names of their files. */
const guides = [
  { name: '', file: 'index', section: 'Start', label: 'Overview' },
  { name: 'authentication', section: 'Start' },
  { name: 'sandbox', section: 'Start' },
  { name: 'credits', section: 'Guides' },
  { name: 'invoices', section: 'Guides' },
  { name: 'billing', section: 'Guides' },
  { name: 'budgets', section: 'Guides' },
  { name: 'quotes', section: 'Guides' },
  { name: 'idempotency', section: 'Guides' },
  { name: 'pagination', section: 'Guides' },
  { name: 'rate-limits', section: 'Guides' },
  { name: 'oauth', section: 'Guides', label: 'OAuth' },
  { name: 'webhooks', section: 'Guides' },
  { name: 'notifications', section: 'Guides' },
  { name: 'versioning', section: 'Guides', label: 'Versioning' },
  { name: 'modules', section: 'Guides' },
  { name: 'portal-links', section: 'Guides', label: 'Portal links' },
  { name: 'reliability', section: 'Guides' },
  { name: 'reference', section: 'Reference' },
  { name: 'endpoints', section: 'Reference' },
  { name: 'errors', section: 'Reference' },
] as const

/** All pages in the order of the navigation, and a last one that lists them. */
export function docsPages(options: DocsOptions): readonly DocsPage[] {
  const errors = errorPages(options.docsUrl)
  const tables = errorTables(errors)
  const values = new Map([
    ...valuesOf(options),
    ['errors', tables.envelope],
    ['oauth_errors', tables.oauth],
    ['promises', promiseTables()],
    ['figures', figureTable()],
    ['endpoints', endpointsMarkdown(allEndpoints(options.catalog))],
  ])
  const pages = [
    ...guides.map(({ name, section, ...named }) => {
      const guide = readGuide('file' in named ? named.file : name)
      return { ...guide, name, section, label: 'label' in named ? named.label : guide.title }
    }),
    ...errors.map(({ code, summary, markdown }) => ({
      ...{ name: `errors/${code}`, title: code, label: code, summary, markdown },
      section: null,
    })),
  ].map(({ summary, markdown, ...page }) => ({
    ...page,
    description: plain(fill(summary, values)),
    // An inserted table may contain values itself.
    markdown: fill(fill(markdown, values), values),
  }))
  return [...pages, contentsPage(pages)]
}

function contentsPage(pages: readonly DocsPage[]): DocsPage {
  const line = ({ name, label, description }: DocsPage) =>
    `- [${label}](/docs/${name}): ${description}`
  const list = (section: DocsPage['section']) =>
    pages
      .filter((page) => page.section === section)
      .map(line)
      .join('\n')
  const lists = sections.map((section) => `## ${section}\n\n${list(section)}`)
  const description = 'Every page of this documentation.'
  return {
    ...{ name: 'contents', title: 'All pages', label: 'All pages', description, section: null },
    markdown: `# All pages\n\n${description}\n\n${lists.join('\n\n')}\n\n## Error codes\n\n${list(null)}\n`,
  }
}
