import { GraphQLJSONObject } from 'graphql-scalars'
import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import type { CredentialJson } from '../passkeys/ceremony.ts'
import { OpenedSession } from '../sessions/session.type.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import {
  Passkey,
  PasskeyList,
  PasskeyRequest,
  PasskeyReset,
  PasskeySignIn,
  PasskeySignInArgs,
  RemovedPasskey,
  ResetPasskeysInput,
  SignInSetting,
} from './passkey.type.ts'
import { finishPasskeyReset, resetPasskeys } from './passkey-reset.service.ts'
import {
  beginPasskeyProof,
  beginPasskeySignIn,
  proveWithPasskey,
  signInWithPasskey,
} from './passkey-sign-in.service.ts'
import { addPasskey, beginAddingPasskey, passkeysOf, removePasskey } from './passkeys.service.ts'
import { changeSignInSetting, signInSettingOf } from './sign-in-setting.service.ts'

const credentialArg = { description: 'What the browser has made or signed, as JSON.' }

@Resolver()
export class PasskeyResolver {
  @Authorized('account')
  @Query(() => PasskeyList, { description: 'The passkeys of the person who calls.' })
  myPasskeys(@Ctx() context: OAuthContext): Promise<PasskeyList> {
    return passkeysOf(context)
  }

  @Authorized('account')
  @Mutation(() => PasskeyRequest, {
    description: 'Begins to add a passkey: what the browser needs to make one.',
  })
  beginAddingPasskey(@Ctx() context: OAuthContext): Promise<PasskeyRequest> {
    return beginAddingPasskey(context)
  }

  @Authorized('account')
  @Mutation(() => Passkey, { description: 'Adds a passkey to the person who calls.' })
  addPasskey(
    @Arg('name', () => String, { description: 'A name for people.' }) name: string,
    @Arg('credential', () => GraphQLJSONObject, credentialArg) credential: CredentialJson,
    @Ctx() context: OAuthContext,
  ): Promise<Passkey> {
    return addPasskey(context, { name, credential })
  }

  @Authorized('account')
  @Mutation(() => RemovedPasskey, {
    description:
      'Removes a passkey of the person who calls; without a proof, a session that a mail has opened waits 24 hours.',
  })
  removePasskey(
    @Arg('id', () => ID, { description: '`psk_…`' }) id: string,
    @Ctx() context: OAuthContext,
  ): Promise<RemovedPasskey> {
    return removePasskey(context, id)
  }

  @Authorized('account')
  @Mutation(() => PasskeyRequest, {
    description:
      'Begins the proof of the session that calls: what the browser needs to use a passkey.',
  })
  beginPasskeyProof(@Ctx() context: OAuthContext): Promise<PasskeyRequest> {
    return beginPasskeyProof(context)
  }

  @Authorized('account')
  @Mutation(() => OpenedSession, {
    description: 'Proves the session that calls with a passkey of its member.',
  })
  proveWithPasskey(
    @Arg('credential', () => GraphQLJSONObject, credentialArg) credential: CredentialJson,
    @Arg('cookieHash', () => String, {
      description: 'Hexadecimal SHA-256 of the secret in the cookie of the session.',
    })
    cookieHash: string,
    @Ctx() context: OAuthContext,
  ): Promise<OpenedSession> {
    return proveWithPasskey(context, credential, cookieHash)
  }

  @Authorized('anonymous')
  @Mutation(() => PasskeyRequest, {
    description: 'Begins a sign-in: what the browser needs to use a passkey.',
  })
  beginPasskeySignIn(
    @Arg('challengeHash', () => String, {
      description: 'Hexadecimal SHA-256 of the secret in the cookie of the challenge.',
    })
    challengeHash: string,
    @Ctx() context: OAuthContext,
  ): Promise<PasskeyRequest> {
    return beginPasskeySignIn(context, challengeHash)
  }

  @Authorized('anonymous')
  @Mutation(() => PasskeySignIn, {
    description: 'Signs a browser in with a passkey, or shows the accounts to choose from.',
  })
  signInWithPasskey(
    @Args(() => PasskeySignInArgs) args: PasskeySignInArgs,
    @Ctx() context: OAuthContext,
  ): Promise<PasskeySignIn> {
    return signInWithPasskey(context, args)
  }

  @Authorized('account')
  @Query(() => SignInSetting, { description: "How members sign in to the caller's account." })
  signInSetting(@Ctx() context: OAuthContext): Promise<SignInSetting> {
    return signInSettingOf(context)
  }

  @Authorized('account')
  @Mutation(() => SignInSetting, {
    description: 'Lets members sign in by passkey alone, or by mail too.',
  })
  changeSignInSetting(
    @Arg('isPasskeyOnly', () => Boolean, { description: 'Whether passkeys alone sign members in.' })
    isPasskeyOnly: boolean,
    @Ctx() context: OAuthContext,
  ): Promise<SignInSetting> {
    return changeSignInSetting(context, isPasskeyOnly)
  }

  @Authorized('admin')
  @Mutation(() => PasskeyReset, {
    description:
      'Removes all passkeys of a person after 24 hours, unless the person signs in with one before. The person and the OWNERs are told.',
  })
  resetPasskeys(
    @Arg('input', () => ResetPasskeysInput, { description: 'The person, and the reason.' })
    input: ResetPasskeysInput,
    @Ctx() context: OAuthContext,
  ): Promise<PasskeyReset> {
    return resetPasskeys(context, input)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Removes the passkeys of a person whose reset is due. Always true.',
  })
  finishPasskeyReset(
    @Arg('personId', () => ID, { description: '`per_…`' }) personId: string,
    @Ctx() context: OAuthContext,
  ): Promise<boolean> {
    return finishPasskeyReset(context, personId)
  }
}
