import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../../schema/credentials/caller.ts'
import type { Database, Statement } from '../../../shared/database/database.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import type { PagedList } from '../../../shared/lists/pagination.ts'
import type { Invoice } from './invoice.type.ts'

/** An invoice, with its environment. */
export interface StoredInvoice extends Invoice {
  readonly environment: Environment
}

const columns = `id, environment, number, type, status, total_cents AS "totalCents", tax_cents AS "taxCents", currency,
  credits, description, original_invoice_id AS "originalInvoiceId", created_at AS "createdAt"`

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

/** The invoices of an account, newest first. */
export function invoicesOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<StoredInvoice> {
  return {
    name: 'invoices',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(invoicesNewestFirst, [accountId, environment, before, limit]),
  }
}

/** Throws NOT_FOUND for another account's invoice too, so that ids cannot be probed. */
export async function getInvoice(
  database: Database,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<StoredInvoice> {
  const [invoice] = await database.query<StoredInvoice>(invoiceById, [accountId, environment, id])
  if (!invoice) throw new DomainError('NOT_FOUND', 'No invoice has this id.')
  return invoice
}
