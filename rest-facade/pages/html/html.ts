/** Text that is already HTML. Only `html` makes it, so all other text in a page is escaped. */
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

/** HTML that escapes every value, also between the quotes of an attribute. Null adds nothing. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = literals.map((literal, index) => literal + markupOf(parts[index] ?? null)).join('')
  return { markup }
}

/**
 * Text from outside, which must not reorder the words around it. A stray end of isolation would
 * close the element's own, so marks of direction are removed, and control characters become spaces.
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
