import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'Sums that differ from their entries.' })
export class UsageDrift {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the log.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The difference.' })
  problem!: string
}

@ObjectType({ description: 'The result of a comparison of the usage log with its sums.' })
export class UsageAudit {
  @Field(() => GraphQLSafeInt, { description: 'The number of entries that were read.' })
  entries!: number

  @Field(() => [UsageDrift], { description: 'The differences, at most a hundred.' })
  drifts!: UsageDrift[]
}
