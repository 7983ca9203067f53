import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The account as this subgraph knows it: the owner of keys. */
@Directive('@key(fields: "id")')
@ObjectType()
export class Account {
  @Field(() => ID)
  id!: string
}

/** The new account as this subgraph knows it: it needs its first keys. */
@Directive('@key(fields: "accountId")')
@ObjectType()
export class CreateAccountPayload {
  @Field(() => ID)
  accountId!: string
}
