import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { mayGive } from '../../../schema/vocabulary/roles.ts'
import { makeChange } from '../../shared/changes/change.ts'
import { announce } from '../../shared/changes/events.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { endSessions } from '../sessions/end-session.service.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { KeptKeys, type Member, MemberState } from './member.type.ts'
import { memberEvent, roleEvent } from './member-events.ts'
import { type Acting, actingPerson, requireGivable } from './member-rules.ts'
import {
  changeRoleOf,
  countMemberships,
  findMembership,
  invitationsBy,
  listMemberships,
  lockMembersOf,
  type Membership,
  removeMemberships,
  sessionsOfMember,
} from './membership.store.ts'
import { forgetPasskeysUnlessMember } from './person.store.ts'
import type { PortalRole } from './portal-role.type.ts'
import { requirePasskeysWithout } from './sign-in-setting.store.ts'

/** No request goes on for so long: neither its body nor the database is waited for by half of it. */
const longestRequestMs = 60_000

/** Throws CONFLICT in the sandbox, whose people are those of live, by handover. */
export function requireLive(caller: AccountCaller): AccountCaller {
  if (caller.environment === 'live') return caller
  throw new DomainError('CONFLICT', 'Members belong to live: the sandbox has none of its own.')
}

/** The members of a `Member`, as a plain object. */
type MemberFields = Pick<Member, keyof Member>

export function toMember(membership: Membership): MemberFields {
  const { id, email, name, role, invitedBy, joinedAt, expiresAt, createdAt, passkeys } = membership
  const ends = joinedAt ? null : expiresAt
  // The enum of the graph has the roles of the vocabulary.
  const shown = { role: role as PortalRole, state: stateOf(membership), passkeys }
  return { id, email, name, invitedBy, expiresAt: ends, createdAt, ...shown }
}

function stateOf({ joinedAt, isConfirmed }: Membership): MemberState {
  if (!joinedAt) return MemberState.invited
  return isConfirmed ? MemberState.active : MemberState.unconfirmed
}

/** The members of the caller's account and its open invitations, newest first. */
export function membersOf(database: Database, caller: AccountCaller): PagedList<Member> {
  return membersOfAccount(database, requireLive(caller).accountId)
}

/** The members of an account and its open invitations, newest first. */
export function membersOfAccount(database: Database, accountId: string): PagedList<Member> {
  return {
    name: 'members',
    owner: { accountId, environment: 'live' },
    positionOf: ({ id }) => id,
    async read(options) {
      return (await listMemberships(database, accountId, options)).map(toMember)
    },
  }
}

/**
 * Changes the role of a member or of an invitation. Throws NOT_FOUND, FORBIDDEN where an OWNER is concerned and the
 * caller is none, and CONFLICT for the last OWNER, for one whose passkeys the account needs, and where the caller's own
 * membership has changed meanwhile.
 */
export function changeRoleOfMember(
  context: OAuthContext,
  id: string,
  role: PortalRole,
): Promise<Member> {
  let before: string = role
  const note = () => (before === role ? null : { details: { role, previous_role: before } })
  return changeMember(
    context,
    { id, action: 'member.update', note },
    async (tx, target, acting) => {
      before = target.role
      requireGivable(acting, target.role, role)
      if (target.role === role) return toMember(target)
      await requireOtherOwner(tx, target)
      await endInvitations(tx, target, role)
      const changed = await changeRoleOf(tx, target, role, {
        invitedBy: acting.actor,
        inviterId: acting.memberId,
      })
      if (target.joinedAt) await announce(tx, [roleEvent(changed, target.role)])
      await requirePasskeysWithout(tx, context, target)
      return toMember(changed)
    },
  )
}

/**
 * Removes a member, or an invitation: sessions and the invitations by the member end, and keys as `keys` says. Passkeys
 * of who belongs to no other account are deleted. Throws as `changeRoleOfMember` does.
 */
export function removeMember(context: OAuthContext, id: string, keys: KeptKeys): Promise<Member> {
  const note = ({ email, role }: Member) => ({ details: { email, role, keys } })
  // The person may belong to other accounts.
  const everyone = { ...context, database: context.database.as(allTenants) }
  return changeMember(
    everyone,
    { id, action: 'member.remove', note },
    async (tx, target, acting) => {
      requireGivable(acting, target.role)
      await requireOtherOwner(tx, target)
      await endInvitations(tx, target, null)
      await removeMemberships(tx, target.accountId, [target.id])
      if (target.personId) await forgetPasskeysUnlessMember(tx, target.personId, target.id)
      await requirePasskeysWithout(tx, context, target)
      await endSessions(tx, await sessionsOfMember(tx, target))
      const { accountId } = target
      const variables = { accountId, memberId: id, isKeeping: keys === KeptKeys.keep }
      await enqueueJob(tx, 'RevokeKeysOfMember', variables)
      // A request that was let in before the sessions ended may issue a key after the first run.
      await enqueueJob(tx, 'RevokeKeysOfMember', variables, new Date(Date.now() + longestRequestMs))
      if (target.joinedAt) await announce(tx, [memberEvent('member.removed', target)])
      return toMember(target)
    },
  )
}

interface NamedChange {
  readonly id: string
  readonly action: string
  readonly note: (member: Member) => { readonly details: object } | null
}

/** Changes a member under the lock of members. */
function changeMember(
  context: OAuthContext,
  { id, action, note }: NamedChange,
  work: (tx: Transaction, target: Membership, acting: Acting) => Promise<Member>,
): Promise<Member> {
  const owner = requireAccount(context)
  return makeChange(context, { owner, action, resourceId: id, note }, async (tx) => {
    requireLive(owner)
    await lockMembersOf(tx, owner.accountId)
    const acting = await actingPerson(tx, owner)
    const target = await findMembership(tx, owner.accountId, id)
    if (!target) throw new DomainError('NOT_FOUND', 'No member has this id.')
    return work(tx, target, acting)
  })
}

/** Throws CONFLICT if the account would have no OWNER any more. */
async function requireOtherOwner(tx: Transaction, target: Membership): Promise<void> {
  if (target.role !== 'OWNER' || !target.joinedAt) return
  const { owners } = await countMemberships(tx, target.accountId)
  if (owners > 1) return
  throw new DomainError('CONFLICT', 'An account keeps its last OWNER. Make another one first.')
}

/** Ends the open invitations that the member may not give any more; null: the member is removed. */
async function endInvitations(
  tx: Transaction,
  member: Membership,
  role: PortalRole | null,
): Promise<void> {
  const open = await invitationsBy(tx, member)
  const ended = open.filter((one) => role === null || !mayGive(role, one.role))
  await removeMemberships(
    tx,
    member.accountId,
    ended.map(({ id }) => id),
  )
}
