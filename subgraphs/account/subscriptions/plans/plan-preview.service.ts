import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { rpsBySubscriptionTier } from '../../../../schema/vocabulary/rate-tiers.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import { getBillingDetails } from '../../payments/invoices/billing-details.service.ts'
import type { PriceWithTax } from '../../payments/invoices/tax.service.ts'
import type { PaymentContext } from '../../payments/payment-collection.service.ts'
import type { PaymentProvider } from '../../payments/providers/payment-provider.ts'
import { pricingFor } from '../../payments/tax/tax-of-sale.ts'
import { planOf, plansByPrice, priceList } from '../../prices/price-list.ts'
import type { SubscriptionTier } from '../../prices/tiers.ts'
import type { BillingSettings } from '../../settings/account-settings.ts'
import { findSubscription } from '../subscription.service.ts'
import { amountsOfUpgrade, type PlanTerms, type Share, shareLeft } from './plan-amounts.ts'
import {
  PlanChangeKind,
  PlanChangeStatus,
  type PlanList,
  type PlanPreview,
} from './plan-change.type.ts'
import { buyerOf, quoteSeconds, sealQuote } from './plan-quote.ts'
import {
  judgeChange,
  type PlanState,
  planStateOf,
  timeOf,
  type WantedPlan,
} from './plan-state.service.ts'

/** What plans need of a request. */
export interface PlanContext extends PaymentContext {
  readonly billing: BillingSettings
}

/** The plans on sale, what the account has, and what it waits for. */
export async function listPlans(
  { database, billing }: Pick<PlanContext, 'database' | 'billing'>,
  owner: AccountScope,
): Promise<PlanList> {
  const [state, subscription] = await Promise.all([
    planStateOf(database, owner, billing.period),
    findSubscription(database, owner),
  ])
  return {
    currency: priceList.currency,
    plans: plansByPrice.map(({ tier, name }) => ({ tier, name, ...contentsOf(tier) })),
    subscription,
    pendingChange: pendingChangeOf(state),
    contactUrl: billing.plansContactUrl ?? null,
  }
}

function pendingChangeOf({ pending, subscription }: PlanState): PlanList['pendingChange'] {
  if (pending) {
    return { ...pending, status: PlanChangeStatus.pending_payment, effectiveAt: null }
  }
  // No period follows in which another plan could begin.
  if (!subscription?.nextTier || subscription.isEnding) return null
  const { nextTier: tier, periodEnd: effectiveAt } = subscription
  const none = { paymentId: null, actionUrl: null }
  return { ...none, status: PlanChangeStatus.scheduled, tier, effectiveAt }
}

function contentsOf(tier: SubscriptionTier) {
  return { ...termsOf(tier), rateLimitRps: rpsBySubscriptionTier[tier] }
}

function termsOf(tier: SubscriptionTier): PlanTerms {
  const { price_cents: priceCents, monthly_credits: monthlyCredits } = planOf(tier)
  return { priceCents, monthlyCredits }
}

/** Throws CONFLICT if the operator does not sell plans through the gateway. */
export function refuseOffline({ plansContactUrl }: BillingSettings): void {
  if (plansContactUrl === undefined) return
  throw new DomainError('CONFLICT', `Plans are not changed here: ask at ${plansContactUrl}.`)
}

/** Throws SERVICE_UNAVAILABLE if nobody collects payments. */
export function providerFor({ providers }: PlanContext, owner: AccountScope): PaymentProvider {
  const provider = providers[owner.environment]
  if (!provider) throw new DomainError('SERVICE_UNAVAILABLE', 'Payments are not taken here.')
  return provider
}

const nothing: PriceWithTax = { priceCents: 0, taxCents: 0, totalCents: 0, tax: null }

/**
 * What a change of the plan would do and cost. Nothing changes; a change that costs something now gets a quote.
 * Throws as `judgeChange` does, and SERVICE_UNAVAILABLE if payments or their tax are not available.
 */
export async function previewPlan(
  context: PlanContext,
  owner: AccountScope,
  wanted: WantedPlan,
): Promise<PlanPreview> {
  const { database, billing, gatewaySecret } = context
  refuseOffline(billing)
  const state = await planStateOf(database, owner, billing.period)
  const kind = judgeChange(state, wanted)
  const { tier } = wanted
  const { asOf, subscription, firstPeriodEnd } = state
  const isNow = kind === PlanChangeKind.start || kind === PlanChangeKind.upgrade
  const share = shareOf(state)
  const sale = isNow ? await priceChange(context, owner, { state, tier, share }) : null
  const { grantedCredits = 0, price = nothing } = sale ?? {}
  const expiresAt = new Date(asOf.getTime() + quoteSeconds * 1000)
  const { priceCents, taxCents, totalCents } = price
  const onceCollected = totalCents > 0 ? null : asOf
  const fromTier = subscription?.tier ?? null
  const renewsAt = subscription?.periodEnd ?? firstPeriodEnd
  const { monthlyCredits, rateLimitRps, priceCents: renewalCents } = contentsOf(tier)
  const quote = sale && {
    ...{ tier, fromTier, periodStart: subscription?.periodStart.toISOString() ?? null },
    ...{ expiresAt: expiresAt.toISOString(), ...price, grantedCredits, buyer: sale.buyer },
    currency: priceList.currency,
  }
  return {
    ...{ kind, tier, fromTier, asOf, ...share, grantedCredits },
    when: timeOf(kind),
    effectiveAt: kind === PlanChangeKind.downgrade ? renewsAt : onceCollected,
    ...{ dueCents: priceCents, taxCents, totalCents, currency: priceList.currency },
    ...{ renewalCents, renewsAt, monthlyCredits, rateLimitRps },
    quoteId: quote && sealQuote(gatewaySecret, owner, quote),
    quoteExpiresAt: quote && expiresAt,
  }
}

/** A subscription that begins has a whole period before it. */
function shareOf({ asOf, subscription, firstPeriodEnd }: PlanState): Share {
  const { periodStart, periodEnd } = subscription ?? {
    periodStart: asOf,
    periodEnd: firstPeriodEnd,
  }
  return shareLeft({ periodStart, periodEnd, asOf })
}

interface Sale {
  readonly price: PriceWithTax
  readonly grantedCredits: number
  readonly buyer: string
}

interface PricedChange {
  readonly state: PlanState
  readonly tier: SubscriptionTier
  readonly share: Share
}

const noPlan: PlanTerms = { priceCents: 0, monthlyCredits: 0 }

/** What is paid and granted now: nothing, if the provider does not collect so little. */
async function priceChange(
  context: PlanContext,
  owner: AccountScope,
  { state: { subscription }, tier, share }: PricedChange,
): Promise<Sale> {
  const { minimumCents } = providerFor(context, owner)
  const from = subscription ? termsOf(subscription.tier) : noPlan
  const { dueCents, grantedCredits } = amountsOfUpgrade(from, termsOf(tier), share)
  const details = await getBillingDetails(context.database, owner)
  const buyer = buyerOf(details)
  if (dueCents === 0) return { price: nothing, grantedCredits: 0, buyer }
  const pricing = await pricingFor(context, owner, async () => dueCents)
  const price = await context.database.transaction((tx) => pricing(tx, owner, dueCents))
  const isCollected = price.totalCents >= minimumCents
  return isCollected
    ? { price, grantedCredits, buyer }
    : { price: nothing, grantedCredits: 0, buyer }
}
