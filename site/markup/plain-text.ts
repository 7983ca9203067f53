/** The text without Markdown marks. */
export function plain(text: string): string {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

const programs = /^```(?:ts|js|python|go)\n.*?^```$/gms
const marks = /^```.*$|^#+ |^- |\||:?-{3,}:?|<[^>]*>/gm

/** The words of a Markdown text, as the search compares and shows them: without programs, rules and marks. */
export function wordsOf(markdown: string): string {
  const prose = plain(markdown.replaceAll(programs, ' ').replaceAll(marks, ' '))
  return prose.replaceAll(/\\(.)/g, '$1').replaceAll(/\s+/g, ' ').trim()
}

/** The anchor of a heading. */
export function idOf(text: string): string {
  return plain(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Escapes text, so that none of it is read as Markdown or HTML. */
export function verbatim(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&#]/g, '\\$&')
}

/** A Markdown table. Cells are Markdown; their text cannot end a cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
