import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { SubscriptionTier, Tier } from './tiers.ts'

const amount = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

const creditPackage = z.strictObject({
  id: z.string().regex(/^pack_[a-z0-9_]+$/),
  tier: z.enum(Tier),
  name: z.string().min(1),
  credits: amount,
  price_cents: amount,
})

const subscriptionPlan = z.strictObject({
  tier: z.enum(SubscriptionTier),
  name: z.string().min(1),
  monthly_credits: amount,
  price_cents: amount,
})

const priceListSchema = z
  .strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/),
    packages: z.array(creditPackage).min(1),
    subscriptions: z.array(subscriptionPlan),
    addons: z.strictObject({
      mass_mail: z.strictObject({ monthly_quota: amount }),
      rank_tracking: z.strictObject({ keyword_limit: amount }),
    }),
  })
  .refine(({ packages }) => areDistinct(packages.map(({ id }) => id)), 'two packages share an id')
  .refine(
    ({ subscriptions }) =>
      Object.values(SubscriptionTier).every((tier) => subscriptions.some((s) => s.tier === tier)),
    'every subscription tier needs an entry',
  )

function areDistinct(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length
}

/** The offers of `price-list.yaml`: prices in cents, credits as integers. */
export type PriceList = z.infer<typeof priceListSchema>
type SubscriptionPlan = PriceList['subscriptions'][number]

const file = join(projectRoot, 'subgraphs/account/prices/price-list.yaml')

/** Throws an error that names the path of every mistake in the file. */
function readPriceList(): PriceList {
  const parsed = priceListSchema.safeParse(parse(readFileSync(file, 'utf8')))
  if (parsed.success) return parsed.data
  throw new Error(`${file} is not a price list:\n${z.prettifyError(parsed.error)}`)
}

export const priceList: PriceList = readPriceList()

export function planOf(tier: SubscriptionTier): SubscriptionPlan {
  const plan = priceList.subscriptions.find((one) => one.tier === tier)
  if (!plan) throw new Error(`No subscription is named ${tier}.`)
  return plan
}
