import { ArgsType, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { Account } from '../accounts/account.type.ts'
import { VerifiedKey } from '../sessions/session.type.ts'

@ArgsType()
export class SignInProof {
  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the token of a portal link; null if a code is used.',
  })
  portalTokenHash?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the code of a handover; null if a token is used.',
  })
  handoverCodeHash?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The token of an invitation; null if a link or a code is used.',
  })
  invitationToken?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the secret in the cookie; null without a cookie.',
  })
  cookieHash?: string | null
}

@ObjectType({ description: 'A preview of a sign-in. It changes nothing.' })
export class SignInPreview {
  @Field(() => Boolean, {
    description:
      'Whether the sign-in would succeed: not if the link or code was used, has expired or belongs to the other listener.',
  })
  isUsable!: boolean

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The name of the account.' })
  accountName!: string

  @Field(() => EnvironmentValue, { description: 'The environment of the sign-in.' })
  environment!: EnvironmentValue

  @Field(() => String, {
    nullable: true,
    description: 'The role of the person; null if a key has signed in.',
  })
  role!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The person, as the audit trail will name it.',
  })
  actor!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Who invited the person; null without an invitation, and if an operator has.',
  })
  invitedBy!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The address that the console leads back to.',
  })
  returnUrl!: string | null

  @Field(() => GraphQLISODateTime, { description: 'When the link or code expires.' })
  expiresAt!: Date

  @Field(() => ID, {
    nullable: true,
    description: 'The key of the session that hands over: `key_…`',
  })
  keyId!: string | null

  @Field(() => VerifiedKey, {
    nullable: true,
    description: 'The same key; null, too, if it is no longer accepted.',
  })
  key!: VerifiedKey | null

  @Field(() => Account, {
    nullable: true,
    description:
      'Another account that the browser is signed in as, with an invitation any; the sign-in ends that session.',
  })
  signedInAs!: Account | null
}
