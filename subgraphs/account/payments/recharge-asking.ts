import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { RechargeAsking } from '../low-balance/next-recharge.service.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { paymentContext } from './payment-context.ts'
import { canCharge } from './providers/configured.ts'
import { pricingFor } from './tax/tax-of-sale.ts'

/** How the account would pay for a recharge: the provider of its environment, and the tax of its billing details. */
export async function rechargeAsking(
  context: AccountContext,
  owner: AccountScope,
): Promise<RechargeAsking> {
  const payments = await paymentContext(context)
  return {
    database: context.database,
    canCharge: (method) => canCharge(context, owner.environment, method),
    pricingOf: (priceCents) => pricingFor(payments, owner, async () => priceCents),
  }
}
