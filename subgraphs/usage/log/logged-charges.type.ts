import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The charges of a range of requests by one usage log.' })
export class LoggedTotal {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two logs.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The sum.' })
  credits!: number

  @Field(() => String, {
    description: 'Of all request ids and their credits: equal ones were charged alike.',
  })
  fingerprint!: string
}

@ObjectType({ description: 'The charge of one request by a usage log.' })
export class LoggedCharge {
  @Field(() => ID, { description: '`req_…`' })
  requestId!: string

  @Field(() => GraphQLSafeInt, { description: 'How many.' })
  credits!: number
}
