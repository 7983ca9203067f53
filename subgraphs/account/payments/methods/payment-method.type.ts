import { Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A card that is stored at the payment provider.' })
export class PaymentMethod {
  @Field(() => ID, { description: '`pm_…`' })
  id!: string

  @Field(() => String, { description: 'The brand of the card, such as `visa`.' })
  brand!: string

  @Field(() => String, { description: 'The last four digits of its number.' })
  last4!: string

  @Field(() => Int, { description: 'The month in which it expires: 1 to 12.' })
  expMonth!: number

  @Field(() => Int, { description: 'The year in which it expires.' })
  expYear!: number

  @Field(() => Boolean, { description: 'Whether recharges and renewals use this card.' })
  isDefault!: boolean

  @Field(() => GraphQLISODateTime, { description: 'When the card was stored.' })
  createdAt!: Date
}

@ObjectType({ description: 'A page of payment methods, newest first.' })
export class PaymentMethodPage {
  @Field(() => [PaymentMethod], { description: 'The payment methods of this page.' })
  items!: PaymentMethod[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}
