/**
 * A description of the graph as a caller of REST reads it: what it names in backticks is written in
 * snake_case there, and our own design papers are nobody else's.
 */
export function inRestWords(description: string): string {
  return description
    .replaceAll('\n', ' ')
    .replaceAll(/ \((?:contract|design|spec)\b[^)]*\)/g, '')
    .replaceAll(/`[a-z]+(?:[A-Z][a-z0-9]*)+`/g, inSnakeCase)
}

function inSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
