import type { Environment } from '../../../schema/caller.ts'
import { deriveKey } from '../../../schema/secrets.ts'
import type { SubgraphOptions } from '../../shared/context.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { simulatedProvider } from './simulated.ts'
import { stripeProvider } from './stripe.ts'

/** Who collects the payments of each environment, and whom earlier payments may have been given to. */
export interface PaymentProviders extends Readonly<Record<Environment, PaymentProvider>> {
  readonly all: readonly PaymentProvider[]
}

/** Stripe collects live payments where it is configured; everything else is simulated, and collects nothing. */
export async function configuredProviders({
  payments,
  gatewaySecret,
}: Pick<SubgraphOptions, 'payments' | 'gatewaySecret'>): Promise<PaymentProviders> {
  const key = deriveKey(gatewaySecret, 'payment-notification')
  const simulated = simulatedProvider({ key, notificationUrls: payments?.notificationUrls })
  if (!payments?.stripe) return { live: simulated, sandbox: simulated, all: [simulated] }
  const live = await stripeProvider(payments.stripe, payments.warn)
  return { live, sandbox: simulated, all: [live, simulated] }
}
