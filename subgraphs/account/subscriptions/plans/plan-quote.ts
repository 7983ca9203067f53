import { z } from 'zod'
import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { macKey, open, seal, sha256 } from '../../../../schema/credentials/secrets.ts'
import type { BillingDetails } from '../../payments/invoices/billing-details.type.ts'
import { SubscriptionTier } from '../../prices/tiers.ts'

/** How long the amounts of a preview hold. */
export const quoteSeconds = 600

const cents = z.int().min(0)

const quoteSchema = z.strictObject({
  tier: z.enum(SubscriptionTier),
  /** Null: it starts a subscription. */
  fromTier: z.enum(SubscriptionTier).nullable(),
  /** The period of an upgrade, ISO 8601; null for a start. */
  periodStart: z.string().nullable(),
  /** ISO 8601. */
  expiresAt: z.string(),
  priceCents: cents,
  taxCents: cents,
  totalCents: cents,
  grantedCredits: cents,
  currency: z.string(),
  tax: z
    .object({
      country: z.string(),
      ratePercent: z.number(),
      isReverseCharge: z.boolean(),
      taxId: z.string().nullable(),
      quote: z.string().optional(),
    })
    .nullable(),
  /** What the tax was computed for. */
  buyer: z.string(),
})

/** The amounts of a change of the plan, as a preview has promised them. */
export type PlanQuote = Readonly<z.infer<typeof quoteSchema>>

/** The id that a client sends back: the quote itself, sealed for its account. So nothing has to be kept. */
export function sealQuote(gatewaySecret: string, owner: AccountScope, quote: PlanQuote): string {
  return `quo_${seal(macKey(gatewaySecret, 'plan-quote'), JSON.stringify(quote), contextOf(owner))}`
}

/** The quote behind an id; null if we did not make it, or made it for another account or environment. */
export function openQuote(
  gatewaySecret: string,
  owner: AccountScope,
  quoteId: string,
): PlanQuote | null {
  const [prefix, ...sealed] = quoteId.split('_')
  if (prefix !== 'quo') return null
  const text = open(macKey(gatewaySecret, 'plan-quote'), sealed.join('_'), contextOf(owner))
  // Another release may have made it.
  return text === null ? null : (quoteSchema.safeParse(JSON.parse(text)).data ?? null)
}

function contextOf({ accountId, environment }: AccountScope): string {
  return `${accountId}/${environment}`
}

/** Stands for the details by which a tax is computed: another text, another tax. */
export function buyerOf({ country, address, taxId }: BillingDetails): string {
  return sha256(JSON.stringify([country, address, taxId])).slice(0, 16)
}
