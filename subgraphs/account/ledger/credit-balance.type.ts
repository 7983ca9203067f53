import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'

@ObjectType({ description: 'Credits at one instant: available = balance - held.' })
export class CreditBalance {
  @Field(() => GraphQLSafeInt, { description: 'The sum of the ledger.' })
  balance!: number

  @Field(() => GraphQLSafeInt, { description: 'Set aside for requests that are still running.' })
  held!: number

  @Field(() => GraphQLSafeInt, { description: 'The credits that a new request can spend.' })
  available!: number

  @Field(() => GraphQLISODateTime, { description: "When, by the database's clock." })
  asOf!: Date
}
