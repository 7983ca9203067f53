import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from 'type-graphql'
import { CheckoutStatus } from '../checkouts/checkout.type.ts'

/**
 * The actions of the payer on the page, and those of the provider and the bank on a paid payment.
 */
export enum SimulatedChoice {
  pay = 'pay',
  decline = 'decline',
  confirm = 'confirm',
  close = 'close',
  refund = 'refund',
  refund_part = 'refund_part',
  dispute = 'dispute',
  win = 'win',
  lose = 'lose',
}

registerEnumType(SimulatedChoice, {
  name: 'SimulatedChoice',
  description: 'A choice on the page of the simulated provider.',
  valuesConfig: {
    pay: { description: 'The payer pays with a card.' },
    decline: { description: 'The bank declines the card, or the payer refuses to confirm.' },
    confirm: { description: 'The payer confirms the payment, as the bank wants it.' },
    close: { description: 'The page is closed.' },
    refund: { description: 'The provider returns the rest of the money.' },
    refund_part: { description: 'The provider returns half of the rest.' },
    dispute: { description: 'The bank of the buyer takes the money back.' },
    win: { description: 'The dispute is won: the bank gives the money back.' },
    lose: { description: 'The dispute is lost.' },
  },
})

@ObjectType({ description: 'A card of the simulated provider.' })
export class SimulatedCard {
  @Field(() => String, { description: 'The name of the card, such as `simulated_slow`.' })
  name!: string

  @Field(() => String, { description: 'The behaviour of the card, as a sentence for people.' })
  description!: string
}

@ObjectType({ description: 'A payment, as the page of the simulated provider shows it.' })
export class SimulatedPayment {
  @Field(() => ID, { description: '`pay_…`' })
  id!: string

  @Field(() => CheckoutStatus, { description: 'The state of the payment in this gateway.' })
  status!: CheckoutStatus

  @Field(() => String, {
    description:
      'The state of the payment at the provider: open, confirming, paid, declined or closed.',
  })
  state!: string

  @Field(() => String, { description: 'The purchase.' })
  description!: string

  @Field(() => GraphQLSafeInt, { description: 'Price and tax, in cents of the currency.' })
  totalCents!: number

  @Field(() => String, { description: 'The currency, by ISO 4217.' })
  currency!: string

  @Field(() => [SimulatedCard], { description: 'The cards that the payer can choose.' })
  cards!: SimulatedCard[]

  @Field(() => [SimulatedChoice], {
    description: 'The ways in which the money can be returned now.',
  })
  returns!: SimulatedChoice[]

  @Field(() => String, {
    nullable: true,
    description: 'The latest news, as a sentence for people.',
  })
  notice!: string | null

  @Field(() => String, { description: 'The address that the payer returns to.' })
  returnUrl!: string

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the page is closed.' })
  expiresAt!: Date | null
}
