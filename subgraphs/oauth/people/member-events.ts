import { type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { Membership } from './membership.store.ts'

type Told = Pick<Membership, 'id' | 'accountId' | 'email' | 'role'>

/** Tells the account of a member who has joined or was removed. */
export function memberEvent(type: 'member.joined' | 'member.removed', member: Told): NewEvent {
  return newEvent(ownerOf(member), type, dataOf(member))
}

/** Tells the account of a member who has another role than before. */
export function roleEvent(member: Told, previous: Membership['role']): NewEvent {
  const data = { ...dataOf(member), previous_role: previous }
  return newEvent(ownerOf(member), 'member.role_changed', data)
}

/** Members are those of live. */
function ownerOf({ accountId }: Told) {
  return { accountId, environment: 'live' } as const
}

function dataOf({ id, email, role }: Told) {
  return { member_id: id, email, role }
}
