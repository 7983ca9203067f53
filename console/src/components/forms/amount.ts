import { type Notation, plainText } from './notation.ts'

/** What an input asks for: credits, or money in the currency (ISO 4217). */
export type Unit = 'credits' | { readonly currency: string }

type Reading =
  | { readonly kind: 'empty' }
  /** `amount` is in credits, or in the smallest unit of the currency, such as cents. */
  | { readonly kind: 'amount'; readonly amount: number }
  /** `message` says how to write it. */
  | { readonly kind: 'unclear'; readonly message: string }

/**
 * Reads what a person has typed, as the person's locale writes it. What could be read in another way
 * too is unclear: `200,50` and `1.000` where the comma groups digits, `1e3`, `0x10`.
 */
export function readAmount(text: string, unit: Unit, notation: Notation): Reading {
  const plain = plainText(text).trim()
  if (plain === '') return { kind: 'empty' }
  const bare = withoutCurrency(plain, unit, notation)
  if (bare === null) return unclear(`Write the number only: the amount is in ${nameOf(unit)}.`)
  if (/^-|-$/.test(bare)) return unclear('It cannot be negative.')
  return readDigits(bare.replace(/^\+ ?/, ''), unit, notation)
}

function readDigits(text: string, unit: Unit, notation: Notation): Reading {
  const decimals = decimalsOf(unit)
  const [whole, fraction] = split(text, notation)
  const digits = whole === '' && fraction !== '' ? '0' : digitsOf(whole, notation)
  if (digits === null || !/^\d*$/.test(fraction)) return ambiguous(text, unit, notation)
  if (fraction.length > decimals) {
    // Three digits behind the mark may be a group that another locale writes so.
    if (fraction.length === 3) return ambiguous(text, unit, notation)
    return unclear(ruleOf(unit, notation))
  }
  const amount = Number(digits + fraction.padEnd(decimals, '0'))
  return amount <= mostOf(decimals) ? { kind: 'amount', amount } : unclear('It is too large.')
}

/** The largest amount that browsers show exactly: those with decimals have 15 digits at most. */
function mostOf(decimals: number): number {
  return decimals === 0 ? Number.MAX_SAFE_INTEGER : 999_999_999_999_999
}

/** The whole part and the decimals, if the last mark is one before decimals and there is one only. */
function split(
  text: string,
  { decimalMarks }: Notation,
): readonly [whole: string, decimals: string] {
  const at = text.search(/\D\d*$/)
  const mark = text.charAt(at)
  const isDecimal = at >= 0 && decimalMarks.has(mark) && text.indexOf(mark) === at
  return isDecimal && at < text.length - 1 ? [text.slice(0, at), text.slice(at + 1)] : [text, '']
}

/** The digits of a whole number without marks, or with the marks of the locale; null: neither. */
function digitsOf(text: string, { groupMarks, hasPairs }: Notation): string | null {
  if (/^\d+$/.test(text)) return text
  const [, mark = ''] = /^[1-9]\d{0,2}(\D)/.exec(text) ?? []
  if (!groupMarks.has(mark)) return null
  const [first = '', ...groups] = text.split(mark)
  const sizes = groups.map((group) => (/^\d+$/.test(group) ? group.length : 0))
  const areThrees = sizes.every((size) => size === 3)
  const arePairs =
    hasPairs &&
    first.length < 3 &&
    sizes.every((size, at) => size === (at < sizes.length - 1 ? 2 : 3))
  return areThrees || arePairs ? [first, ...groups].join('') : null
}

function unclear(message: string): Reading {
  return { kind: 'unclear', message }
}

/** Says how to write each number that the text could be. */
function ambiguous(text: string, unit: Unit, notation: Notation): Reading {
  const decimals = decimalsOf(unit)
  const [, whole = '', last = ''] = /^(\d[\d.,٫٬' ]*)[.,٫](\d+)$/.exec(text) ?? []
  const digits = whole.replaceAll(/\D/g, '')
  const kept = last.replace(/0+$/, '')
  const asDecimals = kept.length <= decimals ? [digits + kept.padEnd(decimals, '0')] : []
  const mayGroup = !whole.startsWith('0') && (last.length === 3 || asDecimals.length > 0)
  const asGroups = mayGroup ? [digits + last + '0'.repeat(decimals)] : []
  const readings = [...asDecimals, ...asGroups].map(Number)
  if (
    whole === '' ||
    readings.length === 0 ||
    readings.some((amount) => amount > mostOf(decimals))
  ) {
    return unclear(ruleOf(unit, notation))
  }
  const forms = readings.map((amount) => writeAmount(amount, unit, notation, true))
  return unclear(`It is not clear which number this is. Write ${forms.join(' or ')}.`)
}

function ruleOf(unit: Unit, notation: Notation): string {
  const decimals = decimalsOf(unit)
  const rule = decimals === 0 ? 'an integer' : `a number with at most ${decimals} decimals`
  const example = writeAmount(Math.floor(1234.5 * 10 ** decimals), unit, notation, true)
  return `It must be ${rule}, such as ${example}.`
}

/**
 * The number of a text without its currency; null: something beside the number is not the currency
 * of the unit.
 */
function withoutCurrency(text: string, unit: Unit, notation: Notation): string | null {
  const names = unit === 'credits' ? [] : currencyNames(unit.currency, notation)
  const name = names.find((name) => text.startsWith(name) || text.endsWith(name)) ?? ''
  const bare = text.startsWith(name) ? text.slice(name.length) : text.slice(0, -name.length)
  return /\p{Sc}/u.test(bare) ? null : bare.trim()
}

/** The currency's code and symbols, the longest first: `US$` before `$`. */
function currencyNames(currency: string, { locale }: Notation): readonly string[] {
  const names = [locale, 'en-US'].flatMap((locale) =>
    (['code', 'symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
      const options = { style: 'currency', currency, currencyDisplay } as const
      const parts = new Intl.NumberFormat(locale, options).formatToParts(1)
      return plainText(parts.find(({ type }) => type === 'currency')?.value ?? currency).trim()
    }),
  )
  return [...new Set(names)].sort((one, other) => other.length - one.length)
}

function nameOf(unit: Unit): string {
  return unit === 'credits' ? unit : unit.currency
}

/** The decimals of the currency: 2 for USD, 0 for JPY. */
function decimalsOf(unit: Unit): number {
  if (unit === 'credits') return 0
  const { currency } = unit
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

/** The amount as an input shows it: `readAmount` reads the same amount again. */
export function writeAmount(
  amount: number,
  unit: Unit,
  { locale }: Notation,
  useGrouping = false,
): string {
  const decimals = decimalsOf(unit)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(locale, { ...digits, useGrouping }).format(amount / 10 ** decimals)
}

/** The amount with its unit, in the person's locale: `$200.50`, `25,000 credits`. */
export function showAmount(amount: number, unit: Unit, notation: Notation): string {
  if (unit === 'credits') {
    return `${writeAmount(amount, unit, notation, true)} ${amount === 1 ? 'credit' : 'credits'}`
  }
  const style = { style: 'currency', currency: unit.currency } as const
  return new Intl.NumberFormat(notation.locale, style).format(amount / 10 ** decimalsOf(unit))
}
