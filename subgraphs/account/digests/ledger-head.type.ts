import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The facts of a digest about all accounts together.' })
export class DigestStart {
  @Field(() => GraphQLISODateTime, { description: "By the database's clock." })
  takenAt!: Date

  @Field(() => GraphQLSafeInt, { description: 'Accounts, closed ones too.' })
  accounts!: number
}

@ObjectType({
  description: 'The newest entry of a ledger: kept elsewhere, it proves what was before.',
})
export class LedgerHead {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two ledgers.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number, from 1.' })
  seq!: number

  @Field(() => String, { description: '64 hexadecimal digits.' })
  hash!: string
}

@InputType({ description: 'An entry that was the newest one of its ledger.' })
export class LedgerHeadInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two ledgers.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'Its number, from 1.' })
  seq!: number

  @Field(() => String, { description: '64 hexadecimal digits.' })
  hash!: string
}

@ObjectType({ description: 'All entries of one kind together.' })
export class LedgerSum {
  @Field(() => EnvironmentValue, { description: 'Of which ledgers.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The kind of the entries: `charge`, `purchase`, …' })
  kind!: string

  @Field(() => GraphQLSafeInt, { description: 'How many.' })
  entries!: number

  @Field(() => String, {
    description: 'Their sum, a whole number as text: it may be longer than an integer of JSON.',
  })
  credits!: string
}

@ObjectType({ description: 'A page of ledgers, as they were at one instant.' })
export class LedgerHeadPage {
  @Field(() => [LedgerHead], { description: 'In order of account and environment.' })
  heads!: LedgerHead[]

  @Field(() => [LedgerSum], { description: 'Of the entries of these ledgers, up to their heads.' })
  sums!: LedgerSum[]
}

@ObjectType({ description: 'A ledger that does not go back to the entry that was its newest.' })
export class LedgerHeadBreak {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two ledgers.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The number of that entry.' })
  seq!: number

  @Field(() => String, { description: 'The problem there.' })
  problem!: string
}

@ObjectType({ description: 'How ledgers compare with what was their newest entry once.' })
export class LedgerHeadComparison {
  @Field(() => [LedgerHeadBreak], { description: 'Empty when nothing is missing or rewritten.' })
  breaks!: LedgerHeadBreak[]

  @Field(() => [LedgerSum], { description: 'Of the entries of these ledgers, up to their heads.' })
  sums!: LedgerSum[]
}
