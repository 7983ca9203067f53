import type { StaticBody } from '../http/static-answer.ts'

/** What is at one address. It does not change while the process runs. */
export interface SiteFile {
  /** For the metrics: `/docs/errors/{code}`. */
  readonly route: string
  readonly contentType: string
  /** Content-Security-Policy. */
  readonly policy: string
  readonly body: StaticBody
  /** Of an asset: what links to it name, so that whoever has a copy need not ask again. */
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
