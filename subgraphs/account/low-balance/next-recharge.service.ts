import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { PriceWithTax, Pricing } from '../payments/invoices/tax.service.ts'
import { priceList } from '../prices/price-list.ts'
import { getAutoRecharge } from './auto-recharge.service.ts'
import {
  type AutoRecharge,
  AutoRechargeNeed,
  AutoRechargeState,
  type NextRecharge,
  RechargeObstacle,
} from './auto-recharge.type.ts'
import { spentThisMonth } from './recharge.service.ts'

export interface RechargeAsking {
  readonly database: Database
  /** Whether the provider of the environment can charge a method while its holder is absent. */
  readonly canCharge: (paymentMethod: string) => boolean
  /** Returns how to price a net amount for the account. */
  readonly pricingOf: (priceCents: number) => Promise<Pricing>
}

const rechargeWaits: Statement = {
  name: 'next-recharge-waits',
  text: `SELECT b.balance < 0 AS "isNegative", r.try_at AS "tryAt"
    FROM account.balance b LEFT JOIN account.auto_recharge r
      ON r.account_id = b.account_id AND r.environment = b.environment AND r.try_at > now()
    WHERE b.account_id = $1 AND b.environment = $2`,
}

interface Waits {
  readonly isNegative: boolean
  /** When the next one may be tried; null: at once. */
  readonly tryAt: Date | null
}

/** What this net price costs the account now. Throws SERVICE_UNAVAILABLE if nobody can tell its tax. */
export async function priceOfRecharge(
  { database, pricingOf }: Pick<RechargeAsking, 'database' | 'pricingOf'>,
  owner: AccountScope,
  priceCents: number,
): Promise<PriceWithTax> {
  const pricing = await pricingOf(priceCents)
  return database.transaction((tx) => pricing(tx, owner, priceCents))
}

/** What recharging would buy when the balance falls below its threshold, or why it would not. */
export async function nextRecharge(
  asking: RechargeAsking,
  owner: AccountScope,
): Promise<NextRecharge> {
  const { database, canCharge } = asking
  const key = [owner.accountId, owner.environment]
  const settings = await getAutoRecharge(database, owner, canCharge)
  const [spent = { cents: 0 }] = await database.query<{ cents: number }>(spentThisMonth, key)
  const [waits] = await database.query<Waits>(rechargeWaits, key)
  if (!waits) throw new Error(`The account ${owner.accountId} has no balance.`)
  const { thresholdCredits: belowCredits, packageId, monthlyCapCents } = settings
  const offer = priceList.packages.find(({ id }) => id === packageId)
  const price = offer ? await priceOfRecharge(asking, owner, offer.price_cents) : null
  return {
    ...{ belowCredits, packageId, credits: offer?.credits ?? null, monthlyCapCents },
    obstacle: obstacleOf(settings, { price, spentCents: spent.cents, ...waits }),
    ...amountsOf(price),
    currency: priceList.currency,
    spentCents: spent.cents,
    earliestAt: waits.tryAt,
  }
}

function amountsOf(price: PriceWithTax | null) {
  const { priceCents = null, taxCents = null, totalCents = null } = price ?? {}
  return { priceCents, taxCents, totalCents }
}

interface Purchase extends Pick<Waits, 'isNegative'> {
  /** Null: the package is not on sale. */
  readonly price: PriceWithTax | null
  readonly spentCents: number
}

function obstacleOf(
  { enabled, state, missing, monthlyCapCents }: AutoRecharge,
  { isNegative, price, spentCents }: Purchase,
): RechargeObstacle | null {
  if (!enabled) return RechargeObstacle.off
  if (state === AutoRechargeState.suspended) return RechargeObstacle.suspended
  if (state !== AutoRechargeState.idle) return RechargeObstacle.under_way
  if (isNegative) return RechargeObstacle.negative_balance
  if (missing.includes(AutoRechargeNeed.payment_method)) return RechargeObstacle.payment_method
  if (price === null) return RechargeObstacle.package_id
  const cap = monthlyCapCents ?? Number.POSITIVE_INFINITY
  return spentCents + price.totalCents > cap ? RechargeObstacle.monthly_cap : null
}
