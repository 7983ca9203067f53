import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { Marked, type RendererObject, type Tokens } from 'marked'
import { html, type Markup } from '../../rest-facade/pages/html/html.ts'

/** The languages of fences in guides. The label stands above the code. */
const languages = {
  sh: { label: 'Shell', grammar: bash },
  json: { label: 'JSON', grammar: json },
  http: { label: 'HTTP', grammar: http },
  ts: { label: 'TypeScript', grammar: typescript },
  python: { label: 'Python', grammar: python },
  go: { label: 'Go', grammar: go },
}

for (const [name, { grammar }] of Object.entries(languages)) hljs.registerLanguage(name, grammar)

/** A heading that can be linked to. */
export interface Heading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

/** Turns our own Markdown into HTML. It is not sanitised: it never contains input of a caller. */
export function markdownToHtml(markdown: string): { body: Markup; headings: readonly Heading[] } {
  const headings: Heading[] = []
  const marked = new Marked({ renderer: rendererOf(headings) })
  return { body: { markup: marked.parse(markdown, { async: false }) }, headings }
}

function rendererOf(headings: Heading[]): RendererObject {
  return {
    heading({ tokens, depth, text }) {
      const inner = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1>${inner}</h1>\n`
      const id = idOf(text)
      headings.push({ id, text: plain(text), depth })
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`
    },
    // Lets a browser break a path after a slash.
    codespan: ({ text }) =>
      `<code>${html`${text}`.markup.replaceAll(/(?<![/:<])\/(?!\/)/g, '/<wbr>')}</code>`,
    code: (token) => codeBlock(token).markup,
    table(token) {
      const head = row(
        token.header.map((cell) => `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`),
      )
      const body = token.rows.map((cells) =>
        row(cells.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`)),
      )
      // A table that is wider than the screen can be scrolled with the keyboard.
      return `<div class="table" tabindex="0" role="region" aria-label="${labelOf(token)}"><table>
<thead>${head}</thead>
<tbody>${body.join('\n')}</tbody>
</table></div>\n`
    },
  }
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.join('')}</tr>`
}

function labelOf({ header }: Tokens.Table): string {
  return html`${`Table: ${header.map(({ text }) => plain(text)).join(', ')}`}`.markup
}

function codeBlock({ text, lang = '' }: Tokens.Code): Markup {
  const language = isLanguage(lang) ? languages[lang] : null
  const { value } = language ? hljs.highlight(text, { language: lang }) : { value: null }
  const code = value === null ? html`${text}` : { markup: value }
  const label = language?.label ?? 'Text'
  return html`<figure class="code" data-language="${label}">
<figcaption>${label}</figcaption>
<pre tabindex="0"><code>${code}</code></pre>
</figure>
`
}

function isLanguage(name: string): name is keyof typeof languages {
  return Object.hasOwn(languages, name)
}

/** The anchor of a heading. */
export function idOf(text: string): string {
  return plain(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** The text without Markdown marks. */
export function plain(text: string): string {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

/** A Markdown table. Cells are Markdown; their text cannot end a cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Escapes text, so that none of it is read as Markdown or HTML. */
export function verbatim(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&#]/g, '\\$&')
}
