import { z } from 'zod'

const minLength = 32
/** Any random text of that length has more; `changeme`, however often it is written, has seven. */
const minDifferentCharacters = 8
/** Nobody draws one of these words at random; who copies an example does not read further. */
const placeholder =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|it|with)|place[-_ ]?holder|example|default|password|insecure|your[-_ ](own|secret|key)/i
/** A piece of this length that is written again and again. */
const maxPeriod = 8
const advice = 'make one with openssl rand -hex 32'

/** A root secret that nobody can guess: everything that the gateway signs and seals hangs on it. */
export const strongSecret = z.string().superRefine((secret, context) => {
  const message = weaknessOf(secret)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

function weaknessOf(secret: string): string | null {
  if (secret.length < minLength) return `must have at least ${minLength} characters`
  if (placeholder.test(secret)) return `must not be a placeholder: ${advice}`
  const isVaried = new Set(secret).size >= minDifferentCharacters && !isRepetition(secret)
  return isVaried ? null : `must be random: ${advice}`
}

function isRepetition(secret: string): boolean {
  for (let period = 1; period <= maxPeriod; period += 1) {
    if (secret.startsWith(secret.slice(period))) return true
  }
  return false
}
