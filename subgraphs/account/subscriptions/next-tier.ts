import { plansByPrice } from '../prices/price-list.ts'

/** The parameter `$3` of a statement with `lowestTier`: the tiers by their rank, the lowest first. */
export const tiersByRank: readonly string[] = plansByPrice.map(({ tier }) => tier)

interface Reasons {
  readonly chosen: string
  readonly loweredBy: string
}

/**
 * SQL of an UPDATE of the subscription of `$1` and `$2`: the lowest of the tier that was chosen and of those
 * before the upgrades whose money came back, whatever their order. Null: the tier stays.
 */
export const lowestTier = ({ chosen, loweredBy }: Reasons): string => `(
  SELECT wanted.tier FROM (
    SELECT from_plan AS tier FROM account.payment
    WHERE account_id = $1 AND environment = $2 AND id = ANY (${loweredBy})
    UNION ALL SELECT ${chosen}::text
  ) AS wanted
  WHERE wanted.tier IS NOT NULL ORDER BY array_position($3::text[], wanted.tier) LIMIT 1)`
