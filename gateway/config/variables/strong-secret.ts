import { z } from 'zod'

const minLength = 32
/** A random text of this length has more; `changeme`, also repeated, has seven. */
const minDifferentCharacters = 8
/** Random secrets do not contain these words; copied examples do. */
const placeholder =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|it|with)|place[-_ ]?holder|example|default|password|insecure|your[-_ ](own|secret|key)/i
/** The longest piece whose repetition is recognized. */
const maxPeriod = 8
const advice = 'make one with openssl rand -hex 32'

/** A root secret that cannot be guessed: all signatures and seals of the gateway depend on it. */
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
