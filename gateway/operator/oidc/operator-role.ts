import type { InternalRole } from '../../../schema/credentials/caller.ts'
import { higherRole, type OperatorRoles } from '../../config/variables/operator-roles.ts'

/** A person with more values of the claim than this is nobody: no list is walked without a limit. */
const mostValues = 5000

/**
 * The highest role that these claims give, or null for none. The claim of the roles is a text or a list of texts,
 * and is compared whole.
 */
export function roleOfClaims(
  { claim, roles }: OperatorRoles,
  claims: Readonly<Record<string, unknown>>,
): InternalRole | null {
  let highest: InternalRole | null = null
  for (const value of valuesOf(claims, claim)) {
    const role = typeof value === 'string' ? roles.get(value) : undefined
    if (role !== undefined) highest = highest === null ? role : higherRole(highest, role)
  }
  return highest
}

/** Whether the claims say anything about the roles; if not, another answer of the issuer may. */
export function hasClaim(claims: Readonly<Record<string, unknown>>, claim: string): boolean {
  return Object.hasOwn(claims, claim) && claims[claim] !== null
}

function valuesOf(claims: Readonly<Record<string, unknown>>, claim: string): readonly unknown[] {
  if (!hasClaim(claims, claim)) return []
  const value = claims[claim]
  if (!Array.isArray(value)) return [value]
  return value.length > mostValues ? [] : value
}

/** The lower of two roles: within a session a role never grows. */
export function lowerRole(one: InternalRole, other: InternalRole): InternalRole {
  return higherRole(one, other) === one ? other : one
}
