import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { connectionOf } from '../../shared/lists/page.type.ts'

@ObjectType({ description: 'A token of the internal listener. It is known by its id.' })
export class InternalToken {
  @Field(() => ID, { description: '`tok_…`: its `jti`, which the audit trail names, too.' })
  id!: string

  @Field(() => String, {
    nullable: true,
    description: 'The role of the token; null if it was revoked before it was known.',
  })
  role!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the token was made.' })
  mintedAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    description:
      'When the token is deleted from this list: when it expires, or 30 days after it was revoked, whichever is later.',
  })
  expiresAt!: Date

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the token was revoked.' })
  revokedAt!: Date | null
}

@ObjectType({ description: 'A page of internal tokens, newest first.' })
export class InternalTokenConnection extends connectionOf(InternalToken) {}

@InputType({ description: 'A token that was minted, without the token itself.' })
export class InternalTokenInput {
  @Field(() => ID, { description: '`tok_…`' })
  id!: string

  @Field(() => String, { description: '`admin`, `support` or `readonly`.' })
  role!: string

  @Field(() => GraphQLISODateTime, { description: 'When the token was made.' })
  mintedAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When the token expires: within 30 days.' })
  expiresAt!: Date
}
