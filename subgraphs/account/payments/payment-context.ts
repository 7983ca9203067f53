import type { AccountContext } from '../settings/account-settings.ts'
import type { PaymentContext } from './payment-collection.service.ts'
import { configuredProviders } from './providers/configured.ts'

/** What work on payments needs of a request. */
export async function paymentContext(context: AccountContext): Promise<PaymentContext> {
  const { database, caller, payments } = context
  const providers = await configuredProviders(context)
  return { database, caller, providers, warn: payments?.warn ?? (() => {}) }
}
