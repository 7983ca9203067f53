import { GraphQLJSONObject } from 'graphql-scalars'
import { Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'

@ObjectType({ description: "What an account's software is told of." })
export class AccountEvent {
  @Field(() => ID, { description: '`evt_…`' })
  id!: string

  @Field(() => String, { description: 'What happened, such as `credits.low`.' })
  type!: string

  @Field(() => GraphQLJSONObject, { description: 'As its receivers see it.' })
  data!: Record<string, unknown>

  @Field(() => GraphQLISODateTime, { description: 'When it happened.' })
  createdAt!: Date
}
