import { registerEnumType } from 'type-graphql'
import { rpsByPackTier, rpsBySubscriptionTier } from '../../../schema/vocabulary/rate-tiers.ts'

/** The names of the credit-pack tiers (docs/spec.md §4). */
export enum Tier {
  STARTER = 'STARTER',
  GROWTH = 'GROWTH',
  PROFESSIONAL = 'PROFESSIONAL',
  BUSINESS = 'BUSINESS',
  ENTERPRISE = 'ENTERPRISE',
  SCALE = 'SCALE',
}

/** The names of the hybrid subscription tiers (docs/spec.md §4). */
export enum SubscriptionTier {
  pro_sub = 'pro_sub',
  business_sub = 'business_sub',
  enterprise_sub = 'enterprise_sub',
}

const tierRps: Readonly<Record<Tier, number>> = rpsByPackTier
const subscriptionTierRps: Readonly<Record<SubscriptionTier, number>> = rpsBySubscriptionTier

registerEnumType(Tier, {
  name: 'Tier',
  description: 'A credit-pack tier.',
  valuesConfig: describeRps(tierRps),
})
registerEnumType(SubscriptionTier, {
  name: 'SubscriptionTier',
  description: 'A hybrid subscription tier.',
  valuesConfig: describeRps(subscriptionTierRps),
})

/** Requests per second. A subscription never lowers the limit (docs/spec.md §8.2). */
export function effectiveRps(tier: Tier, subscriptionTier: SubscriptionTier | null): number {
  const subscriptionRps = subscriptionTier ? subscriptionTierRps[subscriptionTier] : 0
  return Math.max(tierRps[tier], subscriptionRps)
}

function describeRps(rpsByTier: Readonly<Record<string, number>>) {
  const described = Object.entries(rpsByTier).map(([tier, rps]) => [
    tier,
    { description: `Allows ${rps} requests per second.` },
  ])
  return Object.fromEntries(described)
}
