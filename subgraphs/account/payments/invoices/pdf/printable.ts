import { create, type Font } from 'fontkit'

/** Turns any text into one that a font can show. */
export type Printable = (text: string) => string

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * `fonts` are font files. A character that one of them lacks becomes `?`, and a line break becomes
 * a space.
 */
export function printableIn(fonts: readonly Buffer[]): Printable {
  const opened = fonts
    .map((bytes) => create(bytes))
    .filter((font) => 'hasGlyphForCodePoint' in font)
  return (text) => {
    const spaced = text
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    const shown = Array.from(graphemes.segment(spaced), ({ segment }) => {
      // These are invisible, such as joiners and marks of the direction.
      const visible = segment.replaceAll(/\p{Cf}/gu, '')
      return opened.every((font) => hasAll(font, visible)) ? visible : '?'
    })
    return shown.join('')
  }
}

function hasAll(font: Font, text: string): boolean {
  return Array.from(text).every((letter) => font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0))
}
