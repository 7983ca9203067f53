import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from 'type-graphql'

export enum LotSource {
  purchase = 'purchase',
  allowance = 'allowance',
  grant = 'grant',
  refund = 'refund',
  adjustment = 'adjustment',
  reinstatement = 'reinstatement',
}

registerEnumType(LotSource, {
  name: 'LotSource',
  description: 'The source of the credits of a lot.',
  valuesConfig: {
    purchase: { description: 'A credit package was paid.' },
    allowance: { description: 'Of a period of the subscription.' },
    grant: { description: 'Given by hand, or at the start of the account.' },
    refund: { description: 'A charge given back whose own lots are unknown, or have expired.' },
    adjustment: { description: 'A correction by hand.' },
    reinstatement: {
      description: 'Taken back with a payment and given back after its own lots had expired.',
    },
  },
})

@ObjectType({ description: 'Credits that came at once, as far as they are left.' })
export class CreditLot {
  @Field(() => ID, { description: '`lot_…`' })
  id!: string

  @Field(() => LotSource, { description: 'The source of the credits.' })
  source!: LotSource

  @Field(() => GraphQLSafeInt, { description: 'How many came, or came back.' })
  grantedCredits!: number

  @Field(() => GraphQLSafeInt, { description: 'How many are left, at least 1.' })
  remainingCredits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When what is left expires; null: never.',
  })
  expiresAt!: Date | null

  @Field(() => ID, { nullable: true, description: '`pay_…`: the payment that they came with.' })
  paymentId!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When they came.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of lots, in the order in which they burn.' })
export class CreditLotPage {
  @Field(() => [CreditLot], { description: 'The lots of this page.' })
  items!: CreditLot[]

  @Field(() => String, { nullable: true, description: 'For the next page; null on the last.' })
  nextCursor!: string | null
}
