import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'Facts about all accounts together, for a digest.' })
export class DigestStart {
  @Field(() => GraphQLISODateTime, { description: 'The time, by the clock of the database.' })
  takenAt!: Date

  @Field(() => GraphQLSafeInt, { description: 'The number of accounts, closed ones included.' })
  accounts!: number
}

@ObjectType({
  description: 'The newest entry of a ledger. Kept elsewhere, it proves everything before it.',
})
export class LedgerHead {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the ledger.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number, from 1.' })
  seq!: number

  @Field(() => String, { description: 'The hash: 64 hexadecimal digits.' })
  hash!: string
}

@InputType({ description: 'An entry that once was the newest one of its ledger.' })
export class LedgerHeadInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the ledger.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number, from 1.' })
  seq!: number

  @Field(() => String, { description: 'The hash: 64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'The sum of all entries of one kind.' })
export class LedgerSum {
  @Field(() => EnvironmentValue, { description: 'The environment of the ledgers.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The kind of the entries: `charge`, `purchase`, …' })
  kind!: string

  @Field(() => GraphQLSafeInt, { description: 'The number of entries.' })
  entries!: number

  @Field(() => String, {
    description: 'The sum, as text, because it may exceed the integers of JSON.',
  })
  credits!: string
}

@ObjectType({ description: 'A page of ledgers at one instant.' })
export class LedgerHeadPage {
  @Field(() => [LedgerHead], { description: 'In order of account and environment.' })
  heads!: LedgerHead[]

  @Field(() => [LedgerSum], {
    description: 'The sums of the entries of these ledgers, up to their newest.',
  })
  sums!: LedgerSum[]
}

@ObjectType({ description: 'A ledger that no longer contains an entry that once was its newest.' })
export class LedgerHeadBreak {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the ledger.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The number of that entry.' })
  seq!: number

  @Field(() => String, { description: 'The problem, in words.' })
  problem!: string
}

@ObjectType({ description: 'How ledgers compare with entries that once were their newest.' })
export class LedgerHeadComparison {
  @Field(() => [LedgerHeadBreak], {
    description: 'The ledgers that lack something or were rewritten; usually empty.',
  })
  breaks!: LedgerHeadBreak[]

  @Field(() => [LedgerSum], {
    description: 'The sums of the entries of these ledgers, up to their newest.',
  })
  sums!: LedgerSum[]
}
