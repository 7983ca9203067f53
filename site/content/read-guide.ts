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
  const markdown = readFileSync(join(folder, `${name}.md`), 'utf8')
  const [, title, summary] = /^# (.+)\n\n(.+)\n/.exec(markdown) ?? []
  if (!title || !summary) throw new Error(`${name}.md must begin with a title and a paragraph.`)
  return { name, title, summary, markdown }
}
