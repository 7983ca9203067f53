import { z } from 'zod'
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

/** `groups:admin=gw-admins,support=gw-support,readonly=gw-readers`, or `sub:admin=…`. A role may come several times. */
export const operatorRoles = z.string().transform((text, context): OperatorRoles => {
  const read = readRoles(text)
  if (typeof read !== 'string') return read
  context.addIssue({ code: 'custom', message: read })
  return z.NEVER
})

/** The roles, or what is wrong with them. */
function readRoles(text: string): OperatorRoles | string {
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

export function higherRole(one: InternalRole, other: InternalRole): InternalRole {
  return rank(one) <= rank(other) ? one : other
}

/** Each role includes those after it. */
function rank(role: InternalRole): number {
  return internalRoles.indexOf(role)
}
