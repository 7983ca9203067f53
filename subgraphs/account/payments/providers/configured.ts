import { macKey } from '../../../../schema/credentials/secrets.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { simulatedProvider } from './simulated.ts'
import { simulatedPageUrl } from './simulated-page.ts'
import { stripeProvider } from './stripe.ts'

/** The provider of each environment, and all providers that earlier payments may have. */
export interface PaymentProviders {
  /** Null if no provider is configured: then no live payment is taken. */
  readonly live: PaymentProvider | null
  readonly sandbox: PaymentProvider
  readonly all: readonly PaymentProvider[]
}

/**
 * Stripe collects live payments if it is configured. They are simulated only if a setting says so.
 */
export async function configuredProviders(context: AccountContext): Promise<PaymentProviders> {
  const { payments, gatewaySecret, database } = context
  const simulated = simulatedProvider({
    key: macKey(gatewaySecret, 'payment-notification'),
    notificationUrls: payments?.notificationUrls,
    database,
    pageUrl: ({ environment, paymentId }) => simulatedPageUrl(context, environment, paymentId),
  })
  const sandbox = { sandbox: simulated }
  if (payments?.simulatesLive) return { ...sandbox, live: simulated, all: [simulated] }
  if (!payments?.stripe) return { ...sandbox, live: null, all: [simulated] }
  const live = await stripeProvider(payments.stripe, payments.warn)
  return { ...sandbox, live, all: [live, simulated] }
}
