/**
 * Currencies without cents: by ISO 4217 they have another minor unit than the hundredth, or none.
 * Madagascar's is a fifth, and Stripe takes whole ariary.
 */
const withoutCents = new Set([
  ...['BIF', 'CLF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'MGA', 'PYG', 'RWF', 'UGX'],
  ...['UYI', 'UYW', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'],
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'],
  ...['XAG', 'XAU', 'XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XPD', 'XPT', 'XSU', 'XTS', 'XUA', 'XXX'],
])

/** Why prices cannot be in this currency; null if they can. */
export function currencyProblem(code: string): string | null {
  if (!Intl.supportedValuesOf('currency').includes(code)) {
    return 'must be a currency code of ISO 4217, such as USD'
  }
  return withoutCents.has(code)
    ? `must be a currency with two decimals: amounts are in cents, which ${code} does not have`
    : null
}
