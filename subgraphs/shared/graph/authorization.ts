import type { AuthChecker } from 'type-graphql'
import { type InternalRole, internalRoles } from '../../../schema/credentials/caller.ts'
import type { GraphContext } from './context.ts'
import { DomainError } from './errors.ts'

/** The values of `@Authorized(…)`: a kind of caller, or the least internal role. */
export type Access = 'account' | 'client' | 'service' | 'anonymous' | InternalRole

/**
 * Permits a field when one of the named accesses fits the caller; each internal role includes the
 * lower ones.
 */
export const authChecker: AuthChecker<GraphContext, Access> = ({ context }, accesses) =>
  requireAccess(context, accesses)

/** Throws FORBIDDEN unless one of the accesses fits the caller. */
export function requireAccess({ caller }: GraphContext, accesses: readonly Access[]): true {
  const allowed = accesses.some((access) => {
    if (caller.kind === 'internal') return includesRole(caller.role, access)
    return caller.kind === access
  })
  if (allowed) return true
  throw new DomainError('FORBIDDEN', 'This caller may not use this operation.')
}

function includesRole(role: InternalRole, access: Access): boolean {
  const needed = internalRoles.indexOf(access as InternalRole)
  return needed >= internalRoles.indexOf(role)
}
