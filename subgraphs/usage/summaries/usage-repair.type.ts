import { Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The last hour of a repaired part: after it the next one begins.' })
export class UsageRepairPosition {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two logs.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it began.' })
  hour!: Date
}

@InputType({ description: 'The last hour of the part that was repaired before.' })
export class UsageRepairPositionInput {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two logs.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it began.' })
  hour!: Date
}

@ObjectType({ description: 'The additions to kinds and sums for some hours of one log.' })
export class UsageRepairPart {
  @Field(() => Int, { description: 'Hours that were looked at.' })
  hours!: number

  @Field(() => Int, { description: 'Kinds that a filter would not have found.' })
  kinds!: number

  @Field(() => Int, { description: 'Sums that lacked requests.' })
  sums!: number

  @Field(() => UsageRepairPosition, {
    nullable: true,
    description: 'Null when there was nothing left.',
  })
  last!: UsageRepairPosition | null
}
