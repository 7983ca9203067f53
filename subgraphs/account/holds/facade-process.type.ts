import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A charge of a process that died, perhaps before it was recorded.' })
export class OrphanedCharge {
  @Field(() => ID, { description: '`req_…`' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'Which of the two ledgers.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The charged credits; 0 when they were given back.' })
  credits!: number

  @Field(() => GraphQLJSONObject, { description: 'The `request` of the reservation.' })
  request!: Record<string, unknown>
}
