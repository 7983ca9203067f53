import { createHash } from 'node:crypto'
import { html, type Markup } from '../../html/html.ts'
import { stylesheet, stylesheetSource } from './stylesheet.ts'

/** An HTML page: status, body, and the headers that differ from those of every answer. */
export interface Page {
  readonly status: number
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

interface PageContent {
  readonly status: number
  readonly title: string
  readonly main: Markup
  /**
   * The addresses that forms and the redirects after them may lead to, as the policy writes them.
   */
  readonly formAction?: string
  /** The address that the browser loads next by itself. */
  readonly refreshTo?: string
  /** A script of ours, which may ask this origin. Pages of sign-in and consent have none. */
  readonly script?: string
  /** The state of the page for its script: `data-status` of `main`. */
  readonly mainStatus?: string
}

/** The frame of every page. It loads nothing, and allows no framing. */
export function page(content: PageContent): Page {
  const { status, title, main, formAction = "'none'", refreshTo, script, mainStatus } = content
  const refresh = refreshTo && html`<meta http-equiv="refresh" content="0; url=${refreshTo}">`
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${refresh || null}
<style>${{ markup: stylesheet }}</style>
</head>
<body>
<main${mainStatus ? html` data-status="${mainStatus}"` : null}>
${main}
</main>
${script ? html`<script>${{ markup: script }}</script>` : null}
</body>
</html>
`
  const policy = [
    "default-src 'none'",
    `style-src ${stylesheetSource}`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(script ? [`script-src ${hashOf(script)}`, "connect-src 'self'"] : []),
  ].join('; ')
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
  }
  return { status, html: document.markup, headers }
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}
