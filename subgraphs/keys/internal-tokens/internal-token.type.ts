import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { connectionOf } from '../../shared/lists/page.type.ts'

@ObjectType({ description: 'A token of the internal listener, as it is known by its id.' })
export class InternalToken {
  @Field(() => ID, { description: '`tok_…`: its `jti`, which the audit trail names too.' })
  id!: string

  @Field(() => String, {
    nullable: true,
    description: 'Its role; null for one that was revoked without being known.',
  })
  role!: string | null

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it was made.' })
  mintedAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    description:
      'When it is forgotten: at its end, or 30 days after it was revoked where that is later.',
  })
  expiresAt!: Date

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when it is refused.' })
  revokedAt!: Date | null
}

@ObjectType({ description: 'A page of internal tokens, newest first.' })
export class InternalTokenConnection extends connectionOf(InternalToken) {}

@InputType({ description: 'A token that was minted; never the token itself.' })
export class InternalTokenInput {
  @Field(() => ID, { description: '`tok_…`' })
  id!: string

  @Field(() => String, { description: '`admin`, `support` or `readonly`.' })
  role!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was made.' })
  mintedAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it ends: 30 days later at most.' })
  expiresAt!: Date
}
