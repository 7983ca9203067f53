import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Statement } from '../../../shared/database/database.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import type { InvoicePdf } from './invoice.type.ts'
import type { InvoiceDocument } from './pdf/invoice-document.ts'
import { renderPdf } from './pdf/pdf-renderer.ts'

const invoiceToPrint: Statement = {
  name: 'invoice-to-print',
  text: `SELECT i.type, i.number, i.status, i.created_at AS "createdAt", i.seller, i.buyer,
      i.description, i.credits, i.currency, i.price_cents AS "priceCents",
      i.tax_cents AS "taxCents", i.total_cents AS "totalCents", i.tax,
      o.number AS "originalNumber", p.settled_at AS "paidAt",
      CASE WHEN p.from_plan IS NULL THEN p.period_start ELSE p.created_at END AS "periodStart",
      p.period_end AS "periodEnd", p.provider, p.card, d.pdf
    FROM account.invoice i
    LEFT JOIN account.invoice o ON o.id = i.original_invoice_id
    LEFT JOIN account.payment p ON p.id = coalesce(i.payment_id, o.payment_id)
    LEFT JOIN account.invoice_document d ON d.invoice_id = i.id AND d.status = i.status
    WHERE i.account_id = $1 AND i.environment = $2 AND i.id = $3`,
}

interface PrintedRow extends Omit<InvoiceDocument, 'isTest'> {
  readonly status: InvoicePdf['status']
  /** The bytes of the PDF; null: nobody has asked for it yet. */
  readonly pdf: Buffer | null
}

const keepDocument: Statement = {
  name: 'invoice-keep-document',
  text: `INSERT INTO account.invoice_document (invoice_id, status, account_id, pdf)
    VALUES ($1, $2, $3, $4) ON CONFLICT (invoice_id, status) DO NOTHING RETURNING 1`,
}

const keptDocument: Statement = {
  name: 'invoice-kept-document',
  text: 'SELECT pdf FROM account.invoice_document WHERE invoice_id = $1 AND status = $2',
}

type PrintingContext = Pick<AccountContext, 'database' | 'invoiceFonts'>

/**
 * The PDF of an invoice. The first request renders it, and every later request gets the same bytes.
 * An open invoice gets another document once it is paid. Throws NOT_FOUND for another account's
 * invoice too.
 */
export async function getInvoicePdf(
  context: PrintingContext,
  owner: AccountScope,
  id: string,
): Promise<InvoicePdf> {
  const { accountId, environment } = owner
  const [row] = await context.database.query<PrintedRow>(invoiceToPrint, [
    accountId,
    environment,
    id,
  ])
  if (!row) throw new DomainError('NOT_FOUND', 'No invoice has this id.')
  const { pdf: kept, ...invoice } = row
  const { number, status } = invoice
  const pdf = kept ?? (await renderAndKeep(context, owner, id, invoice))
  return { number, status, content: pdf.toString('base64') }
}

async function renderAndKeep(
  { database, invoiceFonts }: PrintingContext,
  owner: AccountScope,
  id: string,
  row: Omit<PrintedRow, 'pdf'>,
): Promise<Buffer> {
  const { accountId, environment } = owner
  const document = { ...row, isTest: environment === 'sandbox' }
  const rendered = await renderPdf(document, owner, invoiceFonts)
  const pdf = Buffer.from(rendered)
  const kept = await database.query(keepDocument, [id, row.status, accountId, pdf])
  if (kept.length > 0) return pdf
  // Another request was first: everyone gets the same bytes.
  const [first] = await database.query<{ pdf: Buffer }>(keptDocument, [id, row.status])
  return first?.pdf ?? pdf
}
