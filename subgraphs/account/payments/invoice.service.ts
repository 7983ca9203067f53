import type { Owner } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { Invoice, InvoiceStatus } from './payment.type.ts'

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

/** What was paid for, newest first. */
export function invoicesOf(
  database: Database,
  { accountId, environment }: Owner,
): PagedList<Invoice> {
  return {
    name: 'invoices',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [accountId, environment, before, limit]
      return (await database.query<InvoiceRow>(invoicesNewestFirst, values)).map(toInvoice)
    },
  }
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
