import { type Check, type Problem, problem } from './check.ts'

/** A base64url SHA-256 (RFC 7636 §4.2). */
const s256Challenge = /^[A-Za-z0-9_-]{43}$/

/**
 * Only S256: a missing method would mean `plain`, which is not supported (RFC 7636 §4.3, §4.4.1).
 */
export const checkPkce: Check = ({ codeChallenge, codeChallengeMethod }, client) => [
  ...challengeProblem(codeChallenge, Boolean(codeChallengeMethod !== null || client?.requirePkce)),
  ...methodProblem(codeChallengeMethod, codeChallenge !== null),
]

function challengeProblem(challenge: string | null, isNeeded: boolean): readonly Problem[] {
  if (challenge === null) return isNeeded ? problem('code_challenge', 'is required') : []
  return s256Challenge.test(challenge)
    ? []
    : problem('code_challenge', 'must be the base64url SHA-256 of a verifier: 43 characters')
}

function methodProblem(method: string | null, isNeeded: boolean): readonly Problem[] {
  if (method === 'S256' || (method === null && !isNeeded)) return []
  return problem(
    'code_challenge_method',
    method === null
      ? 'must be S256; it has no default here'
      : 'transform algorithm not supported; use S256',
  )
}
