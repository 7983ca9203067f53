import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'Sums that differ from the entries that they are of.' })
export class UsageDrift {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two logs.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'The problem.' })
  problem!: string
}

@ObjectType({ description: 'The roll-ups of the usage log, compared with the log.' })
export class UsageAudit {
  @Field(() => GraphQLSafeInt, { description: 'Entries that were read.' })
  entries!: number

  @Field(() => [UsageDrift], { description: 'What differs, a hundred at most.' })
  drifts!: UsageDrift[]
}
