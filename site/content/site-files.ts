import { idOf, plain, wordsOf } from '../markup/plain-text.ts'
import type { StoredEntry } from '../search-index.ts'
import { generatedFolder, type StoredPage } from '../stored-pages.ts'
import { rolesPage } from '../values/role-routes.ts'
import { docsPages, type WrittenPage } from './docs-pages.ts'
import { renderMarkdown } from './rendered-markdown.ts'

/** All that does not depend on an installation: path below the project's root → content. */
export function siteFiles(): ReadonlyMap<string, string> {
  const files = new Map([['docs/roles.md', rolesPage()]])
  const written = docsPages()
  const stored = written.map(({ markdown, ...page }): StoredPage => {
    const { body, headings } = rendered(page.file, markdown)
    files.set(`${generatedFolder}/${page.file}.html`, body)
    files.set(`${generatedFolder}/${page.file}.md`, markdown)
    const sections = headings.filter(({ depth }) => depth === 2)
    return { ...page, sections: sections.map(({ id, text }) => ({ id, text })) }
  })
  const entries = written.filter(({ name }) => !lists.has(name)).flatMap(entriesOf)
  files.set(`${generatedFolder}/pages.json`, json(stored))
  files.set(`${generatedFolder}/search.json`, json(entries))
  return files
}

function rendered(file: string, markdown: string) {
  try {
    return renderMarkdown(markdown)
  } catch (cause) {
    throw new Error(`The page ${file} cannot be rendered.`, { cause })
  }
}

/** The search finds what they list itself. */
const lists: ReadonlySet<string> = new Set(['contents', 'endpoints'])

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function entriesOf({ name, label, markdown }: WrittenPage): StoredEntry[] {
  const [opening = '', ...sections] = markdown.split(/^## /m)
  return [
    { page: name, id: null, title: label, text: wordsOf(opening) },
    ...sections.map((section) => {
      const [heading = ''] = section.split('\n', 1)
      return {
        page: name,
        id: idOf(heading),
        title: plain(heading),
        text: wordsOf(section.slice(heading.length)),
      }
    }),
  ]
}
