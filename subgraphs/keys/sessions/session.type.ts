import { Directive, Field, ID, ObjectType } from 'type-graphql'

/** The session of a browser as this subgraph knows it: a key may have signed it in. */
@ObjectType()
abstract class SessionOfKey {
  @Field(() => ID)
  id!: string

  @Field(() => ID, { nullable: true })
  keyId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of the key; null without a key, or if the key is no longer accepted.',
  })
  keyName?: string | null
}

@Directive('@key(fields: "id keyId")')
@ObjectType()
export class Session extends SessionOfKey {}

@Directive('@key(fields: "id keyId")')
@ObjectType()
export class CurrentSession extends SessionOfKey {}
