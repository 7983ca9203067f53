import { ArgsType, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { Account } from '../accounts/account.type.ts'
import { VerifiedKey } from '../sessions/session.type.ts'

@ArgsType()
export class SignInProof {
  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the token of a portal link; null: there is a code.',
  })
  portalTokenHash?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the code of a handover; null: there is a token.',
  })
  handoverCodeHash?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the secret in the cookie; null: there is none.',
  })
  cookieHash?: string | null
}

@ObjectType({ description: 'The person who would be signed in; nothing has happened yet.' })
export class SignInPreview {
  @Field(() => Boolean, {
    description: 'Whether it would sign in: not if it was used, has expired or is for elsewhere.',
  })
  isUsable!: boolean

  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The name of the account.' })
  accountName!: string

  @Field(() => EnvironmentValue, { description: 'Where.' })
  environment!: EnvironmentValue

  @Field(() => String, {
    nullable: true,
    description: 'The role of the person; null where a key has signed in.',
  })
  role!: string | null

  @Field(() => String, { nullable: true, description: 'Whom the audit trail will name.' })
  actor!: string | null

  @Field(() => String, { nullable: true, description: 'Where the console leads back to.' })
  returnUrl!: string | null

  @Field(() => GraphQLISODateTime, { description: 'Until then the link or code works.' })
  expiresAt!: Date

  @Field(() => ID, { nullable: true, description: '`key_…`: of the session that hands over.' })
  keyId!: string | null

  @Field(() => VerifiedKey, {
    nullable: true,
    description: 'The same key; null as well when it is not accepted any more.',
  })
  key!: VerifiedKey | null

  @Field(() => Account, {
    nullable: true,
    description: 'Another account that the browser is signed in as, which it would no longer be.',
  })
  signedInAs!: Account | null
}
