import type { Database, Statement } from '../shared/database.ts'
import { DomainError } from '../shared/errors.ts'
import type { Invoice, InvoiceStatus } from './payment.type.ts'
import type { Owner } from './subscription.service.ts'

interface InvoiceRow {
  readonly id: string
  readonly number: string
  readonly status: InvoiceStatus
  readonly total_cents: number
  readonly currency: string
  readonly credits: number
  readonly description: string
  readonly created_at: Date
}

const columns = 'id, number, status, total_cents, currency, credits, description, created_at'

const invoicesNewestFirst: Statement = {
  name: 'invoices-newest-first',
  text: `SELECT ${columns} FROM account.invoice
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

const invoiceById: Statement = {
  name: 'invoice-by-id',
  text: `SELECT ${columns} FROM account.invoice
    WHERE account_id = $1 AND environment = $2 AND id = $3`,
}

function toInvoice({ total_cents, created_at, ...row }: InvoiceRow): Invoice {
  return { ...row, totalCents: total_cents, createdAt: created_at }
}

interface InvoicePageOptions {
  readonly limit: number
  readonly beforeId: string | null
}

/** At most `limit` invoices, newest first. */
export async function listInvoices(
  database: Database,
  { accountId, environment }: Owner,
  { limit, beforeId }: InvoicePageOptions,
): Promise<Invoice[]> {
  const values = [accountId, environment, beforeId, limit]
  return (await database.query<InvoiceRow>(invoicesNewestFirst, values)).map(toInvoice)
}

/** Throws NOT_FOUND for another account's invoice too, so that ids cannot be probed. */
export async function getInvoice(
  database: Database,
  { accountId, environment }: Owner,
  id: string,
): Promise<Invoice> {
  const [row] = await database.query<InvoiceRow>(invoiceById, [accountId, environment, id])
  if (!row) throw new DomainError('NOT_FOUND', 'No invoice has this id.')
  return toInvoice(row)
}
