import { describe, expect, test } from 'vitest'
import {
  shareOf,
  taxCentsOf,
  taxOf,
} from '../../../subgraphs/account/payments/invoices/tax-rules.ts'
import { parsePriceList } from '../../../subgraphs/account/prices/price-list.ts'

describe('the tax on a price', () => {
  test.each([
    [1000, 19, 190],
    [1, 19, 0],
    [2, 25, 1],
    [10, 5, 1],
    [10, 4.99, 0],
    [9, 5, 0],
    [150, 5.5, 8],
    [100, 25.5, 26],
    [333, 100, 333],
    [1000, 0, 0],
    [Number.MAX_SAFE_INTEGER - 1, 50, (Number.MAX_SAFE_INTEGER - 1) / 2],
  ])('of %d cents at %d %% is %d cents, rounded half up', (price, rate, tax) => {
    expect(taxCentsOf(price, rate)).toBe(tax)
  })

  test('is in proportion for parts, and that of all parts is that of the whole', () => {
    for (const [tax, total] of [
      [19, 119],
      [49, 100],
      [1, 4],
      [50, 100],
    ] as const) {
      let before = 0
      for (let part = 1; part <= total; part += 1) {
        const taxed = shareOf(tax, part, total)
        expect(taxed - before).toBeGreaterThanOrEqual(0)
        expect(taxed - before).toBeLessThanOrEqual(1)
        before = taxed
      }
      expect(before).toBe(tax)
    }
  })
})

describe('a sale', () => {
  const rules = { sellerCountry: 'LU', rates: { LU: 17, DE: 19, US: 8.25 } }

  test.each([
    ['without a country', null, null],
    ['to a country without a rate', 'JP', null],
    ['to a country of the EU without a rate', 'FR', null],
  ])('%s is not taxed', (_, country, tax) => {
    expect(taxOf({ country, taxId: null }, rules)).toEqual(tax)
  })

  test.each([
    ['a consumer abroad', 'DE', null, 19],
    ["a company of the seller's country", 'LU', 'LU12345678', 17],
    ['a company outside of the EU', 'US', '12-3456789', 8.25],
  ])('to %s has the rate of the country', (_, country, taxId, ratePercent) => {
    const expected = { country, taxId, ratePercent, isReverseCharge: false }
    expect(taxOf({ country, taxId }, rules)).toEqual(expected)
  })

  test.each([
    ['DE', 'DE123456789'],
    ['FR', 'FR12345678901'],
  ])('to a company of another country of the EU (%s) is reverse charge', (country, taxId) => {
    const expected = { country, taxId, ratePercent: 0, isReverseCharge: true }
    expect(taxOf({ country, taxId }, rules)).toEqual(expected)
  })

  test('is never reverse charge where no seller is configured', () => {
    const without = { sellerCountry: null, rates: {} }
    expect(taxOf({ country: 'DE', taxId: 'DE123456789' }, without)).toBeNull()
  })
})

describe('price-list.yaml', () => {
  const offers = `
currency: EUR
packages: [{ id: pack_a, tier: STARTER, name: A, credits: 1, price_cents: 1 }]
subscriptions:
  - { tier: pro_sub, name: Pro, monthly_credits: 1, price_cents: 1 }
  - { tier: business_sub, name: Business, monthly_credits: 1, price_cents: 1 }
  - { tier: enterprise_sub, name: Enterprise, monthly_credits: 1, price_cents: 1 }
addons: { mass_mail: { monthly_quota: 1 }, rank_tracking: { keyword_limit: 1 } }
`
  const seller = (more: string) =>
    `seller: { name: Acme, address: { line1: A, city: B, postal_code: C }, country: DE, ${more} }\n`

  test('needs neither seller nor tax', () => {
    expect(parsePriceList(offers)).toMatchObject({ seller: null, tax: {} })
  })

  test('has a seller, and rates by country', () => {
    const text = `${offers}${seller('tax_id: DE123456789')}tax: { DE: 19, FI: 25.5 }`
    expect(parsePriceList(text)).toMatchObject({
      seller: { name: 'Acme', country: 'DE', tax_id: 'DE123456789' },
      tax: { DE: 19, FI: 25.5 },
    })
  })

  test.each([
    ['a rate without a seller', 'tax: { DE: 19 }', 'seller'],
    ['a country that is none', `${seller('')}tax: { XX: 19 }`, 'tax'],
    ['a rate above 100', `${seller('')}tax: { DE: 119 }`, 'tax.DE'],
    ['a rate with three decimals', `${seller('')}tax: { DE: 19.125 }`, 'tax.DE'],
    ['a VAT id of another form', seller('tax_id: DE1'), 'seller.tax_id'],
    ['a member that nobody knows', seller('fax: 1'), 'seller'],
  ])('is refused with %s, and the place is named', (_, text, place) => {
    expect(() => parsePriceList(`${offers}${text}`)).toThrow(`at ${place}`)
  })

  test.each(['USD', 'EUR', 'CHF', 'HUF', 'IDR', 'TWD'])(
    'takes %s, which has two decimals',
    (code) => {
      const text = offers.replace('EUR', code)
      expect(parsePriceList(text)).toMatchObject({ currency: code })
    },
  )

  test.each(['JPY', 'KRW', 'CLP', 'ISK', 'UGX', 'MGA', 'XAF', 'KWD', 'BHD', 'TND', 'XDR'])(
    'is refused with %s, which has no cents, and the reason is named',
    (code) => {
      expect(() => parsePriceList(offers.replace('EUR', code))).toThrow(
        `must be a currency with two decimals: amounts are in cents, which ${code} does not have\n  → at currency`,
      )
    },
  )

  test.each(['ZZZ', 'eur', 'EURO', '7'])(
    'is refused with the currency %s, which is none',
    (code) => {
      expect(() => parsePriceList(offers.replace('EUR', JSON.stringify(code)))).toThrow(
        'must be a currency code of ISO 4217, such as USD\n  → at currency',
      )
    },
  )
})
