import { makeChange } from '../../shared/changes/change.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { askForAddress } from './address-change.service.ts'
import type { Member } from './member.type.ts'
import { requireLive, toMember } from './members.service.ts'
import { findMembership, lockMembersOf, renameMembership } from './membership.store.ts'

interface Myself {
  /** Undefined: it stays; null: none. */
  readonly name?: string | null
  /** Null: it stays. */
  readonly email: string | null
}

/**
 * Changes the name of the member who calls, and has the member confirm an address (`askForAddress`). Throws NOT_FOUND for
 * a key, and for a person of a portal link.
 */
export function changeMyself(
  context: OAuthContext,
  { name, email: written }: Myself,
): Promise<Member> {
  const caller = requireAccount(context)
  const id = caller.session?.memberId ?? ''
  const email = written?.toLowerCase() ?? null
  const change = {
    ...{ owner: caller, resourceId: id },
    action: email === null ? 'member.rename' : 'member.ask_for_address',
    note: () => {
      if (email !== null) return { details: { email } }
      return name === undefined ? null : {}
    },
  }
  return makeChange(context, change, async (tx) => {
    requireLive(caller)
    await lockMembersOf(tx, caller.accountId)
    const me = await findMembership(tx, caller.accountId, id)
    if (!me) throw new DomainError('NOT_FOUND', 'The caller is no member.')
    if (email !== null) await askForAddress(tx, context, caller, me, email)
    return toMember(name === undefined ? me : await renameMembership(tx, me, name))
  })
}
