import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The charges of one ledger for a range of requests.' })
export class ChargeTotal {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two ledgers.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The sum.' })
  credits!: number

  @Field(() => String, {
    description: 'Of all request ids and their credits: equal ones were charged alike.',
  })
  fingerprint!: string
}

@ObjectType({ description: 'The charge of one request.' })
export class Charge {
  @Field(() => ID, { description: '`req_…`' })
  requestId!: string

  @Field(() => GraphQLSafeInt, { description: 'How many.' })
  credits!: number

  @Field(() => Boolean, { description: 'Whether the usage log must have it by now.' })
  isSettled!: boolean

  @Field(() => Boolean, { description: 'Whether it was refunded: the log may say that it cost 0.' })
  isGivenBack!: boolean
}
