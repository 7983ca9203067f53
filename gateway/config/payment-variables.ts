import type { Variables } from './variables/variables.ts'

/** The roles that collect payments. */
const collectsPayments = new Set(['all', 'account', 'worker'])

/**
 * Stripe needs both secrets: with one alone the gateway would collect payments without
 * notifications, or get notifications that it cannot check. Live payments are never simulated by
 * accident, because that would give credits without a payment.
 */
export function paymentProblems(given: Variables, role: string, hasDatabase: boolean): string[] {
  const isMissing = (name: string) => given[name] === undefined
  const secrets = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET']
  const ofStripe = [...secrets, 'STRIPE_API_URL'].filter((name) => !isMissing(name))
  if (given.PAYMENTS === 'simulated' && ofStripe.length > 0) {
    const names = ofStripe.join(', ')
    return [`PAYMENTS must not be simulated beside ${names}: nothing would be collected`]
  }
  const collects = collectsPayments.has(role)
  if (given.STRIPE_TAX === 'on' && collects && ofStripe.length === 0) {
    return [
      'STRIPE_TAX needs Stripe: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or turn it off',
    ]
  }
  if (ofStripe.length > 0 || (given.PAYMENTS === 'stripe' && collects)) {
    return secrets.filter(isMissing).map((name) => `${name} is required to use Stripe`)
  }
  if (role !== 'all' || !hasDatabase || !isMissing('PAYMENTS')) return []
  return [
    'PAYMENTS is required with DATABASE_URL: stripe, with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or simulated, which gives credits for nothing',
  ]
}
