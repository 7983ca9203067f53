import { z } from 'zod'
import { membersScope } from '../../schema/vocabulary/scopes.ts'
import { madeCredential, signedCredential } from '../http/fields/passkey-credential.ts'
import { idParam, shown, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'
import { portalRoute } from './kinds/portal-route.ts'

/** Passkeys are of the person who calls, whatever the role. */
const own = { isExtension: true, keysOnly: true, scope: 'openid' } as const

const whose =
  'A key, and a person whom a portal link has signed in, is no member: 404. In the sandbox it is a conflict.'

const passkeys = '/account/members/me/passkeys'

const signIn = z
  .strictObject({
    credential: signedCredential.optional(),
    account_id: text(1, 200)
      .clone()
      .register(shown, { description: 'The account to sign in to; without it, the only one.' })
      .optional(),
  })
  .refine(({ credential, account_id: accountId }) => credential ?? accountId, {
    path: ['credential'],
    message: 'must be sent, or account_id once the accounts were shown',
  })

export const passkeyRoutes = [
  accountRoute({
    ...own,
    method: 'get',
    path: passkeys,
    summary: 'The own passkeys',
    description: `Lists the passkeys of the calling member. \`unavailable\` says why none can be added or used here. From \`removable_from\` to \`removable_until\` a session without a proof may remove them: it was asked for without a passkey. \`mail_sign_in\` says whether the member can sign in to this account by mail too: \`off\` without mails, \`unconfirmed\` before the address is confirmed, \`passkeys_only\` where the account takes nothing else. ${whose}`,
    operation: 'ListPasskeys',
    refusals: ['NOT_FOUND', 'CONFLICT'],
  }),
  accountRoute({
    ...own,
    method: 'post',
    path: `${passkeys}/options`,
    summary: 'Begin to add a passkey',
    description: `Creates what the browser needs to make a passkey: \`options\` goes into \`navigator.credentials.create\`. It can be answered once, by this session, within 5 minutes. A person has at most 10 passkeys: beyond that it is a conflict, as where passkeys are off. ${whose}`,
    operation: 'BeginAddingPasskey',
    refusals: ['NOT_FOUND', 'CONFLICT'],
  }),
  accountRoute({
    ...own,
    method: 'post',
    path: passkeys,
    summary: 'Add a passkey',
    description: `Adds a passkey that the browser has made. The person and the OWNERs of all accounts of the person get a mail. With the first passkey, a sign-in by mail stops being a proof, in sessions of before too. A running request to remove passkeys ends. After 20 changes of the person's passkeys within a day it is a 429. ${whose}`,
    operation: 'AddPasskey',
    refusals: ['NOT_FOUND', 'CONFLICT'],
    body: z.strictObject({
      name: text(1, 100).regex(/\S/, 'must not be blank').register(shown, {
        description: 'A name for people, such as that of the device.',
      }),
      credential: madeCredential,
    }),
    status: 201,
  }),
  accountRoute({
    ...own,
    method: 'delete',
    path: `${passkeys}/:passkey_id`,
    summary: 'Remove a passkey',
    description: `Removes a passkey. A session that a mail has opened, and no passkey has proven, gets 202 and waits: from \`removable_from\`, 24 hours later, until \`removable_until\` any such session may repeat it. The person and the OWNERs are told at once, and a sign-in with a passkey, or a new passkey, ends the wait. A wait counts among the 20 changes a day. A passkey that an account needs, which takes passkeys alone, is a conflict. ${whose}`,
    operation: 'RemovePasskey',
    refusals: ['CONFLICT'],
    params: z.strictObject({ passkey_id: idParam('psk', 'passkey') }),
    isLater: ({ removable_from: from }) => from !== null,
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions/passkey/options',
    portalStep: 'begin-passkey',
    summary: 'Begin to sign in with a passkey',
    description:
      'Creates what the browser needs to use a passkey: `options` goes into `navigator.credentials.get`. It can be answered once, within 5 minutes, by the browser that gets the cookie of this answer. Only a page of this gateway may ask. Where passkeys are off it is a conflict, and the message says why.',
    operation: 'BeginPasskeySignIn',
    isExtension: true,
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions/passkey',
    portalStep: 'passkey',
    summary: 'Sign a browser in with a passkey',
    description:
      'Signs a browser in with a passkey. A person of several accounts gets `accounts`, and no `session` yet; a second request `{ account_id }` chooses one, with the same cookie and within 5 minutes. Every refusal is the same 403: a passkey that is unknown, removed or disabled, a signature of another origin, one without a check of the person, one that was used before. A counter that does not grow disables the passkey. Only a page of this gateway may ask.',
    operation: 'SignInWithPasskey',
    isExtension: true,
    body: signIn,
  }),
  accountRoute({
    ...own,
    method: 'post',
    path: '/account/sessions/current/passkey/options',
    summary: 'Begin to prove the session with a passkey',
    description: `Creates what the browser needs to use one of the own passkeys. It can be answered once, by this session, within 5 minutes. Without a passkey that works, and where passkeys are off, it is a conflict. ${whose}`,
    operation: 'BeginPasskeyProof',
    refusals: ['NOT_FOUND', 'CONFLICT'],
  }),
  portalRoute({
    method: 'post',
    path: '/account/sessions/current/passkey',
    portalStep: 'prove-by-passkey',
    summary: 'Prove the session with a passkey',
    description:
      'Proves the calling session with a passkey of its member. The session and its end stay; its cookie is new. Refusals are those of the sign-in.',
    operation: 'ProveWithPasskey',
    isExtension: true,
    body: z.strictObject({ credential: signedCredential }),
  }),
  accountRoute({
    ...own,
    method: 'get',
    path: '/account/sign-in',
    summary: 'How members sign in',
    description:
      'Returns whether the members of the account sign in by passkey alone. In the sandbox it is a conflict.',
    operation: 'GetSignInSetting',
    refusals: ['CONFLICT'],
    scope: 'members:read',
  }),
  accountRoute({
    ...own,
    method: 'put',
    path: '/account/sign-in',
    summary: 'Decide how members sign in',
    description:
      'Sets whether the members of the account sign in by passkey alone, or by mail too. It needs two OWNERs with a passkey, or one OWNER with two: 409. While it is so, a change that would end this is a conflict, too. Sessions that are open, keys, portal links and invitations go on as before.',
    operation: 'ChangeSignInSetting',
    refusals: ['CONFLICT'],
    scope: membersScope,
    ownerOnly: true,
    body: z.strictObject({
      passkey_only: z.boolean('must be true or false').register(shown, {
        description: 'Whether passkeys alone sign members in.',
      }),
    }),
  }),
]
