import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { isCountryCode } from '../../../../schema/vocabulary/billing/countries.ts'
import { normalTaxId, taxIdProblem } from '../../../../schema/vocabulary/billing/vat-ids.ts'
import type { Queryable, Statement } from '../../../shared/database/statement.ts'
import type { Transaction } from '../../../shared/database/transaction.ts'
import { requireAll } from '../../../shared/graph/checks.ts'
import type { BillingAddress, BillingDetails, BillingDetailsInput } from './billing-details.type.ts'
import { unprintable } from './pdf/fonts/print-fonts.ts'

interface DetailsRow extends BillingAddress {
  readonly name: string
  readonly country: string
  readonly taxId: string | null
  readonly purchaseOrder: string | null
}

const detailsOf: Statement = {
  name: 'billing-details',
  text: `SELECT name, line1, line2, city, postal_code AS "postalCode", state, country,
      tax_id AS "taxId", purchase_order AS "purchaseOrder"
    FROM account.billing_details WHERE account_id = $1 AND environment = $2`,
}

const nothingSaid: BillingDetails = {
  name: null,
  address: null,
  country: null,
  taxId: null,
  purchaseOrder: null,
}

/** The buyer on invoices; all null before the account has set details. */
export async function getBillingDetails(
  database: Queryable,
  { accountId, environment }: AccountScope,
): Promise<BillingDetails> {
  const [row] = await database.query<DetailsRow>(detailsOf, [accountId, environment])
  if (!row) return nothingSaid
  const { name, country, taxId, purchaseOrder, ...address } = row
  return { name, address, country, taxId, purchaseOrder }
}

const setDetails: Statement = {
  name: 'billing-details-set',
  text: `INSERT INTO account.billing_details (account_id, environment, name, line1, line2, city,
      postal_code, state, country, tax_id, purchase_order)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (account_id, environment) DO UPDATE SET name = excluded.name,
      line1 = excluded.line1, line2 = excluded.line2, city = excluded.city,
      postal_code = excluded.postal_code, state = excluded.state, country = excluded.country,
      tax_id = excluded.tax_id, purchase_order = excluded.purchase_order, updated_at = now()`,
}

/** The fields with letters that invoices cannot show, with a message each. */
export function unprintableDetails(
  { name, address, taxId, purchaseOrder }: BillingDetailsInput,
  fontFolder: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const { line1, line2, city, postalCode, state } = address
  const texts = {
    ...{ name, 'address.line1': line1, 'address.line2': line2, 'address.city': city },
    ...{ 'address.postal_code': postalCode, 'address.state': state },
    ...{ tax_id: taxId, purchase_order: purchaseOrder },
  }
  return unprintable(texts, fontFolder)
}

/**
 * Replaces the details. Earlier invoices keep the details that they have. Throws INVALID_REQUEST for
 * unprintable fields, for an unknown country, and for a VAT id of the EU that does not have the form of its
 * country.
 */
export async function setBillingDetails(
  tx: Transaction,
  owner: AccountScope,
  { name, address, country, taxId = null, purchaseOrder = null }: BillingDetailsInput,
  unprintableFields: ReadonlyMap<string, string>,
): Promise<BillingDetails> {
  const problem = taxId === null ? null : taxIdProblem(country, taxId)
  requireAll([
    ['country', isCountryCode(country), 'must be a country code of ISO 3166 alpha-2'],
    ['tax_id', problem === null, String(problem)],
    ...Array.from(unprintableFields, ([field, message]) => [field, false, message] as const),
  ])
  const { line1, line2, city, postalCode, state } = address
  await tx.query(setDetails, [
    ...[owner.accountId, owner.environment, name, line1, line2, city, postalCode, state, country],
    ...[taxId && normalTaxId(country, taxId), purchaseOrder],
  ])
  return getBillingDetails(tx, owner)
}
