import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'

@ObjectType({ description: 'What an account has spent through an app.' })
export class AppSpending {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits of all its calls by the app.' })
  credits!: number
}
