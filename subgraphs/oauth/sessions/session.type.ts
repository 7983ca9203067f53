import { Directive, Field, GraphQLISODateTime, ID, Int, ObjectType } from 'type-graphql'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'
import { Account } from '../accounts/account.type.ts'
import { AppOrigin } from '../apps/app.type.ts'

@ObjectType({ description: 'A browser that has just signed in.' })
export class OpenedSession {
  @Field(() => ID, { description: '`ses_…`' })
  id!: string

  @Field(() => String, { description: 'The secret in the cookie, which is shown only here.' })
  secret!: string

  @Field(() => ID, { description: 'The account that is signed in: `acct_…`' })
  accountId!: string

  @Field(() => GraphQLISODateTime, { description: 'When the browser signed in.' })
  authTime!: Date

  @Field(() => GraphQLISODateTime, { description: 'The latest end of the session.' })
  expiresAt!: Date

  @Field(() => String, {
    nullable: true,
    description:
      'The value of the cookie of a browser that is known from now on, because an invitation by mail was accepted in it; null: none.',
  })
  knownBrowser?: string | null
}

/** An open session, as its account sees it. */
@ObjectType()
abstract class OpenSessionFields {
  @Field(() => ID, { description: '`ses_…`' })
  id!: string

  @Field(() => EnvironmentValue, { description: 'The listener of the session.' })
  environment!: Environment

  @Field(() => Boolean, { description: 'Whether this is the session that calls.' })
  isCurrent!: boolean

  @Field(() => ID, { nullable: true, description: 'The key that signed in; null for a person.' })
  keyId!: string | null

  @Field(() => String, { nullable: true, description: 'The role of the person; null with a key.' })
  role!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The person, as named in the audit trail; null with a key.',
  })
  actor!: string | null

  @Field(() => String, { nullable: true, description: 'The address that the page leads back to.' })
  returnUrl!: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'The session on the other listener from which this one was handed over. This one ends with it.',
  })
  parentId!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The address from which the newest proof came.',
  })
  address!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When the browser signed in.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, {
    description:
      'When the caller last proved its identity; before `createdAt` if the session was handed over.',
  })
  provenAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'The latest end of the session.' })
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

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'The sessions that have ended.' })
export class EndedSessions {
  @Field(() => Int, {
    description: 'How many sessions have ended, of this listener or handed over from it.',
  })
  ended!: number
}

@Directive('@key(fields: "id keyId")')
@ObjectType({ description: 'The session that calls, and what its page needs to know.' })
export class CurrentSession extends OpenSessionFields {
  @Field(() => ID, { description: 'The account of the session: `acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The name of the account.' })
  accountName!: string

  @Field(() => [String], { description: 'The scopes of the key or role.' })
  scopes!: string[]

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'Until then changes need no new proof of identity; null: this session has had no proof.',
  })
  stepUpEndsAt!: Date | null

  @Field(() => EnvironmentValue, {
    nullable: true,
    description: 'The address that the browser may open without a sign-in; null: there is none.',
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

  @Field(() => GraphQLISODateTime, { description: 'When the browser signed in.' })
  authTime!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When the caller last proved its identity in this session; null if the session was handed over, or a mail opened it for somebody who has a passkey.',
  })
  provenAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'The latest end of the session.' })
  expiresAt!: Date

  @Field(() => String, {
    nullable: true,
    description: 'The role of the person that a portal link signed in; null with a key.',
  })
  role!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The person that a portal link signed in; null with a key.',
  })
  actor!: string | null

  @Field(() => ID, { nullable: true, description: 'The member who is signed in: `mem_…`' })
  memberId!: string | null

  @Field(() => Boolean, {
    description: 'Whether the member has a passkey, so that nothing else proves the session.',
  })
  hasPasskey!: boolean

  @Field(() => Boolean, {
    description:
      'Whether the address of the member is not confirmed, so that no mail proves the session.',
  })
  isUnconfirmed!: boolean

  @Field(() => String, { nullable: true, description: 'The address that the page leads back to.' })
  returnUrl!: string | null

  @Field(() => Account, { description: 'The account of the session.' })
  account!: Account

  @Field(() => Boolean, {
    description: 'Whether no consent has been decided since the newest proof.',
  })
  isFresh!: boolean

  @Field(() => String, {
    nullable: true,
    description:
      'SHA-256 of the continue token of the request for which the browser signed in; null without one.',
  })
  signedInFor!: string | null

  @Field(() => VerifiedKey, {
    nullable: true,
    description: 'The key that signed in; null with a role, or if the key is no longer accepted.',
  })
  key!: VerifiedKey | null
}

@ObjectType({ description: 'An app that has authenticated, as far as it can.' })
export class VerifiedClient {
  @Field(() => ID, { description: '`app_…`' })
  clientId!: string

  @Field(() => Boolean, { description: 'Whether the app has a secret, and sent the right one.' })
  isConfidential!: boolean

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When this secret ends, because it was replaced; null: it does not.',
  })
  secretExpiresAt!: Date | null

  @Field(() => AppOrigin, { description: 'How the app came here.' })
  origin!: AppOrigin

  @Field(() => Account, {
    nullable: true,
    description: 'The account that registered the app; null: nobody has, by hand.',
  })
  account!: Account | null
}
