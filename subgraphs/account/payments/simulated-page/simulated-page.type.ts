import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { CheckoutStatus } from '../checkouts/checkout.type.ts'

@ObjectType({ description: 'A card of the simulated provider.' })
export class SimulatedCard {
  @Field(() => String, { description: 'Such as `simulated_slow`.' })
  name!: string

  @Field(() => String, { description: 'What it does, for people.' })
  description!: string
}

@ObjectType({ description: 'What the page of the simulated provider shows of a payment.' })
export class SimulatedPayment {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => CheckoutStatus, { description: 'Where the payment stands here.' })
  status!: CheckoutStatus

  @Field(() => String, {
    description: 'Where it stands at the provider: open, confirming, paid, declined or closed.',
  })
  state!: string

  @Field(() => String, { description: 'What is bought.' })
  description!: string

  @Field(() => GraphQLSafeInt, { description: 'Price and tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'ISO 4217.' })
  currency!: string

  @Field(() => [SimulatedCard], { description: 'The cards that the payer can choose.' })
  cards!: SimulatedCard[]

  @Field(() => String, { nullable: true, description: 'What has just happened, for people.' })
  notice!: string | null

  @Field(() => String, { description: 'Where the payer goes back to.' })
  returnUrl!: string

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the page is closed.' })
  expiresAt!: Date | null
}
