import { GraphQLJSONObject } from 'graphql-scalars'
import {
  ArgsType,
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { idempotencyKeyArg } from '../../shared/changes/act.ts'
import type { CredentialJson } from '../passkeys/ceremony.ts'
import { OpenedSession } from '../sessions/session.type.ts'
import { SignInAccount } from './mail-sign-in.type.ts'

/** Whether a member can sign in by mail; otherwise why not. */
export enum MailSignInState {
  possible = 'possible',
  off = 'off',
  unconfirmed = 'unconfirmed',
  passkeys_only = 'passkeys_only',
}

registerEnumType(MailSignInState, {
  name: 'MailSignInState',
  description: 'Whether a member can sign in by mail; otherwise why not.',
  valuesConfig: {
    possible: { description: 'The member can sign in by mail.' },
    off: { description: 'The gateway sends no mails.' },
    unconfirmed: { description: 'The address of the member is not confirmed.' },
    passkeys_only: { description: 'The account takes passkeys alone.' },
  },
})

@ObjectType()
abstract class PasskeyFields {
  @Field(() => ID, { description: '`psk_…`' })
  id!: string

  @Field(() => String, { description: 'The name that the person has given it.' })
  name!: string

  @Field(() => GraphQLISODateTime, { description: 'When it was added.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was used last; null: never.',
  })
  lastUsedAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was disabled, because somebody may have a copy of it; null: it works.',
  })
  disabledAt!: Date | null
}

@ObjectType({ description: 'A passkey of the person who calls.' })
export class Passkey extends PasskeyFields {}

@ObjectType({ description: 'The passkeys of the person who calls.' })
export class PasskeyList {
  @Field(() => [Passkey], { description: 'The passkeys, in the order in which they were added.' })
  items!: Passkey[]

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'From then on a session without a proof may remove passkeys; null: nobody has asked.',
  })
  readyAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Until then it may; null: nobody has asked.',
  })
  endsAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'Why no passkeys can be added or used here; null: they can.',
  })
  unavailable!: string | null

  @Field(() => MailSignInState, {
    description:
      'Whether the person can sign in to this account by mail; otherwise why not. Who cannot needs a passkey to come back.',
  })
  mailSignIn!: MailSignInState
}

@ObjectType({ description: 'A passkey that was removed, or that is to be removed later.' })
export class RemovedPasskey extends PasskeyFields {
  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'It is still there: from then on the session may remove it. Null: it was removed.',
  })
  readyAt!: Date | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Until then the session may remove it. Null: it was removed.',
  })
  endsAt!: Date | null
}

@ObjectType({ description: 'What the browser passes to WebAuthn, as JSON.' })
export class PasskeyRequest {
  @Field(() => GraphQLJSONObject, {
    description:
      '`PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3. It can be answered once, within 5 minutes.',
  })
  options!: CredentialJson
}

@ArgsType()
export class PasskeySignInArgs {
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'What the browser has signed; null where only the account is left to be chosen.',
  })
  credential?: CredentialJson | null

  @Field(() => ID, { nullable: true, description: 'The account to sign in to: `acct_…`' })
  accountId?: string | null

  @Field(() => String, {
    description: 'Hexadecimal SHA-256 of the secret in the cookie of the challenge.',
  })
  challengeHash!: string

  @Field(() => String, {
    nullable: true,
    description:
      'Hexadecimal SHA-256 of the secret in the cookie of the session; null without one.',
  })
  cookieHash?: string | null
}

@ObjectType({ description: 'A sign-in by passkey.' })
export class PasskeySignIn {
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
    description:
      'The cookie by which the browser is known from now on; null without a session, and where nobody has confirmed the address.',
  })
  knownBrowser!: string | null
}

@ObjectType({ description: 'How members may sign in to the account.' })
export class SignInSetting {
  @Field(() => Boolean, {
    description: 'Whether members sign in by passkey alone. Keys and portal links go on.',
  })
  isPasskeyOnly!: boolean
}

@InputType({ description: 'A reset of all passkeys of a person.' })
export class ResetPasskeysInput {
  @Field(() => String, {
    description:
      'The mail address of the person, or the id of a member, `mem_…`, where several go by an address that nobody has confirmed.',
  })
  email!: string

  @Field(() => String, {
    description: 'Why, in 1 to 500 characters: people and the audit trail read it.',
  })
  reason!: string

  @Field(() => String, idempotencyKeyArg)
  idempotencyKey?: string | null
}

@ObjectType({ description: 'A reset of all passkeys of a person, which has begun.' })
export class PasskeyReset {
  @Field(() => String, { description: 'The mail address of the person.' })
  email!: string

  @Field(() => GraphQLISODateTime, {
    description: 'The passkeys are removed then, unless the person signs in with one before.',
  })
  readyAt!: Date
}
