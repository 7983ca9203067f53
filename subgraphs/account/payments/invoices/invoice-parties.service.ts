import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Queryable, Statement } from '../../../shared/database/statement.ts'
import { priceList } from '../../prices/price-list.ts'
import { getBillingDetails } from './billing-details.service.ts'
import type { InvoiceParty } from './pdf/invoice-document.ts'

/** The seller of the price list; null: none is configured. */
export function currentSeller(): InvoiceParty | null {
  const { seller } = priceList
  if (!seller) return null
  const { name, address, country, tax_id = null, email = null } = seller
  const { line1, line2 = null, city, postal_code: postalCode, state = null } = address
  return {
    ...{ name, country, taxId: tax_id, email, purchaseOrder: null },
    address: { line1, line2, city, postalCode, state },
  }
}

const holderOf: Statement = {
  name: 'invoice-buyer',
  text: 'SELECT name, email FROM account.account WHERE id = $1',
}

/** The buyer by the billing details as they are now; without details, the holder of the account. */
export async function currentBuyer(
  database: Queryable,
  owner: AccountScope,
): Promise<InvoiceParty> {
  const details = await getBillingDetails(database, owner)
  const [holder] = await database.query<{ name: string; email: string }>(holderOf, [
    owner.accountId,
  ])
  if (!holder) throw new Error(`The account ${owner.accountId} is missing.`)
  const { address, country, taxId, purchaseOrder } = details
  const name = details.name ?? holder.name
  return { name, address, country, taxId, email: holder.email, purchaseOrder }
}
