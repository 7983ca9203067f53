import { GraphQLJSONObject } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A hold that was not settled in time, so nothing was charged.' })
export class ExpiredHold {
  @Field(() => ID, { description: 'The `requestId` of the reservation.' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'As given to the reservation.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLJSONObject, {
    description: 'The facts of the call for its usage-log entry, as an object.',
  })
  request!: Record<string, unknown>
}
