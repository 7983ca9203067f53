import { fontFor, lettersOf, type PrintFont } from './fonts/print-font.ts'

/** A part of a line that one font sets. */
export interface Run {
  readonly font: PrintFont
  readonly text: string
}

/** The text with `?` for each letter that no font has. */
export function printableIn(fonts: readonly PrintFont[], text: string): string {
  return lettersOf(text)
    .map((letter) => (fontFor(letter, fonts) ? letter : '?'))
    .join('')
}

/** The runs of a printable text, from left to right. */
export function runsOf(text: string, fonts: readonly PrintFont[], isBold: boolean): Run[] {
  const runs: Run[] = []
  for (const letter of lettersOf(text)) {
    const font = fontFor(letter, fonts, isBold)
    if (!font) throw new Error('A text has a letter that no font has.')
    const last = runs.at(-1)
    if (last?.font === font) runs[runs.length - 1] = { font, text: last.text + letter }
    else runs.push({ font, text: letter })
  }
  return runs
}

/** The lines of a text. A line ends at a space, or inside a word that is wider than a line. */
export function wrap(text: string, width: number, widthOf: (text: string) => number): string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let [line, used] = ['', 0]
  function add(part: string): void {
    const needed = widthOf(part.trimEnd())
    if (line !== '' && used + needed > width) {
      // The space stays: a reader that speaks must not run two words together.
      lines.push(line)
      ;[line, used] = ['', 0]
    }
    line += part
    used += widthOf(part)
  }
  for (const word of text.match(/[^ ]+ *| +/g) ?? []) {
    if (widthOf(word.trimEnd()) <= width) add(word)
    else for (const letter of lettersOf(word)) add(letter)
  }
  return [...lines, line.trimEnd()]
}
