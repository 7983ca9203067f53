import { html, type Markup } from '../../rest-facade/pages/html/html.ts'
import { idOf, plain } from './plain-text.ts'

/** A part of a page, by the anchor of its heading. */
export interface Section {
  readonly id: string
  readonly text: string
}

/** A heading that can be linked to; a title has no anchor. `text` is Markdown, `inner` the same as HTML. */
export function heading(depth: number, text: string, inner: Markup): string {
  if (depth === 1) return `<h1>${inner.markup}</h1>\n`
  const id = idOf(text)
  return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner.markup}</a></h${depth}>\n`
}

export function codeSpan(text: string): Markup {
  return { markup: `<code>${breakable(text)}</code>` }
}

/** Text of a code span. Lets a browser break a path after a slash. */
export function breakable(text: string): string {
  return html`${text}`.markup.replaceAll(/(?<![/:<])\/(?!\/)/g, '/<wbr>')
}

/** A table. A name of a column is its Markdown and its HTML. */
export function tableElement(
  header: readonly { readonly markdown: string; readonly markup: string }[],
  rows: readonly (readonly Markup[])[],
): string {
  const names = header.map(({ markdown }) => plain(markdown)).join(', ')
  const head = header.map(({ markup }) => `<th scope="col">${markup}</th>`).join('')
  const body = rows.map((cells) => line(cells.map(({ markup }) => `<td>${markup}</td>`).join('')))
  // A table that is wider than the screen can be scrolled with the keyboard.
  return `<div class="table" tabindex="0" role="region" aria-label="${html`Table: ${names}`.markup}"><table>
<thead>${line(head)}</thead>
<tbody>${body.join('\n')}</tbody>
</table></div>\n`
}

function line(cells: string): string {
  return `<tr>${cells}</tr>`
}
