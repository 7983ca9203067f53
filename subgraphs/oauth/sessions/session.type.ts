import { Directive, Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'
import { Account } from '../accounts/account.type.ts'

@ObjectType({ description: 'A browser that has just signed in.' })
export class OpenedSession {
  @Field(() => ID, { description: '`ses_…`' })
  id!: string

  @Field(() => String, { description: 'The secret in the cookie; shown nowhere else.' })
  secret!: string

  @Field(() => ID, { description: 'As which account: `acct_…`' })
  accountId!: string

  @Field(() => GraphQLISODateTime, { description: 'When it signed in.' })
  authTime!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it ends at the latest.' })
  expiresAt!: Date
}

/** An open session, as its account sees it. */
@ObjectType()
abstract class OpenSessionFields {
  @Field(() => ID, { description: '`ses_…`' })
  id!: string

  @Field(() => EnvironmentValue, { description: 'The listener that it is of.' })
  environment!: Environment

  @Field(() => Boolean, { description: 'Whether it is the session that calls.' })
  isCurrent!: boolean

  @Field(() => ID, { nullable: true, description: 'The key that has signed in; null: a person.' })
  keyId!: string | null

  @Field(() => String, { nullable: true, description: 'The role of a person; null with a key.' })
  role!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The person, as the audit trail names it; null with a key.',
  })
  actor!: string | null

  @Field(() => String, { nullable: true, description: 'Where the page leads back to.' })
  returnUrl!: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The session on the other listener that was handed over: this one ends with it.',
  })
  parentId!: string | null

  @Field(() => String, { nullable: true, description: 'Where the newest proof came from.' })
  address!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When it signed in.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, {
    description: 'The newest proof of who is there; before `createdAt` if it was handed over.',
  })
  provenAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it ends at the latest.' })
  expiresAt!: Date
}

@Directive('@key(fields: "id keyId")')
@ObjectType({ description: 'A browser that is signed in.' })
export class Session extends OpenSessionFields {}

@ObjectType({ description: 'A page of sessions as internal tools see it, newest first.' })
export class SessionConnection extends connectionOf(Session) {}

@ObjectType({ description: 'A page of sessions, newest first.' })
export class SessionPage {
  @Field(() => [Session], { description: 'The sessions of this page.' })
  items!: Session[]

  @Field(() => String, { nullable: true, description: 'Null at the end.' })
  nextCursor!: string | null
}

@ObjectType({ description: 'The sessions that have ended.' })
export class EndedSessions {
  @Field(() => Int, { description: 'How many sessions: of this listener, or handed over from it.' })
  ended!: number
}

@Directive('@key(fields: "id keyId")')
@ObjectType({ description: 'The session that calls, and what its page has to know.' })
export class CurrentSession extends OpenSessionFields {
  @Field(() => ID, { description: 'Whose session it is: `acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The name of the account.' })
  accountName!: string

  @Field(() => [String], { description: 'The scopes of the key or role.' })
  scopes!: string[]

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Until then changes need no new proof; null: there was none in this session.',
  })
  stepUpEndsAt!: Date | null

  @Field(() => EnvironmentValue, {
    nullable: true,
    description: 'Where the browser may go without a sign-in; null: nowhere.',
  })
  switchTo!: Environment | null
}

/** The key as this subgraph knows it: the key that opened a session. */
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

  @Field(() => String, { nullable: true, description: 'That person; null with a key.' })
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
