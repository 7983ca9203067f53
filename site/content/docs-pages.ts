import { plain } from '../markup/plain-text.ts'
import { constants } from './constants.ts'
import { errorPages, errorTables } from './error-markdown.ts'
import { readGuide } from './read-guide.ts'
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
}

/** The files of `guides/`, in the order of the navigation. Pages have the names of their files. */
const guides = [
  { name: '', file: 'index', section: 'Start', label: 'Overview' },
  { name: 'authentication', section: 'Start' },
  { name: 'sandbox', section: 'Start' },
  { name: 'credits', section: 'Guides' },
  { name: 'invoices', section: 'Guides' },
  { name: 'billing', section: 'Guides' },
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
  { name: 'versioning', section: 'Guides', label: 'Versioning' },
  { name: 'modules', section: 'Guides' },
  { name: 'portal-links', section: 'Guides', label: 'Portal links' },
  { name: 'reliability', section: 'Guides' },
  { name: 'reference', section: 'Reference' },
  { name: 'endpoints', section: 'Reference' },
  { name: 'errors', section: 'Reference' },
] as const

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
  const pages = [
    ...guides.map(({ name, section, ...named }) => {
      const file = 'file' in named ? named.file : name
      const guide = readGuide(file)
      return { ...guide, name, file, section, label: 'label' in named ? named.label : guide.title }
    }),
    ...errors.map(({ code, isOAuth, summary, markdown }) => ({
      ...{ name: `errors/${code}`, title: code, label: code, summary, markdown },
      // The names of some codes differ in their case only, which some file systems ignore.
      file: `${isOAuth ? 'oauth-errors' : 'errors'}/${code}`,
      section: null,
    })),
  ].map(({ summary, markdown, ...page }) => ({
    ...page,
    description: plain(filled(summary, values)),
    // An inserted table may contain values itself.
    markdown: filled(filled(markdown, values), values),
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
      .filter((page) => page.section === section)
      .map(line)
      .join('\n')
  const lists = sections.map((section) => `## ${section}\n\n${list(section)}`)
  const description = 'Every page of this documentation.'
  return {
    ...{ name: 'contents', file: 'contents', title: 'All pages', label: 'All pages' },
    ...{ description, section: null },
    markdown: `# All pages\n\n${description}\n\n${lists.join('\n\n')}\n\n## Error codes\n\n${list(null)}\n`,
  }
}
