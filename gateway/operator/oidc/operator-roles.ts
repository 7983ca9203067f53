import { type InternalRole, internalRoles } from '../../../schema/credentials/caller.ts'

/** Who among the people of an issuer has which role. */
export interface OperatorRoles {
  /** The claim that decides: `sub`, or one whose value is a text or a list of texts. */
  readonly claim: string
  /** Value of the claim → role; of two roles of a value the higher one. */
  readonly roles: ReadonlyMap<string, InternalRole>
}

const mostValues = 100
const mostCharacters = 10_000

/**
 * People can change these claims themselves, or get what somebody else had (OpenID Connect Core §5.7). They
 * name nobody for certain.
 */
const changeableClaims: ReadonlySet<string> = new Set([
  'email',
  'name',
  'nickname',
  'given_name',
  'family_name',
  'middle_name',
  'preferred_username',
  'phone_number',
  'upn',
  'unique_name',
])

/**
 * Reads `groups:admin=gw-admins,support=gw-support,readonly=gw-readers`, or `sub:admin=…`; a role may come several
 * times. Returns what is wrong with another text.
 */
export function readOperatorRoles(text: string): OperatorRoles | string {
  if (text.length > mostCharacters) return `must have at most ${mostCharacters} characters`
  // The name of a claim may be a URL, so the colon before the first role ends it.
  const [, claim = '', pairs = ''] = /^\s*([^=,]*?)\s*:([^:=,]*=.*)$/su.exec(text) ?? []
  if (!/^[^\s\p{Cc}]{1,200}$/u.test(claim)) return `must be ${form}`
  if (changeableClaims.has(claim.toLowerCase())) {
    return `must not go by the claim ${claim}, which people can change or take over: use groups or sub`
  }
  const roles = new Map<string, InternalRole>()
  const parts = pairs.split(',')
  if (parts.length > mostValues) return `must name at most ${mostValues} values`
  for (const part of parts) {
    const [, name = '', value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(part) ?? []
    const role = internalRoles.find((one) => one === name)
    if (value === '') return `must be ${form}`
    if (role === undefined) {
      return `names the role ${JSON.stringify(name.slice(0, 40))}: roles are ${internalRoles.join(', ')}`
    }
    const known = roles.get(value)
    roles.set(value, known === undefined ? role : higherRole(known, role))
  }
  return { claim, roles }
}

const form = 'claim:role=value,role=value, such as groups:admin=gw-admins,support=gw-support'

function higherRole(one: InternalRole, other: InternalRole): InternalRole {
  return rank(one) <= rank(other) ? one : other
}

/** Each role includes those after it. */
function rank(role: InternalRole): number {
  return internalRoles.indexOf(role)
}

/** A person with more values of the claim than this is nobody: no list is walked without a limit. */
const mostOfPerson = 5000

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
  return value.length > mostOfPerson ? [] : value
}

/** The lower of two roles: within a session a role never grows. */
export function lowerRole(one: InternalRole, other: InternalRole): InternalRole {
  return higherRole(one, other) === one ? other : one
}
