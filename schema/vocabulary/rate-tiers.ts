/** Requests per second of the credit-pack tiers (docs/spec.md §8). */
export const rpsByPackTier = {
  STARTER: 10,
  GROWTH: 10,
  PROFESSIONAL: 25,
  BUSINESS: 25,
  ENTERPRISE: 50,
  SCALE: 50,
} as const

/** Requests per second of the hybrid subscription tiers. */
export const rpsBySubscriptionTier = {
  pro_sub: 25,
  business_sub: 50,
  enterprise_sub: 100,
} as const

/** The names of the subscription tiers. */
export const subscriptionTiers = ['pro_sub', 'business_sub', 'enterprise_sub'] as const
