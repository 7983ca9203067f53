import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@InputType({ description: 'An event that was the newest one of its chain.' })
export class AuditHeadInput {
  @Field(() => ID, { nullable: true, description: '`acct_…`; null in the chain of no account.' })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'Which of the two chains.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number, from 1.' })
  seq!: number

  @Field(() => String, { description: '64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'A chain that does not go back to the event that was its newest.' })
export class AuditHeadBreak {
  @Field(() => ID, { nullable: true, description: '`acct_…`; null in the chain of no account.' })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'Which of the two chains.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The number of that event.' })
  seq!: number

  @Field(() => String, { description: 'The problem there.' })
  problem!: string
}
