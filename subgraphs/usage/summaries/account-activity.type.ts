import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'

@ObjectType({ description: 'How much an account does, in one line of a list.' })
export class AccountActivity {
  @Field(() => GraphQLSafeInt, {
    description: 'The credits that its calls have cost since the month began, in UTC.',
  })
  creditsThisMonth!: number

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When its last call in the log began; null without one.',
  })
  lastCallAt!: Date | null
}
