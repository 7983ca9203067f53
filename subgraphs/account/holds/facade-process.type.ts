import { GraphQLJSONObject, GraphQLSafeInt } from 'graphql-scalars'
import { Field, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({
  description: 'A charge of a process that died. The usage log may not have its call.',
})
export class OrphanedCharge {
  @Field(() => ID, { description: '`req_…`' })
  requestId!: string

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the ledger.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLSafeInt, { description: 'The charged credits; 0 if they were refunded.' })
  credits!: number

  @Field(() => GraphQLJSONObject, { description: 'The `request` of the reservation.' })
  request!: Record<string, unknown>
}
