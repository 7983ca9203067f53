/** The form of a VAT id, and an id of this form. */
interface VatIdForm {
  readonly pattern: RegExp
  readonly example: string
}

/**
 * The VAT ids of the countries of the EU, by ISO 3166 code, as VIES takes them. Greek ids begin with EL.
 * Check digits are not checked.
 */
const forms: Readonly<Record<string, VatIdForm>> = {
  AT: { pattern: /^ATU\d{8}$/, example: 'ATU12345678' },
  BE: { pattern: /^BE[01]\d{9}$/, example: 'BE0123456789' },
  BG: { pattern: /^BG\d{9,10}$/, example: 'BG123456789' },
  CY: { pattern: /^CY\d{8}[A-Z]$/, example: 'CY12345678X' },
  CZ: { pattern: /^CZ\d{8,10}$/, example: 'CZ12345678' },
  DE: { pattern: /^DE\d{9}$/, example: 'DE123456789' },
  DK: { pattern: /^DK\d{8}$/, example: 'DK12345678' },
  EE: { pattern: /^EE\d{9}$/, example: 'EE123456789' },
  // The first and the last character are letters or digits, but not both are digits.
  ES: { pattern: /^ES([A-Z]\d{7}[A-Z\d]|\d{8}[A-Z])$/, example: 'ESX1234567X' },
  FI: { pattern: /^FI\d{8}$/, example: 'FI12345678' },
  FR: { pattern: /^FR[A-HJ-NP-Z\d]{2}\d{9}$/, example: 'FR12345678901' },
  GR: { pattern: /^EL\d{9}$/, example: 'EL123456789' },
  HR: { pattern: /^HR\d{11}$/, example: 'HR12345678901' },
  HU: { pattern: /^HU\d{8}$/, example: 'HU12345678' },
  IE: { pattern: /^IE(\d[A-Z\d+*]\d{5}[A-Z]|\d{7}[A-Z]{2})$/, example: 'IE1234567WA' },
  IT: { pattern: /^IT\d{11}$/, example: 'IT12345678901' },
  LT: { pattern: /^LT(\d{9}|\d{12})$/, example: 'LT123456789' },
  LU: { pattern: /^LU\d{8}$/, example: 'LU12345678' },
  LV: { pattern: /^LV\d{11}$/, example: 'LV12345678901' },
  MT: { pattern: /^MT\d{8}$/, example: 'MT12345678' },
  NL: { pattern: /^NL\d{9}B\d{2}$/, example: 'NL123456789B01' },
  PL: { pattern: /^PL\d{10}$/, example: 'PL1234567890' },
  PT: { pattern: /^PT\d{9}$/, example: 'PT123456789' },
  RO: { pattern: /^RO\d{2,10}$/, example: 'RO1234567890' },
  SE: { pattern: /^SE\d{12}$/, example: 'SE123456789001' },
  SI: { pattern: /^SI\d{8}$/, example: 'SI12345678' },
  SK: { pattern: /^SK\d{10}$/, example: 'SK1234567890' },
}

/** ISO 3166 codes of the countries of the EU. */
export const euCountries: readonly string[] = Object.keys(forms)

/** An id as it is stored: VAT ids of the EU without the spaces, dots and hyphens that people write. */
export function normalTaxId(country: string, taxId: string): string {
  return forms[country] ? taxId.toUpperCase().replaceAll(/[ .-]/g, '') : taxId
}

/**
 * The mistake in a tax id of this country; null: there is none. In the EU it must have the form of
 * the country's VAT ids. Elsewhere every text may be a tax id.
 */
export function taxIdProblem(country: string, taxId: string): string | null {
  const form = forms[country]
  if (!form || form.pattern.test(normalTaxId(country, taxId))) return null
  return `must be a VAT id of ${country} such as ${form.example}`
}
