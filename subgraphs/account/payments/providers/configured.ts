import { deriveKey } from '../../../../schema/credentials/secrets.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { simulatedProvider } from './simulated.ts'
import { stripeProvider } from './stripe.ts'

/** Who collects the payments of each environment, and whom earlier payments may have been given to. */
export interface PaymentProviders {
  /** Null: nobody, so no payment is taken. */
  readonly live: PaymentProvider | null
  readonly sandbox: PaymentProvider
  readonly all: readonly PaymentProvider[]
}

/** Stripe collects live payments where it is configured. They are simulated only where that is said. */
export async function configuredProviders({
  payments,
  gatewaySecret,
}: Pick<AccountContext, 'payments' | 'gatewaySecret'>): Promise<PaymentProviders> {
  const key = deriveKey(gatewaySecret, 'payment-notification')
  const simulated = simulatedProvider({ key, notificationUrls: payments?.notificationUrls })
  const sandbox = { sandbox: simulated }
  if (payments?.simulatesLive) return { ...sandbox, live: simulated, all: [simulated] }
  if (!payments?.stripe) return { ...sandbox, live: null, all: [simulated] }
  const live = await stripeProvider(payments.stripe, payments.warn)
  return { ...sandbox, live, all: [live, simulated] }
}
