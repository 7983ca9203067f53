import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { type CredentialJson, creationOptions, verifyCreation } from '../passkeys/ceremony.ts'
import { storeChallenge, takeChallenge } from '../passkeys/challenge.store.ts'
import {
  deletePasskeys,
  insertPasskey,
  lockPerson,
  type Passkey,
  passkeysOfPersons,
} from '../passkeys/passkey.store.ts'
import {
  beginRemoval,
  endRemovals,
  findRemoval,
  type PasskeyRemoval,
} from '../passkeys/passkey-removal.store.ts'
import { requireRelyingParty, whyOff } from '../passkeys/relying-party.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { accountsToOpen } from './mail-sign-in.service.ts'
import { requireLive } from './members.service.ts'
import { findMembership, lockMembersOf, type Membership } from './membership.store.ts'
import {
  MailSignInState,
  type PasskeyList,
  type PasskeyRequest,
  type RemovedPasskey,
} from './passkey.type.ts'
import { countNews, tellOfPasskeys } from './passkey-news.ts'
import { endWaits } from './passkey-use.service.ts'
import {
  accountsOfPerson,
  endOtherProofs,
  passkeyOfSession,
  requireStillProven,
} from './person.store.ts'
import { readPasskeyOnly, requireOwnersWithPasskeys } from './sign-in-setting.store.ts'

/** The most passkeys of a person. */
const maxPasskeys = 10

type Myself = Membership & { readonly personId: string }

/** The member who calls. Throws NOT_FOUND for a key, and for a person of a portal link. */
async function requireMyself(view: Queryable, caller: AccountCaller): Promise<Myself> {
  const id = requireLive(caller).session?.memberId ?? ''
  const me = await findMembership(view, caller.accountId, id)
  if (!me?.personId) throw new DomainError('NOT_FOUND', 'The caller is no member.')
  return { ...me, personId: me.personId }
}

/** The passkeys of the member who calls. Throws as `requireMyself` does. */
export async function passkeysOf(context: OAuthContext): Promise<PasskeyList> {
  const { database } = context
  const me = await requireMyself(database, requireAccount(context))
  const { personId } = me
  const removal = await findRemoval(database, personId, 'person')
  return {
    items: await passkeysOfPersons(database, [personId]),
    readyAt: removal?.readyAt ?? null,
    endsAt: removal?.endsAt ?? null,
    unavailable: whyOff(context),
    mailSignIn: await mailSignInOf(context, me),
  }
}

async function mailSignInOf(
  { database, oauth }: OAuthContext,
  me: Myself,
): Promise<MailSignInState> {
  if (await readPasskeyOnly(database, me.accountId)) return MailSignInState.passkeys_only
  if (!oauth.sendsMails) return MailSignInState.off
  return me.isConfirmed ? MailSignInState.possible : MailSignInState.unconfirmed
}

/** What a browser needs to make a passkey. Throws CONFLICT where passkeys are off, and beyond the most of a person. */
export async function beginAddingPasskey(context: OAuthContext): Promise<PasskeyRequest> {
  const { database } = context
  const caller = requireAccount(context)
  const me = await requireMyself(database, caller)
  const party = requireRelyingParty(context)
  const passkeys = await passkeysOfPersons(database, [me.personId])
  requireRoom(passkeys)
  const holder = { id: me.personId, email: me.email, name: me.name }
  const { options, challenge } = await creationOptions(party, holder, passkeys)
  await storeChallenge(database.as(allTenants), challengeOf(caller), challenge)
  return { options }
}

const challengeOf = ({ session }: AccountCaller) =>
  ({ holder: session?.id ?? '', purpose: 'add' }) as const

function requireRoom(passkeys: readonly Passkey[]): void {
  if (passkeys.length < maxPasskeys) return
  throw new DomainError(
    'CONFLICT',
    `A person has at most ${maxPasskeys} passkeys. Remove one first.`,
  )
}

/**
 * Adds the passkey that a browser has made. Throws INVALID_REQUEST if it does not answer the newest request of this
 * session, CONFLICT as `beginAddingPasskey` does, and RATE_LIMIT_EXCEEDED beyond 20 a day. All waits of the person
 * end. With the first passkey the mails of before stop being a proof.
 */
export async function addPasskey(
  context: OAuthContext,
  { name, credential }: { readonly name: string; readonly credential: CredentialJson },
): Promise<Passkey> {
  const caller = requireAccount(context)
  const note = ({ id }: Passkey) => ({ resourceId: id, details: { name } })
  // A person may have sessions in other accounts.
  const everyone = { ...context, database: context.database.as(allTenants) }
  return makeChange(everyone, { owner: caller, action: 'passkey.add', note }, async (tx) => {
    const me = await requireMyself(tx, caller)
    const party = requireRelyingParty(context)
    // Taken beside the transaction: what fails has used the challenge up.
    const taken = await takeChallenge(everyone.database, challengeOf(caller))
    const made = taken && (await verifyCreation(party, credential, taken.challenge))
    requireAnswer(made)
    await lockPerson(tx, me.personId)
    await requireStillProven(tx, caller.session?.id ?? '')
    const before = await passkeysOfPersons(tx, [me.personId])
    requireRoom(before)
    const { personId, email: person } = me
    await countNews(tx, personId)
    const by = await passkeyOfSession(tx, caller.session?.id ?? '')
    const vouching = before.find(({ id }) => id === by)
    const { vouchedIn, vouchedAt } = vouching ?? { vouchedIn: me.accountId, vouchedAt: null }
    const added = await insertPasskey(tx, {
      ...{ ...made, vouchedIn, vouchedAt },
      ...{ id: newId('psk'), personId, name, rpId: party.rpId },
    })
    requireAnswer(added)
    // A wait was for the passkeys of before.
    await endWaits(tx, context, { personId })
    if (before.length === 0) await endOtherProofs(tx, personId, caller.session?.id ?? '')
    await tellOfPasskeys(tx, context, personId, 'passkey_added', { person, passkey: name })
    return added
  })
}

function requireAnswer<Answer>(answer: Answer | null): asserts answer is Answer {
  const message = 'does not answer the newest request of this session: ask for options again'
  requireAll([['credential', answer !== null, message]])
}

/**
 * Removes a passkey of the member who calls. Without a proof a session that a mail has opened begins a wait, and the
 * passkey stays; once the wait is over, such a session removes it, and the person is told. With the last one all waits
 * end. Throws STEP_UP_REQUIRED in other sessions whose proof
 * is old, NOT_FOUND, and CONFLICT where an account that takes passkeys alone would have too few OWNERs who have some.
 */
export async function removePasskey(context: OAuthContext, id: string): Promise<RemovedPasskey> {
  const caller = requireAccount(context)
  const closed = await closedAccountsOf(context, caller)
  const note = ({ name, readyAt }: RemovedPasskey) => {
    if (readyAt === null) return { details: { name } }
    const details = { name, removable_from: readyAt.toISOString() }
    return { action: 'passkey.removal_begin', details }
  }
  const everyone = { ...context, database: context.database.as(allTenants) }
  const change = { owner: caller, action: 'passkey.remove', resourceId: id, note }
  return makeChange(everyone, change, async (tx): Promise<RemovedPasskey> => {
    const { personId, email } = await requireMyself(tx, caller)
    // Accounts first, in their order, as every change of members does.
    const accounts = await accountsOfPerson(tx, personId)
    for (const one of accounts) await lockMembersOf(tx, one.accountId)
    await lockPerson(tx, personId)
    if (caller.session?.isProofFresh) await requireStillProven(tx, caller.session.id)
    const passkeys = await passkeysOfPersons(tx, [personId])
    const passkey = passkeys.find((one) => one.id === id)
    if (!passkey) throw new DomainError('NOT_FOUND', 'No passkey has this id.')
    const wait = await waitFor(tx, context, caller, { personId, email })
    if (wait) return { ...passkey, readyAt: wait.readyAt, endsAt: wait.endsAt }
    await deletePasskeys(tx, [id])
    if (passkeys.length === 1) await endRemovals(tx, personId)
    // A passkey that was disabled, or is of no OWNER, counts for no account; and a closed one lets nobody in.
    const owned = accounts.filter(({ role }) => passkey.disabledAt === null && role === 'OWNER')
    const ids = owned.map((one) => one.accountId).filter((one) => !closed.has(one))
    await requireOwnersWithPasskeys(tx, context, ids)
    if (!caller.session?.isProofFresh) {
      const data = { person: email, passkey: passkey.name }
      await tellOfPasskeys(tx, context, personId, 'passkey_removed', data)
    }
    return { ...passkey, readyAt: null, endsAt: null }
  })
}

/** The closed accounts of the member who calls. They are asked for outside of transactions: another subgraph knows them. */
async function closedAccountsOf(
  { database, findAccount }: OAuthContext,
  { accountId, session }: AccountCaller,
): Promise<ReadonlySet<string>> {
  const me = await findMembership(database, accountId, session?.memberId ?? '')
  if (!me?.personId) return new Set()
  const all = await accountsOfPerson(database.as(allTenants), me.personId)
  const open = await accountsToOpen(findAccount, all)
  const ids = new Set(open.map((one) => one.accountId))
  return new Set(all.map((one) => one.accountId).filter((one) => !ids.has(one)))
}

/** Null if the session may remove passkeys now. A wait that begins is announced. */
async function waitFor(
  tx: Transaction,
  context: OAuthContext,
  { session }: AccountCaller,
  { personId, email: person }: { readonly personId: string; readonly email: string },
): Promise<PasskeyRemoval | null> {
  if (session?.isProofFresh) return null
  // This session was proven by a passkey: the person has one.
  if (session?.provenAt !== null) {
    throw new DomainError('STEP_UP_REQUIRED', 'Prove with a passkey who is at the browser.')
  }
  const running = await findRemoval(tx, personId, 'person')
  if (running) return running.isReady ? null : running
  await countNews(tx, personId)
  const begun = await beginRemoval(tx, personId, 'person')
  const data = { person, removable_from: begun.readyAt.toISOString() }
  await tellOfPasskeys(tx, context, personId, 'passkey_removal', data)
  return begun
}
