import type { Environment } from '../../../../schema/credentials/caller.ts'
import { macKey } from '../../../../schema/credentials/secrets.ts'
import type { AccountContext } from '../../settings/account-settings.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { simulatedProvider } from './simulated.ts'
import { simulatedMethods } from './simulated-cards.ts'
import { simulatedPageUrl } from './simulated-page.ts'
import { isStripeMethod, stripeProvider } from './stripe.ts'

/** The provider of each environment, and all providers that earlier payments may have. */
export interface PaymentProviders {
  /** The provider of live payments; null if none is configured, so that no live payment is taken. */
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

/**
 * Whether the provider of the environment takes such a method for a payment whose holder is absent. The
 * simulated provider needs no stored method. Where no provider is configured, any method is taken,
 * because payments then wait for a provider.
 */
export function canCharge(
  { payments }: Pick<AccountContext, 'payments'>,
  environment: Environment,
  paymentMethod: string,
): boolean {
  if (environment === 'sandbox' || payments?.simulatesLive) {
    return simulatedMethods.includes(paymentMethod)
  }
  return payments?.stripe ? isStripeMethod(paymentMethod) : true
}
