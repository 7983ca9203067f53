import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'

@ObjectType({ description: 'The credits at one instant.' })
export class CreditBalance {
  @Field(() => GraphQLSafeInt, { description: 'The balance: the sum of the ledger.' })
  balance!: number

  @Field(() => GraphQLSafeInt, {
    description: 'The credits that are held for requests in progress.',
  })
  held!: number

  @Field(() => GraphQLSafeInt, {
    description:
      'The credits that a new request can spend: balance less held, less what has expired and has no entry yet.',
  })
  available!: number

  @Field(() => GraphQLISODateTime, { description: 'The instant, by the clock of the database.' })
  asOf!: Date
}
