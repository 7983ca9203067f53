import { addressChangeOfToken } from '../../../schema/credentials/address-change.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { makeChange, recordChange } from '../../shared/changes/change.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { deletePasskeys, lockPerson, passkeysOfPersons } from '../passkeys/passkey.store.ts'
import { endRemovals } from '../passkeys/passkey-removal.store.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import {
  type AddressChange,
  dropChangeOf,
  endProofsOf,
  endSignInsOf,
  findChange,
  invitationsTo,
  keepChange,
  type MovedMember,
  readdressMembers,
  readdressPerson,
} from './address-change.store.ts'
import type { Member } from './member.type.ts'
import { requireLive, toMember } from './members.service.ts'
import {
  findMembership,
  lockMembersOf,
  type Membership,
  removeMemberships,
} from './membership.store.ts'
import { accountsOfPerson } from './person.store.ts'
import { requirePasskeysWithout } from './sign-in-setting.store.ts'

/**
 * Has the member who calls confirm an address: a new one, or the own one that no mail has reached. Whose the address is,
 * a job looks up afterwards. Throws STEP_UP_REQUIRED for a new one without a fresh proof, and CONFLICT where no mails can
 * be sent, and for the own one that is confirmed.
 */
export async function askForAddress(
  tx: Transaction,
  { oauth }: Pick<OAuthContext, 'oauth'>,
  { session }: AccountCaller,
  me: Membership,
  email: string,
): Promise<void> {
  if (email !== me.email && !session?.isProofFresh) {
    throw new DomainError('STEP_UP_REQUIRED', 'Another address needs a fresh proof.')
  }
  if (!oauth.sendsMails) {
    throw new DomainError(
      'CONFLICT',
      'This gateway sends no mails, so no address can be confirmed.',
    )
  }
  if (email === me.email && me.isConfirmed) {
    throw new DomainError('CONFLICT', 'This is your address already, and it is confirmed.')
  }
  const id = newId('adc')
  await keepChange(tx, { id, accountId: me.accountId, memberId: me.id, email })
  await enqueueJob(tx, 'MailAddressChange', { id })
}

/**
 * Mails the link that confirms an address, as a job; to an address of another person, a warning without a link. The mails
 * count as invitations do.
 */
export async function mailAddressChange(context: OAuthContext, id: string): Promise<boolean> {
  const database = context.database.as(allTenants)
  const change = await findChange(database, id)
  if (!change) return true
  const { accountId, memberId, email } = change
  const template = mayHave(change) ? 'address_confirmation' : 'address_taken'
  const receivers = [{ memberId, email }]
  const input = { accountId, messageId: id, template, data: {}, receivers, isCounted: true }
  await enqueueJob(database, 'MailPeople', { input })
  return true
}

/**
 * Whether the address is nobody else's. An unconfirmed member is a person without an address: the mail to the own one
 * shows that it is the same person who has it elsewhere.
 */
function mayHave({ holderId, personId, isConfirmed, email, oldEmail }: AddressChange): boolean {
  if (holderId === null || holderId === personId) return true
  return !isConfirmed && email === oldEmail
}

/**
 * Confirms an address by the link of its mail, in a session of the member who has asked. The memberships of the person
 * follow. Throws one NOT_FOUND for every link that does not work.
 */
export function confirmMyAddress(context: OAuthContext, token: string): Promise<Member> {
  const caller = requireAccount(context)
  const { accountId } = caller
  const id = addressChangeOfToken(context.gatewaySecret, token)
  const memberId = caller.session?.memberId ?? ''
  const change = { owner: caller, action: 'member.confirm_address', resourceId: memberId }
  // The person may be a member of other accounts.
  const everyone = { ...context, database: context.database.as(allTenants) }
  return makeChange(everyone, change, async (tx) => {
    requireLive(caller)
    const asked = id && (await findChange(tx, id))
    if (!asked || asked.memberId !== memberId) throw refused()
    await lockAccounts(tx, [accountId, ...(await accountIdsOf(tx, asked.personId))])
    await lockPerson(tx, asked.personId)
    // Another request may have used the link while this one waited.
    const found = await findChange(tx, id)
    if (!found || found.personId !== asked.personId || !mayHave(found)) throw refused()
    await dropChangeOf(tx, id)
    await (found.isConfirmed ? moveAll(tx, context, found) : confirmOne(tx, context, found))
    const me = await findMembership(tx, accountId, memberId)
    if (!me) throw refused()
    return toMember(me)
  })
}

async function accountIdsOf(tx: Transaction, personId: string): Promise<string[]> {
  return (await accountsOfPerson(tx, personId)).map((one) => one.accountId)
}

/** In their order, as every change of members does. */
async function lockAccounts(tx: Transaction, accountIds: readonly string[]): Promise<void> {
  for (const one of [...new Set(accountIds)].toSorted()) await lockMembersOf(tx, one)
}

function refused(): DomainError {
  return new DomainError(
    'NOT_FOUND',
    'This link confirms nothing here. Sign in as the member who asked for it, or ask for another one.',
  )
}

/** Nobody had confirmed the former address, so nothing else that has it follows. */
async function confirmOne(
  tx: Transaction,
  context: OAuthContext,
  { holderId, personId, memberId, accountId, email }: AddressChange,
): Promise<void> {
  const before = await findMembership(tx, accountId, memberId)
  const person = { email, personId: holderId ?? personId }
  if (holderId !== null) await join(tx, { holderId, personId, memberId, accountId })
  else if (!(await readdressPerson(tx, personId, email))) throw refused()
  await endInvitations(tx, email, [accountId])
  const moved = await readdressMembers(tx, person, [memberId])
  if (!before || moved.length === 0) throw refused()
  await requirePasskeysWithout(tx, context, before)
}

/**
 * Makes the member one of the person who has the address elsewhere. Whoever holds the session has shown that mails of the
 * address reach them, and no more: what they could sign in with until now ends, and where the person has passkeys, a mail
 * is no proof.
 */
async function join(
  tx: Transaction,
  {
    holderId,
    personId,
    memberId,
    accountId,
  }: Omit<AddressChange, 'holderId' | 'email' | 'oldEmail' | 'isConfirmed'> & {
    readonly holderId: string
  },
): Promise<void> {
  await lockPerson(tx, holderId)
  // A person is one member of an account.
  if ((await accountIdsOf(tx, holderId)).includes(accountId)) throw refused()
  const own = await passkeysOfPersons(tx, [personId])
  await deletePasskeys(
    tx,
    own.map((one) => one.id),
  )
  await endRemovals(tx, personId)
  if ((await passkeysOfPersons(tx, [holderId])).length > 0) await endProofsOf(tx, memberId)
}

async function moveAll(
  tx: Transaction,
  context: OAuthContext,
  { personId, memberId, accountId, email, oldEmail }: AddressChange,
): Promise<void> {
  if (!(await readdressPerson(tx, personId, email))) throw refused()
  const members = await accountsOfPerson(tx, personId)
  await endInvitations(
    tx,
    email,
    members.map((one) => one.accountId),
  )
  const ids = members.map((one) => one.memberId)
  const moved = await readdressMembers(tx, { email, personId }, ids)
  await endSignInsOf(tx, personId)
  await noteOthers(
    tx,
    context,
    moved.filter(({ id }) => id !== memberId),
  )
  const receivers = [{ memberId, email: oldEmail }]
  const mail = { messageId: newId('mail'), template: 'address_changed', data: {}, receivers }
  await enqueueJob(tx, 'MailPeople', { input: { accountId, ...mail } })
}

/** Who is a member already cannot accept an invitation to the same account. */
async function endInvitations(
  tx: Transaction,
  email: string,
  accountIds: readonly string[],
): Promise<void> {
  for (const { id, accountId } of await invitationsTo(tx, email, accountIds)) {
    await removeMemberships(tx, accountId, [id])
  }
}

/** The other accounts of the person have the change in their trails, too. */
async function noteOthers(
  tx: Transaction,
  context: OAuthContext,
  members: readonly MovedMember[],
): Promise<void> {
  for (const { id, accountId } of members) {
    const owner = { accountId, environment: 'live' } as const
    await recordChange(tx, context, { owner, action: 'member.confirm_address', resourceId: id })
  }
}
