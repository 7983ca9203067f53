/**
 * Turns a description of the graph into one for callers of REST: names in backticks become
 * snake_case, and references to our own design papers are removed.
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
