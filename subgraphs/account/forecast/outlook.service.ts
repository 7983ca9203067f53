import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { usualPriority } from '../ledger/ledger-entry.service.ts'
import { AutoRechargeState } from '../low-balance/auto-recharge.type.ts'
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
  readonly state: AutoRechargeState | null
  readonly thresholdCredits: number | null
  readonly packageId: string | null
  readonly monthlyCapCents: number | null
  readonly paymentMethod: string | null
  /** What the last recharge by this package cost with tax; null: there was none. */
  readonly lastTotalCents: number | null
  readonly spentCents: number
}

const forecastAccount: Statement = {
  name: 'forecast-account',
  text: `
    SELECT now() AS "asOf", a.created_at AS "createdAt",
      account.available(b.account_id, b.environment, b.balance, b.held, b.next_expiry_at) AS available,
      CASE WHEN s.status = 'active' AND a.status = 'ACTIVE' THEN coalesce(s.next_tier, s.tier) END AS tier,
      coalesce(r.enabled, false) AND b.balance >= 0 AND NOT EXISTS (SELECT FROM account.payment_block k
        WHERE k.account_id = $1 AND k.environment = $2 AND k.lifted_at IS NULL) AS "isRecharged",
      r.state, r.threshold_credits AS "thresholdCredits", r.package_id AS "packageId",
      r.monthly_cap_cents AS "monthlyCapCents", r.payment_method AS "paymentMethod",
      (SELECT p.total_cents FROM account.payment p
        WHERE p.account_id = $1 AND p.environment = $2 AND p.kind = 'auto_recharge'
          AND p.package_id = r.package_id
        ORDER BY p.created_at DESC LIMIT 1) AS "lastTotalCents",
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

/** The lots, the allowances that come, and the recharges. `canCharge` says whether a method can pay unattended. */
export async function readOutlook(
  database: Database,
  { accountId, environment }: AccountScope,
  canCharge: (paymentMethod: string) => boolean,
): Promise<AccountOutlook> {
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
    recharging: rechargingOf(account, canCharge),
  }
}

/** How recharging goes on; null: it is off, or it buys nothing as it is. */
function rechargingOf(
  account: AccountRow,
  canCharge: (paymentMethod: string) => boolean,
): Recharging | null {
  const { isRecharged, state, thresholdCredits, packageId, monthlyCapCents, paymentMethod } =
    account
  const offer = priceList.packages.find(({ id }) => id === packageId)
  const isWorking = isRecharged && state !== AutoRechargeState.suspended
  if (!isWorking || !offer || thresholdCredits === null) return null
  if (paymentMethod === null || !canCharge(paymentMethod)) return null
  const cap = monthlyCapCents ?? Number.POSITIVE_INFINITY
  const totalCents = account.lastTotalCents ?? offer.price_cents
  const purchasesFor = (cents: number) => Math.max(0, Math.floor(cents / totalCents))
  return {
    ...{ thresholdCredits, credits: offer.credits },
    perMonth: purchasesFor(cap),
    leftThisMonth: purchasesFor(cap - account.spentCents),
  }
}
