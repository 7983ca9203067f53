import { describe, expect, test } from 'vitest'
import {
  readAmount,
  showAmount,
  type Unit,
  writeAmount,
} from '../../../console/src/components/forms/amount.ts'
import { notationOf } from '../../../console/src/components/forms/notation.ts'

const usd = { currency: 'USD' }

function read(locale: string, text: string, unit: Unit = usd): number | null | string {
  const reading = readAmount(text, unit, notationOf(locale))
  if (reading.kind === 'empty') return null
  return reading.kind === 'amount' ? reading.amount : reading.message
}

/** The locales of CLDR that differ in marks, digits or groups. */
const locales = [
  ...[
    'en-US',
    'en-GB',
    'en-IN',
    'en-ZA',
    'en-CH',
    'de-DE',
    'de-AT',
    'de-CH',
    'fr-FR',
    'fr-CH',
    'fr-CA',
  ],
  ...[
    'es-ES',
    'es-MX',
    'it-IT',
    'it-CH',
    'pt-BR',
    'pt-PT',
    'nl-NL',
    'sv-SE',
    'nb-NO',
    'fi-FI',
    'da-DK',
  ],
  ...[
    'pl-PL',
    'cs-CZ',
    'ru-RU',
    'uk-UA',
    'bg-BG',
    'hu-HU',
    'tr-TR',
    'el-GR',
    'he-IL',
    'ja-JP',
    'zh-CN',
  ],
  ...[
    'ar-EG',
    'ar-MA',
    'ar-SA',
    'fa-IR',
    'ur-PK',
    'hi-IN',
    'mr-IN',
    'ne-NP',
    'bn-BD',
    'my-MM',
    'th-TH',
  ],
  ...['hi-IN-u-nu-deva', 'th-TH-u-nu-thai', 'ta-IN-u-nu-tamldec', 'ja-JP-u-nu-fullwide', 'dz-BT'],
]

const units = [
  usd,
  { currency: 'EUR' },
  { currency: 'JPY' },
  { currency: 'KWD' },
  'credits',
] as const

describe.each(locales)('an amount in %s', (locale) => {
  test.each(units)('is read as it is written, plain, in groups and with its unit: %j', (unit) => {
    const notation = notationOf(locale)
    for (const amount of [0, 5, 20_050, 100_000, 123_456_789, 999_999_999_999_999]) {
      const shown = showAmount(amount, unit, notation).replace(' credits', '')
      const forms = [false, true].map((groups) => writeAmount(amount, unit, notation, groups))
      for (const text of [...forms, shown]) {
        expect([text, read(locale, text, unit)]).toEqual([text, amount])
      }
    }
  })

  test.each([
    '1e3',
    '0x10',
    '0b1',
    '1_000',
    'many',
    'Infinity',
    'NaN',
    '1.2.3',
    '1,2,3',
    '½',
    '5²',
  ])('%s is no number', (text) => {
    expect(typeof read(locale, text)).toBe('string')
    expect(typeof read(locale, text, 'credits')).toBe('string')
  })

  test('has one mark before decimals: the other one is refused, with how to write it', () => {
    const { decimalMarks } = notationOf(locale)
    for (const mark of ['.', ',']) {
      const answer = read(locale, `200${mark}50`)
      if (decimalMarks.has(mark)) expect(answer).toBe(20_050)
      else {
        const rightly = writeAmount(20_050, usd, notationOf(locale), true)
        expect(answer).toContain(`Write ${rightly} or `)
      }
    }
  })
})

describe('what was read wrongly', () => {
  test.each([
    ['en-US', '200,50', 'It is not clear which number this is. Write 200.50 or 20,050.00.'],
    ['en-US', '1.000', 'It is not clear which number this is. Write 1.00 or 1,000.00.'],
    ['en-US', '1,00', 'It is not clear which number this is. Write 1.00 or 100.00.'],
    ['en-US', '1e3', 'It must be a number with at most 2 decimals, such as 1,234.50.'],
    ['en-US', '0x10', 'It must be a number with at most 2 decimals, such as 1,234.50.'],
    ['de-DE', '200.50', 'It is not clear which number this is. Write 200,50 or 20.050,00.'],
    ['de-DE', '1,000', 'It is not clear which number this is. Write 1,00 or 1.000,00.'],
  ])('%s %s: %s', (locale, text, message) => {
    expect(read(locale, text)).toBe(message)
  })
})

describe('money', () => {
  test.each([
    ['en-US', '1,000', 100_000],
    ['en-US', '1 000.5', 100_050],
    ['en-US', "1'000", 100_000],
    ['en-US', '$200.50', 20_050],
    ['en-US', '200.50 $', 20_050],
    ['en-US', 'USD 200.50', 20_050],
    ['en-US', '+5', 500],
    ['en-US', '.5', 50],
    ['en-US', '  7  ', 700],
    ['en-US', '', null],
    ['en-IN', '1,00,000', 10_000_000],
    ['en-IN', '100,000', 10_000_000],
    ['de-DE', '1.234,50', 123_450],
    ['de-CH', "1'234.50", 123_450],
    ['de-CH', '1’234.50', 123_450],
    ['de-AT', '1.234,50', 123_450],
    ['fr-FR', '1 234,50', 123_450],
    ['fr-CH', '1 234.50', 123_450],
    ['ar-EG', '١٬٢٣٤٫٥٠', 123_450],
    ['ar-EG', '1234', 123_400],
    ['hi-IN', '१,२३,४५६', 12_345_600],
  ])('%s %j is %j', (locale, text, amount) => {
    expect(read(locale, text)).toBe(amount)
  })

  test.each([
    ['en-US', '-5', /negative/],
    ['en-US', '−5', /negative/],
    ['en-US', '€5', /in USD/],
    ['en-US', '5.', /such as 1,234.50/],
    ['en-US', '1.2345', /at most 2 decimals/],
    ['en-US', '1,00,000', /Write 100.00 or 100,000.00/],
    ['en-US', '1000,000', /not clear/],
    ['en-US', '0,123', /such as 1,234.50/],
    ['en-US', '1,000 000', /such as 1,234.50/],
    ['en-US', '1٢', /such as 1,234.50/],
    ['en-US', '99999999999999999999', /too large/],
  ])('%s %j is refused', (locale, text, message) => {
    expect(read(locale, text)).toMatch(message)
  })

  test('has the decimals of its currency', () => {
    expect(read('en-US', '1,234', { currency: 'JPY' })).toBe(1234)
    expect(read('en-US', '12.5', { currency: 'JPY' })).toMatch(/an integer, such as 1,234/)
    expect(read('en-US', '1.234', { currency: 'KWD' })).toBe(1234)
  })
})

describe('credits', () => {
  test.each([
    ['en-US', '1,000', 1000],
    ['en-US', '25000', 25_000],
    ['de-DE', '1.000', 1000],
    ['sv-SE', '1 000', 1000],
  ])('%s %j is %j', (locale, text, amount) => {
    expect(read(locale, text, 'credits')).toBe(amount)
  })

  test.each([
    ['en-US', '1.000', /Write 1 or 1,000\./],
    ['de-DE', '1,000', /Write 1 or 1\.000\./],
    ['en-US', '1.5', /an integer/],
    ['en-US', '12.00', /an integer/],
    ['en-US', '$5', /in credits/],
    ['en-US', '-1', /negative/],
    ['en-US', '9007199254740992', /too large/],
  ])('%s %j is refused', (locale, text, message) => {
    expect(read(locale, text, 'credits')).toMatch(message)
  })
})
