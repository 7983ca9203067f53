/** Text that is HTML already. Only `html` makes it, so whatever else stands in a page is escaped. */
export interface Markup {
  readonly markup: string
}

type Part = string | Markup | readonly Markup[] | null

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** HTML in which every value is text, also between the quotes of an attribute; null is nothing. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = literals.map((literal, index) => literal + markupOf(parts[index] ?? null)).join('')
  return { markup }
}

/**
 * What a stranger named: it cannot reorder the words around it. A stray end of isolation would close
 * the element's own, so the marks of direction go, and control characters become spaces.
 */
export function foreign(text: string): Markup {
  const harmless = text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '').replaceAll(/\p{Cc}/gu, ' ')
  return html`<bdi>${harmless}</bdi>`
}

function markupOf(part: Part): string {
  if (part === null) return ''
  if (typeof part === 'string') return escaped(part)
  if ('markup' in part) return part.markup
  return part.map(({ markup }) => markup).join('')
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities.get(character) ?? '')
}
