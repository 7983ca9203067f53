import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The account as this subgraph knows it: it makes requests. */
@Directive('@key(fields: "id")')
@ObjectType()
export class Account {
  @Field(() => ID)
  id!: string
}
