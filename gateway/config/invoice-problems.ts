import {
  FontsError,
  printFonts,
  unprintable,
} from '../../subgraphs/account/payments/invoices/pdf/fonts/print-fonts.ts'
import { priceList } from '../../subgraphs/account/prices/price-list.ts'
import { ConfigError, type KnownConfig } from './config.ts'

/** Whether a process of this role prints invoices. */
export function printsInvoices(role: string): boolean {
  return role === 'all' || role === 'account'
}

/** Whoever prints invoices must be able to print what is the operator's own: throws a ConfigError. */
export async function requirePrintableInvoices(config: KnownConfig): Promise<void> {
  const problems = await invoiceProblems(config)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
}

/** The fonts that cannot be used, and the texts of the price list that cannot be printed; a line each. */
export async function invoiceProblems({ INVOICE_FONTS }: KnownConfig): Promise<readonly string[]> {
  try {
    if (INVOICE_FONTS !== undefined) await printFonts(INVOICE_FONTS)
    const problems = await unprintable(printedTexts(), INVOICE_FONTS)
    return Array.from(problems, ([place, message]) => `price-list.yaml: ${place} ${message}`)
  } catch (error) {
    if (!(error instanceof FontsError)) throw error
    return error.problems.map((problem) => `INVOICE_FONTS ${problem}`)
  }
}

function printedTexts(): Record<string, string | undefined> {
  const { seller, packages, subscriptions } = priceList
  const { line1, line2, city, postal_code, state } = seller?.address ?? {}
  const address = { line1, line2, city, postal_code, state }
  const named = (place: string, text: string | undefined) => [place, text] as const
  return Object.fromEntries([
    named('seller.name', seller?.name),
    named('seller.tax_id', seller?.tax_id),
    named('seller.email', seller?.email),
    ...Object.entries(address).map(([name, text]) => named(`seller.address.${name}`, text)),
    ...packages.map(({ name }, index) => named(`packages.${index}.name`, name)),
    ...subscriptions.map(({ name }, index) => named(`subscriptions.${index}.name`, name)),
  ])
}
