/**
 * Whether a text has at most this many characters. Characters are code points of Unicode, as in the OpenAPI
 * document (JSON Schema `maxLength`): 😀 is one, although its `length` is 2.
 */
export function hasAtMost(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return true
  // A code point is at most two units, so no long text is counted.
  if (text.length > 2 * maxCharacters) return false
  return Array.from(text).length <= maxCharacters
}

/** The beginning of a rule for a length or a count, such as `must have at least 1 character`. */
export function atLeast(count: number, noun: string): string {
  return `must have at least ${quantity(count, noun)}`
}

export function atMost(count: number, noun: string): string {
  return `must have at most ${quantity(count, noun)}`
}

function quantity(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`
  return `${count} ${noun === 'entry' ? 'entries' : `${noun}s`}`
}
