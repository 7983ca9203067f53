import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { CredentialJson } from '../passkeys/ceremony.ts'
import { storeChallenge, takeChallenge } from '../passkeys/challenge.store.ts'
import { callerOfSession, noteSession } from '../sessions/note-session.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.service.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { newKnownBrowser } from './known-browser.ts'
import { accountsToOpen, toSignInAccount } from './mail-sign-in.service.ts'
import { findMembership } from './membership.store.ts'
import type { PasskeyRequest, PasskeySignIn, PasskeySignInArgs } from './passkey.type.ts'
import { askForPasskey, notAccepted, requirePasskey } from './passkey-use.service.ts'
import { accountsTaking, type PersonInAccount } from './person.store.ts'

/** What a browser needs to sign in with any passkey. `challengeHash` is of the cookie that goes with it. */
export function beginPasskeySignIn(
  context: OAuthContext,
  challengeHash: string,
): Promise<PasskeyRequest> {
  return askForPasskey(context, { holder: challengeHash, purpose: 'sign_in' }, null)
}

/**
 * Signs a browser in with a passkey. A person of several accounts is shown them first, and chooses by a second request
 * with the same cookie. `knownBrowser` is the cookie of a browser in which a person with an address has signed in. Throws
 * one FORBIDDEN for everything that is not accepted.
 */
export async function signInWithPasskey(
  context: OAuthContext,
  { credential, accountId = null, challengeHash: holder, cookieHash = null }: PasskeySignInArgs,
): Promise<PasskeySignIn> {
  const everyone = context.database.as(allTenants)
  const passkey = credential
    ? await requirePasskey(context, { holder, purpose: 'sign_in' }, credential)
    : await passkeyThatChooses(context, holder)
  const open = await accountsToOpen(context.findAccount, await accountsTaking(everyone, passkey))
  const [chosen, another] = open.filter((one) => accountId === null || one.accountId === accountId)
  if (!chosen) throw notAccepted()
  if (another) {
    await storeChallenge(everyone, { holder, purpose: 'choose' }, passkey.id, passkey.personId)
    return { session: null, accounts: open.map(toSignInAccount), knownBrowser: null }
  }
  const session = await openProven(context, chosen, passkey.id, cookieHash)
  const knownBrowser = chosen.isConfirmed ? newKnownBrowser(context, chosen.email) : null
  return { session, accounts: [], knownBrowser }
}

/** Whose signature has shown the accounts to the browser of this cookie. */
async function passkeyThatChooses({ database }: OAuthContext, holder: string) {
  const taken = await takeChallenge(database.as(allTenants), { holder, purpose: 'choose' })
  if (!taken?.personId) throw notAccepted()
  return { id: taken.challenge, personId: taken.personId }
}

/** What a browser needs to prove its session with a passkey of its member. */
export async function beginPasskeyProof(context: OAuthContext): Promise<PasskeyRequest> {
  const caller = requireAccount(context)
  const me = await memberOf(context, caller)
  return askForPasskey(context, stepUpOf(caller), me.personId)
}

const stepUpOf = ({ session }: AccountCaller) =>
  ({ holder: session?.id ?? '', purpose: 'step_up' }) as const

/** Proves the session that calls with a passkey of its member: its end stays, and its cookie is new. */
export async function proveWithPasskey(
  context: OAuthContext,
  credential: CredentialJson,
  cookieHash: string,
): Promise<OpenedSession> {
  const caller = requireAccount(context)
  const me = await memberOf(context, caller)
  const passkey = await requirePasskey(context, stepUpOf(caller), credential)
  const taking = await accountsTaking(context.database.as(allTenants), passkey)
  const chosen = taking.find(({ memberId }) => memberId === me.id)
  if (!chosen) throw notAccepted()
  return openProven(context, chosen, passkey.id, cookieHash)
}

/** Throws NOT_FOUND for a key, and for a person of a portal link. */
async function memberOf({ database }: OAuthContext, { accountId, session }: AccountCaller) {
  const me = await findMembership(database, accountId, session?.memberId ?? '')
  if (!me?.personId) throw new DomainError('NOT_FOUND', 'The caller is no member.')
  return me
}

async function openProven(
  context: OAuthContext,
  { memberId, accountId, role, email: actor }: PersonInAccount,
  passkeyId: string,
  cookieHash: string | null,
): Promise<OpenedSession> {
  const { environment, address = null } = context.caller
  const proof = { kind: 'member', memberId, role, actor, passkeyId } as const
  return context.database.as(allTenants).transaction(async (tx) => {
    const signIn = { accountId, environment, proof, address, previousHash: cookieHash }
    const opened = await openSession(tx, context, signIn)
    const signedIn = { accountId, memberId, role, actor, keyId: null, returnUrl: null }
    const owner = callerOfSession(context, signedIn, opened.id)
    await noteSession(tx, owner, opened, { method: 'passkey' })
    return opened
  })
}
