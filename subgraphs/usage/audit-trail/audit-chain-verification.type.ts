import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A place where the audit trail differs from what was recorded.' })
export class AuditChainBreak {
  @Field(() => ID, {
    nullable: true,
    description: '`acct_…`; null in the chain of events without an account.',
  })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'The environment of the chain.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The number of the event; null if none of the chain is left.',
  })
  seq!: number | null

  @Field(() => ID, { nullable: true, description: 'The id of the event: `aud_…`' })
  eventId!: string | null

  @Field(() => String, { description: 'The problem, in words.' })
  problem!: string
}

@ObjectType({
  description: 'The newest event of a chain. Kept elsewhere, it proves everything before it.',
})
export class AuditChainHead {
  @Field(() => ID, {
    nullable: true,
    description: '`acct_…`; null in the chain of events without an account.',
  })
  accountId!: string | null

  @Field(() => EnvironmentValue, { description: 'The environment of the chain.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number.' })
  seq!: number

  @Field(() => String, { description: 'The hash: 64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'The last event of a checked part. The next part begins after it.' })
export class AuditChainPosition {
  @Field(() => String, { description: 'The chain of the event.' })
  chain!: string

  @Field(() => GraphQLSafeInt, { description: 'Its number.' })
  seq!: number

  @Field(() => ID, { description: '`aud_…`' })
  id!: string

  @Field(() => String, { description: 'The hash: 64 hexadecimal digits.' })
  hash!: string
}

@InputType({ description: 'The last event of the previous part.' })
export class AuditChainPositionInput {
  @Field(() => String, { description: 'The chain of the event.' })
  chain!: string

  @Field(() => GraphQLSafeInt, { description: 'Its number.' })
  seq!: number

  @Field(() => ID, { description: '`aud_…`' })
  id!: string

  @Field(() => String, { description: 'The hash: 64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'The result of a check of one part of all chains.' })
export class AuditChainPart {
  @Field(() => GraphQLSafeInt, { description: 'The number of events that were checked.' })
  events!: number

  @Field(() => GraphQLSafeInt, { description: 'The number of chains that begin in this part.' })
  chains!: number

  @Field(() => [AuditChainBreak], {
    description: 'The places that differ; empty when nothing was rewritten.',
  })
  breaks!: AuditChainBreak[]

  @Field(() => [AuditChainHead], {
    description: 'The newest events of the chains that end in this part.',
  })
  heads!: AuditChainHead[]

  @Field(() => AuditChainPosition, {
    nullable: true,
    description: 'The last event of this part; null when this was the last part.',
  })
  last!: AuditChainPosition | null
}
