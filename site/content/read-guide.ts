import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schema/process/project-root.ts'

const folder = join(projectRoot, 'site/guides')

export interface Guide {
  readonly name: string
  readonly title: string
  /** The first paragraph. */
  readonly summary: string
  /** The text of the guide, with `{{values}}` to be replaced. */
  readonly markdown: string
}

/** Reads a guide: a title, a paragraph with its summary, and the rest. */
export function readGuide(name: string): Guide {
  return guideOf(name, readFileSync(join(folder, `${name}.md`), 'utf8'))
}

/**
 * Reads a page of the project's `docs/`. Its links to pages that the documentation has too lead there; readers have
 * no repository, so other links become the path of their file.
 */
export function readProjectPage(name: string, served: ReadonlySet<string>): Guide {
  const markdown = readFileSync(join(projectRoot, 'docs', `${name}.md`), 'utf8')
  const linked = markdown.replaceAll(link, (_, text: string, path: string, anchor = '') => {
    const page = path.replace(/\.md$/, '')
    if (path === '' || served.has(page)) return `[${text}](/docs/${page || name}${anchor})`
    const file = path.replace(/^(\.\.\/)+/, '')
    return text.includes(file) ? text : `${text} (\`${file}\`)`
  })
  return guideOf(name, linked)
}

const partForUsers = 'For users of the API\n'

/** Reads what the project's changelog has for users of the API. */
export function readChangelog(name: string): Guide {
  const [, ...releases] = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const texts = releases.map((release) => {
    const [heading = ''] = release.split('\n', 1)
    const part = release.split(/^### /m).find((text) => text.startsWith(partForUsers))
    const forUsers = part?.slice(partForUsers.length).trim()
    if (!forUsers) throw new Error(`CHANGELOG.md has nothing for users of the API in ${heading}.`)
    return `## ${heading}\n\n${forUsers}`
  })
  const opening =
    '# Changelog\n\nWhat is new in each release of the API. [Versioning](/docs/versioning) says what may change.'
  return guideOf(name, `${[opening, ...texts].join('\n\n')}\n`)
}

const link = /\[([^\]]+)\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g

function guideOf(name: string, markdown: string): Guide {
  const [, title, summary] = /^# (.+)\n\n(.+)\n/.exec(markdown) ?? []
  if (!title || !summary) throw new Error(`${name}.md must begin with a title and a paragraph.`)
  return { name, title, summary, markdown }
}
