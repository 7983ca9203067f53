import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../schema/process/project-root.ts'
import type { Section } from './markup/elements.ts'

/** What `npm run schema` writes: every page as HTML and as Markdown, with `{{values}}` to be filled in. */
export const generatedFolder = 'site/generated'

/** Who reads: each reader has a tab with pages of their own, which begin with the first one. */
export const readers = ['api', 'gateway', 'module'] as const

export type Reader = (typeof readers)[number]

export const readerTabs: Readonly<Record<Reader, string>> = {
  api: 'Use the API',
  gateway: 'Run the gateway',
  module: 'Build a module',
}

/** A page without its text. */
export interface StoredPage {
  /** Below `/docs`, such as `errors/NOT_FOUND`; the landing page's is empty. */
  readonly name: string
  /** The files of the page, below `generated/` and without an ending. */
  readonly file: string
  readonly title: string
  /** The name of the page in the navigation. */
  readonly label: string
  /** One paragraph, without marks. It may have `{{values}}`. */
  readonly description: string
  /** The section of the page in the navigation; null if only other pages link to it. */
  readonly section: string | null
  /** Whose tab has the page. */
  readonly reader: Reader
  /** The parts of the page, for its table of contents. */
  readonly sections: readonly Section[]
  /** Pages that this installation does not have: entries of lists that lead there are left out. */
  readonly absent?: readonly string[]
}

/** Reads a file of `generated/`. */
export function readGenerated(name: string): string {
  return readFileSync(join(projectRoot, generatedFolder, name), 'utf8')
}

/** The pages that list others. */
const listing: readonly string[] = ['', 'contents']

/** All pages in the order of the navigation, and a last one that lists them. */
export function readPages({ hasAgents }: { readonly hasAgents: boolean }): readonly StoredPage[] {
  const pages: readonly StoredPage[] = JSON.parse(readGenerated('pages.json'))
  if (hasAgents) return pages
  const absent = ['agents']
  return pages
    .filter(({ name }) => !absent.includes(name))
    .map((page) => (listing.includes(page.name) ? { ...page, absent } : page))
}

/** The text of a page, with `{{values}}` to be filled in. */
export function readText({ file, absent = [] }: StoredPage, form: 'html' | 'md'): string {
  const leadsNowhere = (entry: string) =>
    absent.some((name) => entry.includes(`/docs/${name}"`) || entry.includes(`/docs/${name})`))
  const text = readGenerated(`${file}.${form}`)
  if (absent.length === 0) return text
  // The second line of an entry in Markdown is indented.
  return text
    .split(/\n(?! )/)
    .filter((entry) => !leadsNowhere(entry))
    .join('\n')
}
