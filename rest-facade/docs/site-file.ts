import type { StaticBody } from '../http/static-answer.ts'

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

export const contentTypes = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  css: 'text/css; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
} as const
