import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@InputType({ description: 'An event that once was the newest one of its chain.' })
export class AuditHeadInput {
  @Field(() => ID, {
    nullable: true,
    description: '`acct_…`; null in the chain of events without an account.',
  })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'The environment of the chain.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number, from 1.' })
  seq!: number

  @Field(() => String, { description: 'The hash: 64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'A chain that no longer contains an event that once was its newest.' })
export class AuditHeadBreak {
  @Field(() => ID, {
    nullable: true,
    description: '`acct_…`; null in the chain of events without an account.',
  })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'The environment of the chain.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The number of that event.' })
  seq!: number

  @Field(() => String, { description: 'The problem, in words.' })
  problem!: string
}
