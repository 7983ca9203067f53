import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'Something in the books that cannot be.' })
export class LedgerDrift {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two ledgers.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'The entry, or null when it is the balance that differs.',
  })
  seq!: number | null

  @Field(() => String, { description: 'What differs, with both figures.' })
  problem!: string
}

@ObjectType({ description: 'The findings of a check of the books, at one instant.' })
export class LedgerAudit {
  @Field(() => GraphQLSafeInt, { description: 'Entries that were checked.' })
  entries!: number

  @Field(() => GraphQLSafeInt, { description: 'Balances that were checked.' })
  balances!: number

  @Field(() => [LedgerDrift], { description: 'At most 100; empty when the books are right.' })
  drifts!: LedgerDrift[]
}
