import { plain } from '../markup/plain-text.ts'
import { withLanguages } from '../samples/guide-samples.ts'
import { type Reader, readers } from '../stored-pages.ts'
import { constants } from './constants.ts'
import { errorPages, errorTables } from './error-markdown.ts'
import { type Guide, readChangelog, readGuide, readProjectPage } from './read-guide.ts'
import { figureTable, promiseTables } from './reliability.ts'

const sections = ['Start', 'Guides', 'Reference'] as const

/** A page as Markdown, with the `{{values}}` of installations. Links within it begin with `/docs`. */
export interface WrittenPage {
  /** Below `/docs`, such as `errors/NOT_FOUND`; the landing page's is empty. */
  readonly name: string
  /** The files of the page, below `generated/` and without an ending. */
  readonly file: string
  readonly title: string
  /** The name of the page in the navigation. */
  readonly label: string
  /** One paragraph, without marks. */
  readonly description: string
  readonly markdown: string
  /** The section of the page in the navigation; null if only other pages link to it. */
  readonly section: (typeof sections)[number] | null
  /** Whose tab has the page. */
  readonly reader: Reader
}

interface ListedGuide {
  readonly name: string
  /** Below `guides/`; absent: the name of the page. */
  readonly file?: string
  readonly section: (typeof sections)[number]
  /** In the navigation; absent: the title. */
  readonly label?: string
  /** Reads a page that is not in `guides/`. */
  readonly read?: (name: string, served: ReadonlySet<string>) => Guide
}

/** The pages of each reader, in the order of the navigation. */
const guides: Readonly<Record<Reader, readonly ListedGuide[]>> = {
  api: [
    { name: '', file: 'index', section: 'Start', label: 'Overview' },
    { name: 'authentication', section: 'Start' },
    { name: 'sandbox', section: 'Start' },
    { name: 'credits', section: 'Guides' },
    { name: 'billing', section: 'Guides' },
    { name: 'invoices', section: 'Guides' },
    { name: 'plans', section: 'Guides' },
    { name: 'budgets', section: 'Guides' },
    { name: 'quotes', section: 'Guides' },
    { name: 'idempotency', section: 'Guides' },
    { name: 'pagination', section: 'Guides' },
    { name: 'rate-limits', section: 'Guides' },
    { name: 'oauth', section: 'Guides', label: 'OAuth' },
    { name: 'agents', section: 'Guides' },
    { name: 'webhooks', section: 'Guides' },
    { name: 'notifications', section: 'Guides' },
    { name: 'members', section: 'Guides' },
    { name: 'versioning', section: 'Guides', label: 'Versioning' },
    { name: 'reference', section: 'Reference' },
    { name: 'endpoints', section: 'Reference' },
    { name: 'errors', section: 'Reference' },
    { name: 'sdks', section: 'Reference' },
    { name: 'changelog', section: 'Reference', read: readChangelog },
  ],
  gateway: [
    { name: 'run', section: 'Start', label: 'Overview' },
    { name: 'configuration', section: 'Guides', read: readProjectPage },
    { name: 'processes', section: 'Guides', read: readProjectPage },
    { name: 'operations', section: 'Guides', read: readProjectPage },
    { name: 'internal-tools', section: 'Guides', read: readProjectPage },
    { name: 'portal-links', section: 'Guides', label: 'Portal links' },
    { name: 'reliability', section: 'Reference' },
  ],
  module: [{ name: 'modules', section: 'Start' }],
}

/** All pages in the order of the navigation, and a last one that lists them. */
export function docsPages(): readonly WrittenPage[] {
  const errors = errorPages()
  const tables = errorTables(errors)
  const values = new Map([
    ...constants(),
    ['errors', tables.envelope],
    ['oauth_errors', tables.oauth],
    ['promises', promiseTables()],
    ['figures', figureTable()],
  ])
  const listed = readers.flatMap((reader) => guides[reader].map((guide) => ({ ...guide, reader })))
  const served = new Set(listed.map(({ name }) => name))
  const pages = [
    ...listed.map(({ name, file = name, read, label, ...place }) => {
      const guide = read ? read(name, served) : readGuide(file)
      return { ...guide, ...place, name, file, label: label ?? guide.title }
    }),
    ...errors.map(({ code, isOAuth, summary, markdown }) => ({
      ...{ name: `errors/${code}`, title: code, label: code, summary, markdown },
      // The names of some codes differ in their case only, which some file systems ignore.
      file: `${isOAuth ? 'oauth-errors' : 'errors'}/${code}`,
      ...{ section: null, reader: 'api' as const },
    })),
  ].map(({ summary, markdown, ...page }) => ({
    ...page,
    description: plain(filled(summary, values)),
    // An inserted table may contain values itself.
    markdown: withLanguages(filled(filled(markdown, values), values)),
  }))
  return [...pages, contentsPage(pages)]
}

/** Leaves the values of installations, and names that do not exist: `renderMarkdown` refuses these. */
function filled(markdown: string, values: ReadonlyMap<string, string>): string {
  return markdown.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values.get(name) ?? whole)
}

function contentsPage(pages: readonly WrittenPage[]): WrittenPage {
  const line = ({ name, label, description }: WrittenPage) =>
    `- [${label}](/docs/${name}): ${description}`
  const list = (section: WrittenPage['section']) =>
    pages
      .filter((page) => page.section === section && page.reader === 'api')
      .map(line)
      .join('\n')
  const lists = sections.map((section) => `## ${section}\n\n${list(section)}`)
  const description = 'Every page for those who use the API.'
  return {
    ...{ name: 'contents', file: 'contents', title: 'All pages', label: 'All pages' },
    ...{ description, section: null, reader: 'api' },
    markdown: `# All pages\n\n${description}\n\n${lists.join('\n\n')}\n\n## Error codes\n\n${list(null)}\n`,
  }
}
