import type { AccountContext } from '../settings/account-settings.ts'
import type { PaymentContext } from './payment-collection.service.ts'
import { configuredProviders } from './providers/configured.ts'

const ignore = () => {}

/** The parts of a request that payments need. */
export async function paymentContext(context: AccountContext): Promise<PaymentContext> {
  const { database, caller, gatewaySecret, baseUrls, payments } = context
  const providers = await configuredProviders(context)
  const { warn = ignore, count = ignore } = payments ?? {}
  return { database, caller, gatewaySecret, baseUrls, payments, providers, warn, count }
}
