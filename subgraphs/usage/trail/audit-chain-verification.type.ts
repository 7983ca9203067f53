import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A place where the audit trail is not as it was recorded.' })
export class AuditChainBreak {
  @Field(() => ID, { nullable: true, description: '`acct_…`; null in the chain of no account.' })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'Which of the two chains.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The event, by its number; null when none of the chain is left.',
  })
  seq!: number | null

  @Field(() => ID, { nullable: true, description: 'The event, by its id: `aud_…`' })
  eventId!: string | null

  @Field(() => String, { description: 'The problem there.' })
  problem!: string
}

@ObjectType({
  description: 'The newest event of a chain: kept elsewhere, it proves what was before.',
})
export class AuditChainHead {
  @Field(() => ID, { nullable: true, description: '`acct_…`; null in the chain of no account.' })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'Which of the two chains.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number.' })
  seq!: number

  @Field(() => String, { description: '64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'The last event of a checked part: where the next one begins.' })
export class AuditChainPosition {
  @Field(() => String, { description: 'Of which chain.' })
  chain!: string

  @Field(() => GraphQLSafeInt, { description: 'Its number.' })
  seq!: number

  @Field(() => ID, { description: '`aud_…`' })
  id!: string

  @Field(() => String, { description: '64 hexadecimal digits.' })
  hash!: string
}

@InputType({ description: 'The last event of the part that was checked before.' })
export class AuditChainPositionInput {
  @Field(() => String, { description: 'Of which chain.' })
  chain!: string

  @Field(() => GraphQLSafeInt, { description: 'Its number.' })
  seq!: number

  @Field(() => ID, { description: '`aud_…`' })
  id!: string

  @Field(() => String, { description: '64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'The findings of a check of a part of all chains.' })
export class AuditChainPart {
  @Field(() => GraphQLSafeInt, { description: 'Events that were checked.' })
  events!: number

  @Field(() => GraphQLSafeInt, { description: 'Chains that begin in this part.' })
  chains!: number

  @Field(() => [AuditChainBreak], { description: 'Empty when nothing was rewritten.' })
  breaks!: AuditChainBreak[]

  @Field(() => [AuditChainHead], { description: 'Of chains that end in this part.' })
  heads!: AuditChainHead[]

  @Field(() => AuditChainPosition, {
    nullable: true,
    description: 'Null when this was the last part.',
  })
  last!: AuditChainPosition | null
}
