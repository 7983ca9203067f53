import { invitationUrl } from '../../../schema/credentials/invitation-token.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { isMailAddress } from '../../../schema/vocabulary/mail-address.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import { actOf } from '../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { InvitedMember, InviteMemberInput } from './member.type.ts'
import { type Acting, actingPerson, requireGivable } from './member-rules.ts'
import { requireLive, toMember } from './members.service.ts'
import {
  addMembership,
  countMemberships,
  findMembership,
  findMembershipOf,
  lockMembersOf,
  type Membership,
  removeMemberships,
  renewMembership,
} from './membership.store.ts'
import { PortalRole } from './portal-role.type.ts'

/** The most invitations of an account that nobody has accepted yet. */
const maxOpen = 20

/** Whoever invites: null members for an operator. */
interface Inviter {
  readonly invitedBy: string | null
  readonly inviterId: string | null
  /** As the mail names them. */
  readonly inviterName: string | null
}

const operator: Inviter = { invitedBy: null, inviterId: null, inviterName: null }

function inviterOf({ actor, memberId, name }: Acting): Inviter {
  return { invitedBy: actor, inviterId: memberId, inviterName: name }
}

/** The stored result that answers a repeated invitation; it is sealed, because of the link. */
interface Invited {
  readonly id: string
  readonly link: string | null
}

/**
 * Invites a person to the caller's account. Throws CONFLICT for an address that is a member or invited, and beyond
 * the most open invitations; FORBIDDEN for a role that the caller may not give. With `once`, a repetition is shown
 * what the first request was.
 */
export async function inviteMember(
  context: OAuthContext,
  { email: written, role }: { readonly email: string; readonly role: PersonRole },
  once: OnceInput | null,
): Promise<InvitedMember> {
  const owner = requireAccount(context)
  const { accountId } = owner
  const email = written.toLowerCase()
  const change = {
    ...{ owner, action: 'member.invite', once, isSecret: true, request: { email, role } },
    note: ({ id }: Invited) => ({ resourceId: id, details: { email, role } }),
  }
  const { id, link } = await makeChange(context, change, async (tx): Promise<Invited> => {
    requireLive(owner)
    await lockMembersOf(tx, accountId)
    const acting = await actingPerson(tx, owner)
    requireGivable(acting, role)
    const known = await findMembershipOf(tx, accountId, email)
    if (known?.joinedAt) throw new DomainError('CONFLICT', 'This address belongs to a member.')
    if (known?.isOpen) {
      throw new DomainError('CONFLICT', 'This address is invited. Send its invitation again.')
    }
    await requireRoom(tx, accountId)
    // An invitation that has expired gives way to the new one.
    if (known) await removeMemberships(tx, accountId, [known.id])
    return addInvited(tx, context, { accountId, email, role, ...inviterOf(acting) })
  })
  return { ...(await memberOf(context, accountId, id)), link }
}

/**
 * Sends an invitation again; the link of before is void. Throws CONFLICT once it was accepted, NOT_FOUND for another
 * account's member, and FORBIDDEN as `inviteMember` does.
 */
export async function resendInvitation(
  context: OAuthContext,
  id: string,
  once: OnceInput | null,
): Promise<InvitedMember> {
  const owner = requireAccount(context)
  const { accountId } = owner
  const change = {
    ...{ owner, action: 'member.resend', resourceId: id, once, isSecret: true, request: { id } },
  }
  const { link } = await makeChange(context, change, async (tx): Promise<Invited> => {
    requireLive(owner)
    await lockMembersOf(tx, accountId)
    const acting = await actingPerson(tx, owner)
    const known = await findMembership(tx, accountId, id)
    if (!known) throw new DomainError('NOT_FOUND', 'No member has this id.')
    requireGivable(acting, known.role)
    if (known.joinedAt) throw new DomainError('CONFLICT', 'The invitation was accepted.')
    if (!known.isOpen) await requireRoom(tx, accountId)
    return renew(tx, context, known, inviterOf(acting))
  })
  return { ...(await memberOf(context, accountId, id)), link }
}

/** The link of an invitation that was made before its row. */
interface MadeLink {
  readonly invitationId?: string
  /** Whether the link was shown, so that it proves no mailbox. */
  readonly isShown?: boolean
}

/**
 * Invites a person for an operator, or again with another role if nobody has accepted. Throws NOT_FOUND for an
 * unknown account, and CONFLICT for an address that is a member, and beyond the most open invitations.
 */
export async function inviteAnyMember(
  context: OAuthContext,
  { accountId, email: written, role, ...said }: InviteMemberInput,
  made: MadeLink = {},
): Promise<InvitedMember> {
  const email = written.toLowerCase()
  const named = {
    ...({ owner: { accountId, environment: 'live' }, action: 'member.invite' } as const),
    request: { email, role, reason: said.reason },
  }
  const { once, why } = await recordRefusal(context, named, async () => {
    requireAll([['email', isMailAddress(email), 'must be an email address']])
    const isThere = await context.findAccount?.(accountId)
    if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
    return actOf(context.caller, said)
  })
  const change = {
    ...{ ...named, once, isSecret: true },
    note: ({ id }: Invited) => ({ resourceId: id, details: { email, role, ...why } }),
  }
  const { id, link } = await makeChange(context, change, async (tx): Promise<Invited> => {
    await lockMembersOf(tx, accountId)
    const known = await findMembershipOf(tx, accountId, email)
    if (known?.joinedAt) throw new DomainError('CONFLICT', 'This address belongs to a member.')
    // Its place is free for the new one.
    if (known) await removeMemberships(tx, accountId, [known.id])
    await requireRoom(tx, accountId)
    return addInvited(tx, context, { accountId, email, role, ...operator }, made)
  })
  return { ...(await memberOf(context, accountId, id)), link }
}

async function requireRoom(tx: Transaction, accountId: string): Promise<void> {
  const { open } = await countMemberships(tx, accountId)
  if (open < maxOpen) return
  throw new DomainError('CONFLICT', `An account has at most ${maxOpen} open invitations.`)
}

async function addInvited(
  tx: Transaction,
  context: OAuthContext,
  { inviterName, ...invited }: Inviter & Pick<Membership, 'accountId' | 'email' | 'role'>,
  { invitationId = newId('ivt'), isShown = !sendsMails(context) }: MadeLink = {},
): Promise<Invited> {
  const made = { ...invited, id: newId('mem'), invitationId, isMailed: !isShown }
  return send(tx, context, await addMembership(tx, made), { invitationId, inviterName })
}

async function renew(
  tx: Transaction,
  context: OAuthContext,
  { id, accountId }: Membership,
  { inviterName, ...inviter }: Inviter,
): Promise<Invited> {
  const invitationId = newId('ivt')
  const renewed = { id, accountId, ...inviter, invitationId, isMailed: sendsMails(context) }
  return send(tx, context, await renewMembership(tx, renewed), { invitationId, inviterName })
}

/** The mail leaves through the account subgraph; without mails, the inviter is shown the link. */
async function send(
  tx: Transaction,
  context: OAuthContext,
  { id, accountId, email, role, isMailed, expiresAt }: Membership,
  { invitationId, inviterName }: Pick<Inviter, 'inviterName'> & { readonly invitationId: string },
): Promise<Invited> {
  if (!isMailed) {
    const { baseUrls, gatewaySecret } = context
    return { id, link: invitationUrl(baseUrls.live, gatewaySecret, invitationId) }
  }
  const mail = { accountId, memberId: id, invitationId, email, role, expiresAt }
  await enqueueJob(tx, 'SendInvitation', { input: { ...mail, invitedBy: inviterName } })
  return { id, link: null }
}

function sendsMails({ oauth }: OAuthContext): boolean {
  return oauth.sendsMails ?? false
}

async function memberOf({ database }: OAuthContext, accountId: string, id: string) {
  const found = await findMembership(database.as(accountId), accountId, id)
  if (!found) throw new DomainError('NOT_FOUND', 'No member has this id.')
  return toMember(found)
}

/**
 * Invites the first OWNER of a new account, as a job: a repetition changes nothing. Whoever created the account may have
 * the link already, so the invitation has an id.
 */
export async function inviteOwner(
  context: OAuthContext,
  { accountId, email, ...made }: { accountId: string; email: string } & Required<MadeLink>,
): Promise<boolean> {
  const known = await findMembershipOf(context.database, accountId, email.toLowerCase())
  const owner = { accountId, email, role: PortalRole.OWNER }
  if (!known) await inviteAnyMember(context, owner, made)
  return true
}
