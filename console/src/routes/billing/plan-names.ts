import type { Subscription } from 'credit-gateway-sdk'

const names: Readonly<Record<Subscription['tier'], string>> = {
  ...{ pro_sub: 'Pro', business_sub: 'Business', enterprise_sub: 'Enterprise' },
}

/** The name of a plan for people. */
export function planName(tier: Subscription['tier']): string {
  return names[tier]
}
