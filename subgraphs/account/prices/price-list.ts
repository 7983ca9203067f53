import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { countryCodes } from '../../../schema/vocabulary/billing/countries.ts'
import { taxIdProblem } from '../../../schema/vocabulary/billing/vat-ids.ts'
import { currencyProblem } from './currencies.ts'
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

const country = z.enum(countryCodes, 'must be a country code of ISO 3166 alpha-2')

/** A rate of tax in percent, such as 19 or 5.5. */
const rate = z.number().min(0).max(100).multipleOf(0.01)

const line = z.string().trim().min(1).max(200)

const seller = z
  .strictObject({
    name: line,
    address: z.strictObject({
      line1: line,
      line2: line.optional(),
      city: line,
      postal_code: z.string().max(200),
      state: line.optional(),
    }),
    country,
    tax_id: line.optional(),
    email: line.optional(),
  })
  .superRefine(({ country, tax_id = null }, context) => {
    const problem = tax_id === null ? null : taxIdProblem(country, tax_id)
    if (problem) context.addIssue({ code: 'custom', path: ['tax_id'], message: problem })
  })

// The cents of every amount would be another unit, for example a hundred times the price in yen.
const currency = z.string().superRefine((code, context) => {
  const problem = currencyProblem(code)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

const priceListSchema = z
  .strictObject({
    currency,
    packages: z.array(creditPackage).min(1),
    subscriptions: z.array(subscriptionPlan),
    tax: z.partialRecord(country, rate).nullish(),
    seller: seller.nullish(),
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
  .refine(({ tax, seller }) => !tax || Boolean(seller), {
    path: ['seller'],
    message: 'is needed where tax is charged',
  })
  .transform(({ tax, seller, ...rest }) => ({ ...rest, tax: tax ?? {}, seller: seller ?? null }))

function areDistinct(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length
}

/** `price-list.yaml`: net prices in cents, credits as integers, rates of tax in percent by country. */
export type PriceList = z.infer<typeof priceListSchema>
type SubscriptionPlan = PriceList['subscriptions'][number]

const file = join(projectRoot, 'subgraphs/account/prices/price-list.yaml')

/** The price list is unusable. The message has the reason and the path of each mistake. */
class PriceListError extends Error {
  override readonly name = 'PriceListError'
}

/** `text` is YAML. Throws PriceListError with all mistakes. */
export function parsePriceList(text: string): PriceList {
  const parsed = priceListSchema.safeParse(parse(text))
  if (parsed.success) return parsed.data
  throw new PriceListError(`${file} is not a price list:\n${z.prettifyError(parsed.error)}`)
}

export const priceList: PriceList = parsePriceList(readFileSync(file, 'utf8'))

export function planOf(tier: SubscriptionTier): SubscriptionPlan {
  const plan = priceList.subscriptions.find((one) => one.tier === tier)
  if (!plan) throw new Error(`No subscription is named ${tier}.`)
  return plan
}

/** The plans on sale, the cheapest first. */
export const plansByPrice: readonly SubscriptionPlan[] = priceList.subscriptions.toSorted(
  (one, other) =>
    one.price_cents - other.price_cents || one.monthly_credits - other.monthly_credits,
)

/** The place of a plan among all: a change to a plan of a higher rank is an upgrade. */
export function tierRank(tier: SubscriptionTier): number {
  return plansByPrice.findIndex((one) => one.tier === tier)
}

/** The name of the seller that every copy of the price list begins with. */
export const exampleSeller = 'Example Gateway Operator'
