import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Statement } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { usualPriority } from '../ledger/ledger-entry.service.ts'
import { priceOfRecharge, type RechargeAsking } from '../low-balance/next-recharge.service.ts'
import { planOf, priceList } from '../prices/price-list.ts'
import type { SubscriptionTier } from '../prices/tiers.ts'
import { dayMs, horizonDays, type Supply } from './calendar.ts'
import type { ForecastCredits } from './forecast.type.ts'
import type { Recharging } from './futures.ts'

interface AccountRow {
  readonly asOf: Date
  readonly createdAt: Date
  readonly available: number
  /** The tier of a subscription that renews; null: none does. */
  readonly tier: SubscriptionTier | null
  readonly isRecharged: boolean
  readonly thresholdCredits: number | null
  readonly packageId: string | null
  readonly monthlyCapCents: number | null
  readonly paymentMethod: string | null
  readonly spentCents: number
}

const forecastAccount: Statement = {
  name: 'forecast-account',
  text: `
    SELECT now() AS "asOf", a.created_at AS "createdAt",
      account.available(b.account_id, b.environment, b.balance, b.held, b.next_expiry_at) AS available,
      CASE WHEN s.status = 'active' AND a.status = 'ACTIVE' THEN coalesce(s.next_tier, s.tier) END AS tier,
      -- Nothing is bought while a payment waits for its payer, nor before a debt is paid otherwise.
      coalesce(r.enabled AND r.state IN ('idle', 'pending'), false) AND b.balance >= 0
        AND NOT EXISTS (SELECT FROM account.payment_block k WHERE k.account_id = $1
          AND k.environment = $2 AND k.lifted_at IS NULL) AS "isRecharged",
      r.threshold_credits AS "thresholdCredits", r.package_id AS "packageId",
      r.monthly_cap_cents AS "monthlyCapCents", r.payment_method AS "paymentMethod",
      (SELECT coalesce(sum(p.total_cents), 0)::bigint FROM account.payment p
        WHERE p.account_id = $1 AND p.environment = $2 AND p.kind = 'auto_recharge'
          AND p.status NOT IN ('failed', 'expired')
          AND p.created_at >= date_trunc('month', now(), 'UTC')) AS "spentCents"
    FROM account.account a
    JOIN account.balance b ON b.account_id = a.id AND b.environment = $2
    LEFT JOIN account.subscription s ON s.account_id = a.id AND s.environment = $2
    LEFT JOIN account.auto_recharge r ON r.account_id = a.id AND r.environment = $2
    WHERE a.id = $1`,
}

/** Further lots are counted as credits that never expire. */
const maxLots = 200

const forecastLots: Statement = {
  name: 'forecast-lots',
  text: `
    SELECT credits_left AS credits, (lot).priority, (lot).expires_at AS "expiresAt"
    FROM account.lots_left($1, $2, -1, '-infinity', 0, ${maxLots})
    WHERE (lot).expires_at < 'infinity'`,
}

interface LotRow {
  readonly credits: number
  readonly priority: number
  readonly expiresAt: Date
}

/** A year of periods as short as an operator may set them for a trial would be millions. */
const maxRenewals = 400

const forecastRenewals: Statement = {
  name: 'forecast-renewals',
  text: `
    SELECT s.anchor_at + n * s.period AS "beginsAt", s.anchor_at + (n + 1) * s.period AS "endsAt"
    FROM account.subscription s,
      generate_series(account.periods_begun(s.anchor_at, s.period, now())::int,
        account.periods_begun(s.anchor_at, s.period, now())::int + ${maxRenewals}) AS n
    WHERE s.account_id = $1 AND s.environment = $2
      AND s.anchor_at + n * s.period <= now() + interval '${horizonDays} days'
    ORDER BY n`,
}

interface Renewal {
  readonly beginsAt: Date
  readonly endsAt: Date
}

/** The facts about an account from which a forecast is made, but for what it spends. */
export interface AccountOutlook {
  readonly asOf: Date
  readonly createdAt: Date
  readonly available: number
  readonly supplies: readonly Supply[]
  readonly permanentCredits: number
  /** The next allowance; null: none comes. */
  readonly renewal: ForecastCredits | null
  /** Credits that expire within the horizon, the first ones first. */
  readonly expiring: readonly ForecastCredits[]
  readonly recharging: Recharging | null
}

/** The lots, the allowances that come, and the recharges. */
export async function readOutlook(
  asking: RechargeAsking,
  owner: AccountScope,
): Promise<AccountOutlook> {
  const { database } = asking
  const { accountId, environment } = owner
  const key = [accountId, environment]
  const [account] = await database.query<AccountRow>(forecastAccount, key)
  if (!account) throw new Error(`The account ${accountId} has no balance.`)
  const lots = await database.query<LotRow>(forecastLots, key)
  const { asOf, createdAt, available, tier } = account
  const renewals = tier ? await database.query<Renewal>(forecastRenewals, key) : []
  const monthlyCredits = tier ? planOf(tier).monthly_credits : 0
  const daysUntil = (at: Date) => (at.getTime() - asOf.getTime()) / dayMs
  const present = lots.map(({ credits, priority, expiresAt }) => ({
    ...{ credits, priority, fromDay: 0, untilDay: daysUntil(expiresAt) },
  }))
  const coming = renewals.map(({ beginsAt, endsAt }) => ({
    ...{ credits: monthlyCredits, priority: usualPriority },
    ...{ fromDay: Math.max(0, daysUntil(beginsAt)), untilDay: daysUntil(endsAt) },
  }))
  const [next] = renewals
  const horizonMs = asOf.getTime() + horizonDays * dayMs
  return {
    ...{ asOf, createdAt, available },
    supplies: [...present, ...coming].sort(
      (one, other) => one.priority - other.priority || one.untilDay - other.untilDay,
    ),
    permanentCredits: available - lots.reduce((sum, { credits }) => sum + credits, 0),
    renewal: next ? { changesAt: next.beginsAt, credits: monthlyCredits } : null,
    expiring: lots
      .filter(({ expiresAt }) => expiresAt.getTime() <= horizonMs)
      .map(({ expiresAt, credits }) => ({ changesAt: expiresAt, credits }))
      .sort((one, other) => one.changesAt.getTime() - other.changesAt.getTime()),
    recharging: await rechargingOf(account, asking, owner),
  }
}

/** How recharging goes on; null: it is off, it waits for a person, or it buys nothing as it is. */
async function rechargingOf(
  account: AccountRow,
  asking: RechargeAsking,
  owner: AccountScope,
): Promise<Recharging | null> {
  const { isRecharged, thresholdCredits, packageId, monthlyCapCents: cap, paymentMethod } = account
  const offer = priceList.packages.find(({ id }) => id === packageId)
  if (!isRecharged || !offer || thresholdCredits === null) return null
  if (paymentMethod === null || !asking.canCharge(paymentMethod)) return null
  const buys = { thresholdCredits, credits: offer.credits }
  if (cap === null) {
    return { ...buys, perMonth: Number.POSITIVE_INFINITY, leftThisMonth: Number.POSITIVE_INFINITY }
  }
  const totalCents = await totalOf(offer.price_cents, asking, owner)
  const purchasesFor = (cents: number) => Math.max(0, Math.floor(cents / totalCents))
  return {
    ...buys,
    perMonth: purchasesFor(cap),
    leftThisMonth: purchasesFor(cap - account.spentCents),
  }
}

/** The price with tax, as a recharge is checked against the cap; without it if nobody can tell the tax now. */
async function totalOf(
  priceCents: number,
  asking: RechargeAsking,
  owner: AccountScope,
): Promise<number> {
  try {
    return (await priceOfRecharge(asking, owner, priceCents)).totalCents
  } catch (error) {
    if (error instanceof DomainError && error.extensions.code === 'SERVICE_UNAVAILABLE')
      return priceCents
    throw error
  }
}
