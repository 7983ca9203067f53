/** A font that invoices are printed with. */
export interface PrintFont {
  readonly file: string
  /** The name of the font in a collection; null: the file is one font. */
  readonly nameInFile: string | null
  readonly isBold: boolean
  /** A bit for each code point; 1: the font has a letter for it. */
  readonly letters: Uint8Array
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The letters of a text, as they are printed: each with its accents. A line break becomes a space. What is
 * invisible, such as joiners and marks of the direction, is left out.
 */
export function lettersOf(text: string): string[] {
  const visible = text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  return Array.from(graphemes.segment(visible), ({ segment }) => segment)
}

/** The blocks of Unicode for scripts that are written from right to left (UAX #9, table 4). */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

export function isRightToLeft(letter: string): boolean {
  return rightToLeft.test(letter)
}

/**
 * The first font that has the letter, preferably of this weight; undefined: it cannot be printed. Lines
 * are set from left to right only.
 */
export function fontFor(
  letter: string,
  fonts: readonly PrintFont[],
  isBold = false,
): PrintFont | undefined {
  if (isRightToLeft(letter)) return undefined
  return (
    fonts.find((font) => font.isBold === isBold && hasAll(font, letter)) ??
    fonts.find((font) => hasAll(font, letter))
  )
}

function hasAll({ letters }: PrintFont, letter: string): boolean {
  return Array.from(letter).every((character) => {
    const point = character.codePointAt(0) ?? 0
    return ((letters[point >> 3] ?? 0) & (1 << (point & 7))) !== 0
  })
}
