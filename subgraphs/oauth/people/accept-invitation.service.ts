import type { Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { isInviterActive } from './member-rules.ts'
import { findInvited, joinAsMember, lockMembersOf, type Membership } from './membership.store.ts'
import { forgetPasskeysUnlessMember } from './person.store.ts'

/** Whom an invitation lets join. */
export interface Invitation {
  readonly accountId: string
  readonly memberId: string
  readonly role: PersonRole
  /** The mail address. */
  readonly actor: string
  readonly invitedBy: string | null
  /** Whether the link went to the address alone, so that it proves the mailbox. */
  readonly isMailed: boolean
  readonly expiresAt: Date
  /** Whether the person may join now, on this listener. */
  readonly isUsable: boolean
}

/** Null for an invitation that was accepted, ended or replaced by a later one. */
export async function findInvitation(
  view: Transaction | Database,
  invitationId: string,
  environment: Environment,
): Promise<Invitation | null> {
  const found = await findInvited(view, invitationId)
  return found && toInvitation(view, found, environment)
}

/**
 * Accepts the invitation: the person becomes a member. Null if that is not possible any more; of several requests at the
 * same time, one gets it. Passkeys of a person who belongs to no account until then are deleted.
 */
export async function acceptInvitation(
  tx: Transaction | Database,
  invitationId: string,
  environment: Environment,
): Promise<Invitation | null> {
  const before = await findInvited(tx, invitationId)
  if (!before) return null
  await lockMembersOf(tx, before.accountId)
  const found = await findInvited(tx, invitationId)
  const invitation = found && (await toInvitation(tx, found, environment))
  if (!found || !invitation?.isUsable) return null
  const { personId, id } = await joinAsMember(tx, found, newId('per'))
  if (personId) await forgetPasskeysUnlessMember(tx, personId, id)
  return invitation
}

async function toInvitation(
  view: Queryable,
  found: Membership,
  environment: Environment,
): Promise<Invitation> {
  const { accountId, id: memberId, role, email: actor, invitedBy, isMailed, expiresAt } = found
  const isUsable = environment === 'live' && found.isOpen && (await isInviterActive(view, found))
  return { accountId, memberId, role, actor, invitedBy, isMailed, expiresAt, isUsable }
}
