import { newId } from '../../../schema/vocabulary/ids.ts'
import type { TestAccount, TestGateway } from '../gateway/gateway.ts'

/** Stores a payment method that Stripe keeps for the account, and returns its id here. */
export async function storeMethod(
  { database }: Pick<TestGateway, 'database'>,
  { id }: Pick<TestAccount, 'id'>,
  reference: string,
): Promise<string> {
  const [method] = await database.query<{ id: string }>(
    `INSERT INTO account.payment_method (id, account_id, environment, provider, reference, brand,
       last4, exp_month, exp_year)
     VALUES ($1, $2, 'live', 'stripe', $3, 'visa', '4242', 1, 2040)
     ON CONFLICT (account_id, environment, provider, reference) DO UPDATE SET brand = 'visa'
     RETURNING id`,
    [newId('pm'), id, reference],
  )
  return method?.id ?? ''
}
