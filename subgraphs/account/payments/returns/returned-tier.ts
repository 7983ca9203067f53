import { Tier } from '../../prices/tiers.ts'

/** A package that was paid. */
export interface TierPurchase {
  readonly tier: Tier
  /** The tier of the account when the package was paid. */
  readonly tierBefore: Tier
  /** Whether all money came back. */
  readonly isReturned: boolean
}

const order = Object.values(Tier)

/**
 * The tier of an account after all money for a package came back. The account keeps its tier if
 * the package did not give it, or if another package gives it.
 */
export function tierAfterReturn(
  current: Tier,
  returned: Pick<TierPurchase, 'tier' | 'tierBefore'>,
  purchases: readonly TierPurchase[],
): Tier {
  if (current !== returned.tier) return current
  let base = returned.tierBefore
  // If the earlier package was returned too, its tier is taken back with it.
  for (;;) {
    const from = purchases.find(
      ({ tier, tierBefore, isReturned }) =>
        isReturned && tier === base && isLower(tierBefore, base),
    )
    if (!from) break
    base = from.tierBefore
  }
  const kept = purchases.filter(({ isReturned }) => !isReturned).map(({ tier }) => tier)
  const [highest = base] = [base, ...kept].toSorted((a, b) => order.indexOf(b) - order.indexOf(a))
  return isLower(highest, current) ? highest : current
}

/** Whether the first tier is lower. */
export function isLower(tier: Tier, than: Tier): boolean {
  return order.indexOf(tier) < order.indexOf(than)
}
