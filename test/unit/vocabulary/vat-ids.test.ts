import { describe, expect, test } from 'vitest'
import {
  euCountries,
  normalTaxId,
  taxIdProblem,
} from '../../../schema/vocabulary/billing/vat-ids.ts'

/** Ids of every form that a country has, and texts that can be no id of it. */
const cases: readonly (readonly [country: string, valid: string[], invalid: string[]])[] = [
  ['AT', ['ATU12345678'], ['AT12345678', 'ATU1234567', 'ATU123456789', 'ATX12345678']],
  ['BE', ['BE0123456789', 'BE1234567890'], ['BE2123456789', 'BE123456789', 'BE01234567890']],
  ['BG', ['BG123456789', 'BG1234567890'], ['BG12345678', 'BG12345678901']],
  ['CY', ['CY12345678X'], ['CY123456789', 'CY1234567X', 'CY12345678']],
  ['CZ', ['CZ12345678', 'CZ123456789', 'CZ1234567890'], ['CZ1234567', 'CZ12345678901']],
  ['DE', ['DE123456789'], ['DE12345678', 'DE1234567890', 'DE12345678A', '123456789']],
  ['DK', ['DK12345678'], ['DK1234567', 'DK123456789']],
  ['EE', ['EE123456789'], ['EE12345678', 'EE1234567890']],
  ['ES', ['ESX1234567X', 'ESX12345678', 'ES12345678X'], ['ES123456789', 'ESX123456X']],
  ['FI', ['FI12345678'], ['FI1234567', 'FI123456789']],
  ['FR', ['FR12345678901', 'FRXX123456789', 'FR1X123456789'], ['FRIO123456789', 'FR1234567890']],
  ['GR', ['EL123456789'], ['GR123456789', 'EL12345678']],
  ['HR', ['HR12345678901'], ['HR1234567890', 'HR123456789012']],
  ['HU', ['HU12345678'], ['HU1234567', 'HU123456789']],
  ['IE', ['IE1234567X', 'IE1X23456X', 'IE1+23456X', 'IE1234567WA'], ['IE12345678', 'IE123456X']],
  ['IT', ['IT12345678901'], ['IT1234567890', 'IT123456789012']],
  ['LT', ['LT123456789', 'LT123456789012'], ['LT1234567890', 'LT12345678']],
  ['LU', ['LU12345678'], ['LU1234567', 'LU123456789']],
  ['LV', ['LV12345678901'], ['LV1234567890']],
  ['MT', ['MT12345678'], ['MT1234567', 'MT123456789']],
  ['NL', ['NL123456789B01'], ['NL123456789A01', 'NL12345678B01', 'NL123456789B1']],
  ['PL', ['PL1234567890'], ['PL123456789', 'PL12345678901']],
  ['PT', ['PT123456789'], ['PT12345678', 'PT1234567890']],
  ['RO', ['RO12', 'RO1234567890'], ['RO1', 'RO12345678901']],
  ['SE', ['SE123456789001'], ['SE1234567890', 'SE1234567890012']],
  ['SI', ['SI12345678'], ['SI1234567', 'SI123456789']],
  ['SK', ['SK1234567890'], ['SK123456789', 'SK12345678901']],
]

describe('a VAT id', () => {
  test('has a form in each of the 27 countries of the EU', () => {
    expect(euCountries).toHaveLength(27)
    expect(cases.map(([country]) => country)).toEqual(euCountries)
  })

  test.each(cases)('of %s has the form of its country', (country, valid, invalid) => {
    for (const id of valid) expect([id, taxIdProblem(country, id)]).toEqual([id, null])
    for (const id of [...invalid, '', country, `${valid[0]}0`.repeat(3), 'XX123456789']) {
      expect([id, taxIdProblem(country, id)]).toEqual([
        id,
        expect.stringMatching(`^must be a VAT id of ${country} such as [A-Z]{2}[A-Z0-9]+$`),
      ])
    }
  })

  test('may be written with spaces, dots, hyphens and small letters', () => {
    for (const id of ['de 123 456 789', 'DE-123.456.789']) {
      expect(taxIdProblem('DE', id)).toBeNull()
      expect(normalTaxId('DE', id)).toBe('DE123456789')
    }
  })

  test('is any text outside of the EU, and stays as it is', () => {
    for (const country of ['US', 'GB', 'CH', 'NO']) {
      expect(taxIdProblem(country, '12-345 abc')).toBeNull()
      expect(normalTaxId(country, '12-345 abc')).toBe('12-345 abc')
    }
  })
})
