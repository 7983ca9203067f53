import { create, type Font } from 'fontkit'

/** Turns any text into one that a font can show. */
export type Printable = (text: string) => string

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** `fonts` are font files. What one of them lacks is shown as `?`; a line break is a space. */
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
      // Such as joiners and controls of the direction: nothing is to be seen of them.
      const visible = segment.replaceAll(/\p{Cf}/gu, '')
      return opened.every((font) => hasAll(font, visible)) ? visible : '?'
    })
    return shown.join('')
  }
}

function hasAll(font: Font, text: string): boolean {
  return Array.from(text).every((letter) => font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0))
}
