import { ArgsType, Field, GraphQLISODateTime, ID, ObjectType } from 'type-graphql'
import { OpenedSession } from '../sessions/session.type.ts'
import { PortalRole } from './portal-role.type.ts'

@ArgsType()
export class AskForMailArgs {
  @Field(() => String, { description: 'The mail address.' })
  email!: string

  @Field(() => String, {
    description: 'Hexadecimal SHA-256 of the secret in the cookie that the answer sets.',
  })
  askHash!: string

  @Field(() => String, {
    nullable: true,
    description: 'The cookie of a browser that has signed in by mail before; null without one.',
  })
  knownBrowser?: string | null
}

@ObjectType({
  description: 'A request for a mail to sign in; whether one is sent, it does not say.',
})
export class AskedMail {
  @Field(() => GraphQLISODateTime, { description: 'The end of the link and the code.' })
  expiresAt!: Date
}

@ArgsType()
export class MailSignInArgs {
  @Field(() => String, {
    nullable: true,
    description: 'The token in the link of the mail; null if the code is used.',
  })
  mailToken?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The code in the mail; null if the link is used.',
  })
  mailCode?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'The account to sign in to: `acct_…`; null: the only one of the person.',
  })
  accountId?: string | null

  @Field(() => String, {
    description: 'Hexadecimal SHA-256 of the secret in the cookie of the request.',
  })
  askHash!: string

  @Field(() => String, {
    nullable: true,
    description:
      'Hexadecimal SHA-256 of the secret in the cookie of the session; null without one.',
  })
  cookieHash?: string | null
}

@ObjectType({ description: 'An account that a person may sign in to.' })
export class SignInAccount {
  @Field(() => ID, { description: '`acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The name of the account.' })
  accountName!: string

  @Field(() => PortalRole, { description: 'The role of the person there.' })
  role!: PortalRole
}

@ObjectType({ description: 'A sign-in by mail.' })
export class MailSignIn {
  @Field(() => OpenedSession, {
    nullable: true,
    description: 'The session; null: the person has to choose an account first.',
  })
  session!: OpenedSession | null

  @Field(() => [SignInAccount], {
    description: 'The accounts to choose from; none with a session.',
  })
  accounts!: SignInAccount[]

  @Field(() => String, {
    nullable: true,
    description: 'The cookie by which the browser is known from now on; null without a session.',
  })
  knownBrowser!: string | null
}
