import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The last hour of a repaired part. The next part begins after it.' })
export class UsageRepairPosition {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the log.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it began.' })
  hour!: Date
}

@InputType({ description: 'The last hour of the previous part.' })
export class UsageRepairPositionInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the log.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it began.' })
  hour!: Date
}

@ObjectType({ description: 'What was added to kinds and sums for some hours of one log.' })
export class UsageRepairPart {
  @Field(() => Int, { description: 'The number of hours that were compared.' })
  hours!: number

  @Field(() => Int, { description: 'The number of kinds that were missing.' })
  kinds!: number

  @Field(() => Int, { description: 'The number of sums that lacked requests.' })
  sums!: number

  @Field(() => UsageRepairPosition, {
    nullable: true,
    description: 'The last hour of this part; null when nothing is left.',
  })
  last!: UsageRepairPosition | null
}
