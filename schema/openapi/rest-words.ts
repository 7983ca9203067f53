/** A description of the graph as REST says it: what it names in backticks is written in snake_case there. */
export function inRestWords(description: string): string {
  const text = description.replaceAll('\n', ' ')
  return text.replaceAll(/`[a-z]+(?:[A-Z][a-z0-9]*)+`/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
}
