import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { Tier } from '../prices/tiers.ts'

@ObjectType({ description: 'A package of credits that can be bought.' })
export class CreditPackage {
  @Field(() => ID, { description: '`pack_…`' })
  id!: string

  @Field(() => Tier, { description: 'The tier that an account reaches with the purchase.' })
  tier!: Tier

  @Field(() => String, { description: 'A short text for people.' })
  name!: string

  @Field(() => GraphQLSafeInt, { description: 'How many credits; they do not expire.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The price, in cents of the currency.' })
  priceCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string
}

/** The state of a payment: the first two are open, the others settled. */
export type PaymentStatus = 'requires_action' | 'pending' | 'paid' | 'failed' | 'expired'

/** The purpose of a payment. */
export type PaymentKind = 'checkout' | 'auto_recharge' | 'subscription' | 'plan'

/** Whether somebody who can confirm the payment is there when it begins. */
export function isPayerPresent(kind: PaymentKind): boolean {
  return kind === 'checkout' || kind === 'plan'
}

@ObjectType({
  description: 'A confirmation that the notification came from its provider and was stored.',
})
export class PaymentNotificationReceipt {
  @Field(() => Boolean, { description: 'Always true.' })
  received!: boolean
}
