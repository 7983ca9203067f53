import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The charges of a range of requests, as one usage log has them.' })
export class LoggedTotal {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the log.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The sum of the charges.' })
  credits!: number

  @Field(() => String, {
    description:
      'A fingerprint of all request ids and their credits. Two sides with the same fingerprint have the same charges.',
  })
  fingerprint!: string
}

@ObjectType({ description: 'The charge of one request, as the usage log has it.' })
export class LoggedCharge {
  @Field(() => ID, { description: '`req_…`' })
  requestId!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits that were charged.' })
  credits!: number
}
