import { coversScope, everyScope, membersScope, scopes, serviceSlugs } from './scopes.ts'

/** The roles of people: of members, and of those whom a portal link signs in (docs/contract.md §11). */
export const personRoles = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'] as const
export type PersonRole = (typeof personRoles)[number]

const scopesOfServices = serviceSlugs.flatMap((slug) => [`${slug}:read`, `${slug}:write`])

const scopesByRole: Readonly<Record<PersonRole, readonly string[]>> = {
  OWNER: [everyScope, membersScope],
  ADMIN: [
    ...scopes.filter((scope) => scope !== 'billing:write' && scope !== 'oauth:consent'),
    membersScope,
  ],
  DEVELOPER: [
    'account:read',
    'usage:read',
    'audit:read',
    ...areaOf('keys'),
    'oauth:read',
    'oauth:write',
    ...areaOf('webhooks'),
    ...scopesOfServices,
  ],
  BILLING: ['account:read', ...areaOf('billing'), 'usage:read'],
  VIEWER: [
    'account:read',
    'billing:read',
    'usage:read',
    'keys:read',
    'oauth:read',
    'webhooks:read',
  ],
}

/** `<area>:*` of the table. */
function areaOf(area: string): readonly string[] {
  return scopes.filter((scope) => scope.startsWith(`${area}:`))
}

export function isPersonRole(value: unknown): value is PersonRole {
  return personRoles.some((role) => role === value)
}

/** The scopes of a session that has this role. */
export function scopesOfRole(role: PersonRole): readonly string[] {
  return scopesByRole[role]
}

/** Whether a person with the role `by` may give the role to others, and take it from them. */
export function mayGive(by: PersonRole, role: PersonRole): boolean {
  if (!coversScope(scopesOfRole(by), membersScope)) return false
  return by === 'OWNER' || role !== 'OWNER'
}

/**
 * Whether a session of this role may call product operations. In live a developer issues keys for
 * that, because a call costs credits.
 */
export function mayCallProducts(role: PersonRole, environment: 'live' | 'sandbox'): boolean {
  return role !== 'DEVELOPER' || environment === 'sandbox'
}
