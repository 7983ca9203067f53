import { createHash, timingSafeEqual } from 'node:crypto'

const grammar = /^[A-Za-z0-9\-._~]{43,128}$/

/**
 * Whether the verifier fits the challenge (RFC 7636 §4.6). One without the other is refused. A
 * verifier without a challenge may mean that an attacker removed the challenge (RFC 9700 §4.8.2).
 */
export function isVerified(verifier: string | null, challenge: string | null): boolean {
  if (verifier === null || challenge === null) return verifier === challenge
  if (!grammar.test(verifier)) return false
  const expected = Buffer.from(challenge)
  const given = Buffer.from(createHash('sha256').update(verifier).digest('base64url'))
  return expected.length === given.length && timingSafeEqual(expected, given)
}
