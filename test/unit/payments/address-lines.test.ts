import { describe, expect, test } from 'vitest'
import { addressLines } from '../../../subgraphs/account/payments/invoices/pdf/address-lines.ts'

const street = { line1: '1 Road', line2: null }

describe('the lines of an address', () => {
  test.each([
    ['US', 'San Francisco', 'CA', '94105', ['San Francisco, CA 94105', 'United States (US)']],
    ['US', 'San Francisco', null, '94105', ['San Francisco 94105', 'United States (US)']],
    ['PR', 'San Juan', 'PR', '00901', ['San Juan, PR 00901', 'Puerto Rico (PR)']],
    ['CA', 'Toronto', 'ON', 'M5V 2T6', ['Toronto ON M5V 2T6', 'Canada (CA)']],
    ['AU', 'Sydney', 'NSW', '2000', ['Sydney NSW 2000', 'Australia (AU)']],
    ['GB', 'London', null, 'SW1A 1AA', ['London', 'SW1A 1AA', 'United Kingdom (GB)']],
    ['IE', 'Cork', 'Co. Cork', 'T12 X2Y3', ['Cork', 'Co. Cork', 'T12 X2Y3', 'Ireland (IE)']],
    ['IN', 'Pune', 'Maharashtra', '411001', ['Pune 411001', 'Maharashtra', 'India (IN)']],
    ['DE', 'Berlin', null, '10115', ['10115 Berlin', 'Germany (DE)']],
    ['ES', 'Elche', 'Alicante', '03201', ['03201 Elche', 'Alicante', 'Spain (ES)']],
    ['HK', 'Kowloon', null, '', ['Kowloon', 'Hong Kong SAR China (HK)']],
  ])('follow the post of %s: %s %s %s', (country, city, state, postalCode, expected) => {
    const lines = addressLines({ ...street, city, state, postalCode }, country)

    expect(lines).toEqual(['1 Road', ...expected])
  })

  test('have the second line, and nothing of what is unknown', () => {
    const address = { line1: '1 Road', line2: 'Floor 2', city: 'X', postalCode: '', state: null }

    expect(addressLines(address, null)).toEqual(['1 Road', 'Floor 2', 'X'])
    expect(addressLines(null, 'FR')).toEqual(['France (FR)'])
    expect(addressLines(null, null)).toEqual([])
  })
})
