import { GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'The charges of one ledger for a range of requests.' })
export class ChargeTotal {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the ledger.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The sum of the charges.' })
  credits!: number

  @Field(() => String, {
    description:
      'A fingerprint of all request ids and their credits. Two sides with the same fingerprint have the same charges.',
  })
  fingerprint!: string
}

@ObjectType({ description: 'The charge of one request.' })
export class Charge {
  @Field(() => ID, { description: '`req_…`' })
  requestId!: string

  @Field(() => GraphQLSafeInt, { description: 'The credits that were charged.' })
  credits!: number

  @Field(() => Boolean, { description: 'Whether the usage log must have the request by now.' })
  isSettled!: boolean

  @Field(() => Boolean, {
    description: 'Whether the charge was refunded. The usage log may then show 0 credits.',
  })
  isGivenBack!: boolean
}
