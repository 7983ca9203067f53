import { GraphQLSafeInt } from 'graphql-scalars'
import { Directive, Field, ID, ObjectType } from 'type-graphql'

@Directive('@key(fields: "id")')
@ObjectType()
export class ExternalId {
  @Field(() => ID)
  id!: string

  @Field(() => GraphQLSafeInt, {
    description: 'The credits that calls of its keys have cost since the month began, in UTC.',
  })
  creditsThisMonth!: number
}
