/** How a locale writes numbers. Marks are as `plainText` leaves them. */
export interface Notation {
  readonly locale: string
  /** The marks before decimals. */
  readonly decimalMarks: ReadonlySet<string>
  /** The marks between groups of digits. */
  readonly groupMarks: ReadonlySet<string>
  /** Whether groups before the last have two digits: 12,34,567. */
  readonly hasPairs: boolean
}

/** Marks that mean the same everywhere: spaces and apostrophes only group digits. */
const commonGroupMarks = [' ', "'", '٬']
const commonDecimalMarks = ['٫']

/** Some locales write money with other marks than plain numbers: both are theirs. */
const styles: readonly Intl.NumberFormatOptions[] = [
  { style: 'decimal' },
  { style: 'currency', currency: 'EUR' },
]

export function notationOf(locale: string): Notation {
  const parts = styles.flatMap((style) =>
    new Intl.NumberFormat(locale, { ...style, useGrouping: 'always' }).formatToParts(1_234_567.8),
  )
  const valuesOf = (type: Intl.NumberFormatPartTypes) =>
    parts.filter((part) => part.type === type).map(({ value }) => plainText(value))
  return {
    locale,
    decimalMarks: new Set([...valuesOf('decimal'), ...commonDecimalMarks]),
    groupMarks: new Set([...valuesOf('group'), ...commonGroupMarks]),
    hasPairs: valuesOf('integer').includes('34'),
  }
}

/**
 * The text with ASCII digits, and with one kind of space, apostrophe, comma, point, plus and minus.
 * Marks of direction are left out.
 */
export function plainText(text: string): string {
  const plain = text
    .replaceAll(/[\u200e\u200f\u061c\u2066-\u2069]/g, '')
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[‘’ʼ＇]/g, "'")
    .replaceAll(/[‐‑‒–−﹣－]/g, '-')
    .replaceAll('＋', '+')
    .replaceAll('，', ',')
    .replaceAll('．', '.')
  return asciiDigits(plain)
}

/** The zeros of scripts with digits of their own; the other nine follow each of them. */
const zeros = ['٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '༠', '၀', '០', '０']

/** Digits of several scripts in one text stay as they are: it is no number. */
function asciiDigits(text: string): string {
  const digits = text.match(/\p{Nd}/gu) ?? []
  const zero = zeros
    .map((zero) => zero.charCodeAt(0))
    .find((zero) => digitValue(digits[0], zero) >= 0)
  if (zero === undefined || digits.some((digit) => digitValue(digit, zero) < 0)) return text
  return text.replaceAll(/\p{Nd}/gu, (digit) => String(digitValue(digit, zero)))
}

/** -1: not a digit of this script. */
function digitValue(digit: string | undefined, zero: number): number {
  const value = (digit?.charCodeAt(0) ?? 0) - zero
  return value >= 0 && value <= 9 ? value : -1
}
