import type { StaticBody } from '../../http/static-answer.ts'
import type { Markup } from '../html/html.ts'

/** The file at one address. It does not change while the process runs. */
export interface SiteFile {
  /** The route label in metrics: `/docs/errors/{code}`. */
  readonly route: string
  readonly contentType: string
  /** Content-Security-Policy. */
  readonly policy: string
  readonly body: StaticBody
  /** The version of an asset in its links, so that a cached copy needs no new request. */
  readonly version?: () => string
}

/** The pages of the documentation, which are made elsewhere. */
export interface DocsSite {
  /** Finds a file by its path: `/docs/errors/NOT_FOUND`, `/llms.txt`. */
  find(path: string): SiteFile | null
  /** The right address for one with an extra slash or with another name of the page. */
  redirectOf(path: string): string | null
  /** The page that a browser gets for an unknown address. */
  readonly missing: SiteFile
  /** A page that does not belong to the documentation, in its frame. */
  page(title: string, text: Markup): { readonly markup: string; readonly policy: string }
  /** The first page: a path if DOCS_URL is on this host, else a full address. */
  readonly firstPage: string
}

export const contentTypes = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  css: 'text/css; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
} as const
