import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { Tier } from '../prices/tiers.ts'

@ObjectType({ description: 'Credits for sale.' })
export class CreditPackage {
  @Field(() => ID, { description: '`pack_…`' })
  id!: string

  @Field(() => Tier, { description: 'The tier that buying it raises an account to.' })
  tier!: Tier

  @Field(() => String, { description: 'For people.' })
  name!: string

  @Field(() => GraphQLSafeInt, { description: 'How many; they do not expire.' })
  credits!: number

  @Field(() => GraphQLSafeInt, { description: 'The price, in cents of the currency.' })
  priceCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string
}

/** The purpose of a payment. */
export type PaymentKind = 'checkout' | 'auto_recharge' | 'subscription'

@ObjectType({ description: 'That a notification came from its provider, and was taken note of.' })
export class PaymentNotificationReceipt {
  @Field(() => Boolean, { description: 'Always true.' })
  received!: boolean
}
