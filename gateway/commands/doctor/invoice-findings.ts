import type { KnownConfig } from '../../config/config.ts'
import { invoiceProblems, printsInvoices } from '../../config/invoice-problems.ts'
import { type Finding, found } from './finding.ts'

/** Whether invoices can be printed: the fonts, and what the price list has for them. */
export async function invoiceFindings(
  known: KnownConfig,
  role: string,
): Promise<readonly Finding[]> {
  if (!printsInvoices(role)) return []
  const problems = await invoiceProblems(known)
  if (problems.length > 0) {
    return problems.map((problem) => {
      const [about = '', ...words] = problem.split(' ')
      return found('wrong', about.replace(/:$/, ''), words.join(' '))
    })
  }
  const { INVOICE_FONTS: folder } = known
  return folder === undefined ? [] : [found('ok', 'INVOICE_FONTS', folder)]
}
