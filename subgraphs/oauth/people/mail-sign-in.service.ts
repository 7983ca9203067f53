import {
  isMailCode,
  knownBrowserOf,
  mailSignInOfToken,
  signInHash,
} from '../../../schema/credentials/mail-sign-in.ts'
import { deriveKey, open, seal } from '../../../schema/credentials/secrets.ts'
import { networkBlock } from '../../../schema/vocabulary/client-block.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { callerOfSession, noteSession } from '../sessions/note-session.ts'
import { type OpenedSession, openSession } from '../sessions/open-session.service.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { newKnownBrowser } from './known-browser.ts'
import {
  type ConfirmedAccount,
  confirmedAccountsOf,
  findPersonOfRequest,
  keepRequest,
  lockRequestOf,
  lockSignInsOf,
  noteWrongCode,
  type OpenRequest,
  takesCodes,
  useMailSignIn,
} from './mail-sign-in.store.ts'
import type {
  AskedMail,
  AskForMailArgs,
  MailSignIn,
  MailSignInArgs,
  SignInAccount,
} from './mail-sign-in.type.ts'
import type { PersonInAccount } from './person.store.ts'
import type { PortalRole } from './portal-role.type.ts'

/**
 * Keeps a request for a mail to sign in. What it does and answers is the same for every address: a job looks the address
 * up afterwards. Throws CONFLICT in the sandbox and where no mails can be sent.
 */
export async function askForMail(
  { caller, database, gatewaySecret, oauth }: OAuthContext,
  { email: written, askHash, knownBrowser = null }: AskForMailArgs,
): Promise<AskedMail> {
  if (caller.environment !== 'live') {
    throw new DomainError('CONFLICT', 'People sign in by mail at live, not in the sandbox.')
  }
  if (!oauth.sendsMails) {
    throw new DomainError('CONFLICT', 'This gateway sends no mails, so nobody signs in by mail.')
  }
  const email = written.toLowerCase()
  const hashOf = (text: string) => signInHash(gatewaySecret, text)
  const request = {
    ...{ id: newId('msi'), askHash, addressHash: hashOf(email) },
    networkHash: hashOf(networkBlock(caller.address ?? '')),
    // An empty cookie is none.
    browserHash: knownBrowser
      ? knownBrowserOf(gatewaySecret, email, knownBrowser, Date.now())
      : null,
  }
  return database.as(allTenants).transaction(async (tx) => {
    await lockSignInsOf(tx, request.addressHash)
    const expiresAt = await keepRequest(tx, request)
    // Jobs are kept for days, and most of these addresses are of nobody here.
    const sealedEmail = seal(deriveKey(gatewaySecret, 'asked-address'), email, request.id)
    await enqueueJob(tx, 'MailSignIn', { id: request.id, sealedEmail })
    return { expiresAt }
  })
}

/**
 * Looks up whose address a request names, and mails the link and the code, as a job. Nobody gets a mail who is no member
 * with a confirmed address, and a repetition mails nothing.
 */
export async function mailSignIn(
  context: OAuthContext,
  id: string,
  sealedEmail: string,
): Promise<boolean> {
  const email = open(deriveKey(context.gatewaySecret, 'asked-address'), sealedEmail, id)
  // It was sealed with another GATEWAY_SECRET, which has no request of this one either.
  if (email === null) return true
  const database = context.database.as(allTenants)
  const found = await findPersonOfRequest(database, id, email)
  if (!found?.personId) return true
  const [first] = await openAccountsOf(context, found.personId)
  if (!first) return true
  const template = (await takesCodes(database, found.addressHash)) ? 'sign_in' : 'sign_in_link'
  const { accountId, memberId } = first
  const data = { expires_at: found.expiresAt.toISOString() }
  const input = { accountId, messageId: id, template, data, receivers: [{ memberId, email }] }
  await enqueueJob(database, 'MailPeople', { input })
  return true
}

/**
 * Signs a browser in with the link or the code of the mail that it has asked for. A person of several accounts is shown
 * them first, and names one in a second request with the same link or code. If the browser has a session of the same
 * member, it proves that session anew. Throws one NOT_FOUND for everything that does not sign in; a wrong code counts.
 */
export async function signInByMail(
  context: OAuthContext,
  proof: MailSignInArgs,
): Promise<MailSignIn> {
  const { accountId = null, askHash } = proof
  const database = context.database.as(allTenants)
  // Nobody is looked up before the proof. A wrong code is counted, so this transaction is not rolled back.
  const proven = await database.transaction(async (tx) => {
    const request = await lockRequestOf(tx, askHash)
    return request && (await isProven(tx, context, request, proof)) ? request : null
  })
  if (!proven?.personId) throw refused()
  const open = await openAccountsOf(context, proven.personId)
  const wanted = open.filter((one) => accountId === null || one.accountId === accountId)
  const offered = wanted.filter(({ isPasskeyOnly }) => !isPasskeyOnly)
  const [chosen, another] = offered
  // Who has proven to be the person may know why.
  if (!chosen && wanted.length > 0) throw passkeyNeeded()
  if (!chosen) throw refused()
  if (another) return { session: null, accounts: offered.map(toSignInAccount), knownBrowser: null }
  const session = await database.transaction((tx) => openOnce(tx, context, chosen, proof))
  return { session, accounts: [], knownBrowser: newKnownBrowser(context, chosen.email) }
}

function passkeyNeeded(): DomainError {
  const message =
    'This account accepts passkeys only. Sign in with your passkey, or ask an OWNER for help.'
  return new DomainError('FORBIDDEN', message)
}

function refused(): DomainError {
  return new DomainError(
    'NOT_FOUND',
    'This link or code does not work here. Use the browser in which you asked for it, or ask for another one.',
  )
}

/** Whether the link or code is that of the request. */
async function isProven(
  tx: Transaction,
  { gatewaySecret }: OAuthContext,
  request: OpenRequest,
  { mailToken, mailCode }: MailSignInArgs,
): Promise<boolean> {
  if (mailToken) return mailSignInOfToken(gatewaySecret, mailToken) === request.id
  const isTaken = await takesCodes(tx, request.addressHash)
  if (isTaken && mailCode && isMailCode(gatewaySecret, request.id, mailCode)) return true
  if (isTaken) await noteWrongCode(tx, request)
  return false
}

interface OpenAccount extends ConfirmedAccount {
  readonly accountName: string
}

/** The accounts of a person who may sign in by mail. A suspended one is among them: its sessions show that it is. */
async function openAccountsOf(
  { database, findAccount }: OAuthContext,
  personId: string,
): Promise<OpenAccount[]> {
  const all = await confirmedAccountsOf(database.as(allTenants), personId)
  return accountsToOpen(findAccount, all)
}

/** Those of the accounts that are not closed, with their names. */
export async function accountsToOpen<One extends PersonInAccount>(
  findAccount: OAuthContext['findAccount'],
  all: readonly One[],
): Promise<(One & { readonly accountName: string })[]> {
  const known = await Promise.all(
    all.map(async (one) => ({ one, account: await findAccount?.(one.accountId) })),
  )
  return known.flatMap(({ one, account }) =>
    account && account.status !== 'CLOSED' ? [{ ...one, accountName: account.name }] : [],
  )
}

export function toSignInAccount({
  accountId,
  accountName,
  role,
}: PersonInAccount & { readonly accountName: string }): SignInAccount {
  // The enum of the graph has the roles of the vocabulary.
  return { accountId, accountName, role: role as PortalRole }
}

/** Of many requests with one link or code, one opens the session; a member who was removed meanwhile gets none. */
async function openOnce(
  tx: Transaction,
  context: OAuthContext,
  { accountId, memberId }: OpenAccount,
  { askHash, cookieHash = null }: MailSignInArgs,
): Promise<OpenedSession> {
  const request = await lockRequestOf(tx, askHash)
  const now = request?.personId ? await confirmedAccountsOf(tx, request.personId) : []
  const member = now.find((one) => one.memberId === memberId && !one.isPasskeyOnly)
  if (!request || !member) throw refused()
  await useMailSignIn(tx, request)
  const { role, email: actor } = member
  const { environment, address = null } = context.caller
  const proof = { kind: 'member', memberId, role, actor } as const
  const signIn = { accountId, environment, proof, previousHash: cookieHash ?? null, address }
  const opened = await openSession(tx, context, signIn)
  const signedIn = { accountId, memberId, role, actor, keyId: null, returnUrl: null }
  const owner = callerOfSession(context, signedIn, opened.id)
  await noteSession(tx, owner, opened, { method: 'mail' })
  return opened
}
