import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The account as this subgraph knows it: whoever registers apps and grants access to them. */
@Directive('@key(fields: "id")')
@ObjectType()
export class Account {
  @Field(() => ID)
  id!: string
}
