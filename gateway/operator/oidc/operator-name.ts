import { createHash } from 'node:crypto'

/** The name in the audit trail has at most 100 characters: this many of the display name, then the subject. */
const mostOfDisplayName = 40
const mostOfSubject = 55

/** Nothing invisible, and nothing that passes for the subject. */
const unusable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800()]+/gu

/**
 * The name of an operator: what they call themselves, and the subject in brackets, which nobody can choose. It is
 * stable as far as the issuer's subjects are.
 */
export function operatorNameOf(claims: Readonly<Record<string, unknown>>, subject: string): string {
  const { preferred_username: userName, name } = claims
  const displayName = displayable(userName) || displayable(name) || 'operator'
  return `${displayName} (${shownSubject(subject)})`
}

/** Whether the claims have a name to show; if not, another answer of the issuer may. */
export function hasName({ preferred_username: userName, name }: Readonly<Record<string, unknown>>) {
  return displayable(userName) !== '' || displayable(name) !== ''
}

function displayable(value: unknown): string {
  if (typeof value !== 'string') return ''
  const visible = value.slice(0, 1000).replaceAll(unusable, ' ').replaceAll(/\s+/g, ' ').trim()
  return Array.from(visible).slice(0, mostOfDisplayName).join('').trim()
}

/** OpenID Connect Core §2: a subject has up to 255 ASCII characters. A long one is shown as its hash. */
function shownSubject(subject: string): string {
  if (subject.length <= mostOfSubject && /^[\x21-\x7e]+$/.test(subject)) return subject
  return `sha256:${createHash('sha256').update(subject).digest('base64url')}`
}
