import { Directive, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { Account } from '../accounts/account.type.ts'

@ObjectType({ description: 'A browser that is signed in.' })
export class OpenedSession {
  @Field(() => ID, { description: '`ses_…`' })
  id!: string

  @Field(() => String, { description: 'What the cookie holds; shown nowhere else.' })
  secret!: string

  @Field(() => ID, { description: 'As which account: `acct_…`' })
  accountId!: string

  @Field(() => GraphQLISODateTime, { description: 'When it signed in.' })
  authTime!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it ends at the latest.' })
  expiresAt!: Date
}

/** The key as this subgraph knows it: it opened a session. */
@Directive('@key(fields: "id")')
@ObjectType()
export class VerifiedKey {
  @Field(() => ID)
  id!: string
}

@ObjectType({ description: 'A browser that is signed in, as the facade needs to know it.' })
export class VerifiedSession {
  @Field(() => ID, { description: '`ses_…`' })
  id!: string

  @Field(() => GraphQLISODateTime, { description: 'When it signed in.' })
  authTime!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The newest proof that was given in this session; null: it was handed over.',
  })
  provenAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When it ends at the latest.' })
  expiresAt!: Date

  @Field(() => String, {
    nullable: true,
    description: 'The role of a person whom a portal link has signed in; null with a key.',
  })
  role!: string | null

  @Field(() => String, { nullable: true, description: 'Who that person is; null with a key.' })
  actor!: string | null

  @Field(() => String, { nullable: true, description: 'Where the page leads back to.' })
  returnUrl!: string | null

  @Field(() => Account, { description: 'Whose session it is.' })
  account!: Account

  @Field(() => Boolean, { description: 'Whether nothing has been decided since the newest proof.' })
  isFresh!: boolean

  @Field(() => String, {
    nullable: true,
    description:
      'SHA-256 of the continue token of the request that it signed in for; null: for none.',
  })
  signedInFor!: string | null

  @Field(() => VerifiedKey, {
    nullable: true,
    description:
      'The key that signed it in; null with a role, and when the key is not accepted any more.',
  })
  key!: VerifiedKey | null
}

@ObjectType({ description: 'An app that has proven who it is, as far as it can.' })
export class VerifiedClient {
  @Field(() => ID, { description: '`app_…`' })
  clientId!: string

  @Field(() => Boolean, { description: 'Whether it has a secret, which was right.' })
  isConfidential!: boolean

  @Field(() => Account, { description: 'Whose app it is.' })
  account!: Account
}
