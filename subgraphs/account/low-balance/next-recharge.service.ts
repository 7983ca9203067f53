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

interface Asking {
  readonly database: Database
  /** Whether the provider of the environment can charge a method while its holder is absent. */
  readonly canCharge: (paymentMethod: string) => boolean
  /** Returns how to price a net amount for the account. */
  readonly pricingOf: (priceCents: number) => Promise<Pricing>
}

const waitingUntil: Statement = {
  name: 'next-recharge-earliest',
  text: `SELECT try_at AS "tryAt" FROM account.auto_recharge
    WHERE account_id = $1 AND environment = $2 AND try_at > now()`,
}

/** What recharging would buy when the balance falls below its threshold, or why it would not. */
export async function nextRecharge(
  { database, canCharge, pricingOf }: Asking,
  owner: AccountScope,
): Promise<NextRecharge> {
  const key = [owner.accountId, owner.environment]
  const settings = await getAutoRecharge(database, owner, canCharge)
  const [spent = { cents: 0 }] = await database.query<{ cents: number }>(spentThisMonth, key)
  const [waiting] = await database.query<{ tryAt: Date }>(waitingUntil, key)
  const { thresholdCredits: belowCredits, packageId, monthlyCapCents } = settings
  const offer = priceList.packages.find(({ id }) => id === packageId)
  const price = offer ? await priceOf(offer.price_cents) : null
  return {
    ...{ belowCredits, packageId, credits: offer?.credits ?? null, monthlyCapCents },
    obstacle: obstacleOf(settings, price, spent.cents),
    ...amountsOf(price),
    currency: priceList.currency,
    spentCents: spent.cents,
    earliestAt: waiting?.tryAt ?? null,
  }

  async function priceOf(priceCents: number): Promise<PriceWithTax> {
    const pricing = await pricingOf(priceCents)
    return database.transaction((tx) => pricing(tx, owner, priceCents))
  }
}

function amountsOf(price: PriceWithTax | null) {
  const { priceCents = null, taxCents = null, totalCents = null } = price ?? {}
  return { priceCents, taxCents, totalCents }
}

function obstacleOf(
  { enabled, state, missing, monthlyCapCents }: AutoRecharge,
  price: PriceWithTax | null,
  spentCents: number,
): RechargeObstacle | null {
  if (!enabled) return RechargeObstacle.off
  if (state === AutoRechargeState.suspended) return RechargeObstacle.suspended
  if (state !== AutoRechargeState.idle) return RechargeObstacle.under_way
  if (missing.includes(AutoRechargeNeed.payment_method)) return RechargeObstacle.payment_method
  if (price === null) return RechargeObstacle.package_id
  const cap = monthlyCapCents ?? Number.POSITIVE_INFINITY
  return spentCents + price.totalCents > cap ? RechargeObstacle.monthly_cap : null
}
