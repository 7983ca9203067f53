import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A contradiction in the books.' })
export class LedgerDrift {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the ledger.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The entry that is wrong; null when the balance is wrong.',
  })
  seq!: number | null

  @Field(() => String, { description: 'The difference, with both figures.' })
  problem!: string
}

@ObjectType({ description: 'The result of a check of the books, at one instant.' })
export class LedgerAudit {
  @Field(() => GraphQLSafeInt, { description: 'The number of entries that were checked.' })
  entries!: number

  @Field(() => GraphQLSafeInt, { description: 'The number of balances that were checked.' })
  balances!: number

  @Field(() => [LedgerDrift], {
    description: 'The contradictions, at most 100; empty when the books are right.',
  })
  drifts!: LedgerDrift[]
}
