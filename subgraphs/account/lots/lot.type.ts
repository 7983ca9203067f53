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
    allowance: { description: 'The allowance of a period of the subscription.' },
    grant: { description: 'A grant by an operator, or the starting balance.' },
    refund: { description: 'A refund of a charge whose own lots are unknown or have expired.' },
    adjustment: { description: 'A correction by an operator.' },
    reinstatement: {
      description:
        'Credits that were taken back with a payment, and returned after their own lots had expired.',
    },
  },
})

@ObjectType({ description: 'Credits that were entered at one time, as far as they are left.' })
export class CreditLot {
  @Field(() => ID, { description: '`lot_…`' })
  id!: string

  @Field(() => LotSource, { description: 'The source of the credits.' })
  source!: LotSource

  @Field(() => GraphQLSafeInt, { description: 'How many credits were entered.' })
  grantedCredits!: number

  @Field(() => GraphQLSafeInt, { description: 'How many credits are left, at least 1.' })
  remainingCredits!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the remaining credits expire; null: never.',
  })
  expiresAt!: Date | null

  @Field(() => ID, { nullable: true, description: '`pay_…`: the payment that bought them.' })
  paymentId!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When they were entered.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of lots, in the order in which they are used up.' })
export class CreditLotPage {
  @Field(() => [CreditLot], { description: 'The lots of this page.' })
  items!: CreditLot[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}
