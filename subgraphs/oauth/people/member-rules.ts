import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { mayGive, type PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { findMembership, type Membership } from './membership.store.ts'

/** Who changes members. */
export interface Acting {
  readonly role: PersonRole
  /** The actor in the audit trail. */
  readonly actor: string
  /** What strangers read in a mail: no address. */
  readonly name: string
  /** Null for a person of a portal link. */
  readonly memberId: string | null
}

/**
 * Who changes members, as they are now: the lock of members is held. Throws CONFLICT where a change that came before
 * has removed the caller, or taken the role that permits this.
 */
export async function actingPerson(
  view: Queryable,
  { accountId, session }: AccountCaller,
): Promise<Acting> {
  if (!session?.role) {
    throw new DomainError('FORBIDDEN', 'Only the session of a person changes members.')
  }
  const { role, actor, memberId = null } = session
  if (memberId === null) return { role, actor: actor ?? '', name: actor ?? '', memberId }
  const member = await findMembership(view, accountId, memberId)
  if (!member?.joinedAt || !mayGive(member.role, 'VIEWER')) {
    throw new DomainError('CONFLICT', 'Your own membership has changed meanwhile.')
  }
  const { email, name } = member
  return { role: member.role, actor: email, name: name ?? nameInAddress(email), memberId }
}

/** Words for a member without a name: `jane doe` of `jane.doe+work@acme.example`. */
function nameInAddress(email: string): string {
  return email.replace(/[+@].*$/s, '').replaceAll(/[._-]+/g, ' ')
}

/** Throws FORBIDDEN for a role that the caller may neither give nor take. */
export function requireGivable({ role: by }: Acting, ...roles: readonly PersonRole[]): void {
  if (roles.every((role) => mayGive(by, role))) return
  throw new DomainError('FORBIDDEN', 'Only an OWNER may make an OWNER, or change one.')
}

/** Whether somebody may still join: the inviter must be there, and may still give the role. */
export async function isInviterActive(
  view: Queryable,
  { accountId, inviterId, role }: Membership,
): Promise<boolean> {
  if (inviterId === null) return true
  const inviter = await findMembership(view, accountId, inviterId)
  return inviter !== null && inviter.joinedAt !== null && mayGive(inviter.role, role)
}
