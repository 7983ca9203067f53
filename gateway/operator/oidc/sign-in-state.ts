import type { Request } from 'express'
import { z } from 'zod'
import { hostCookieOf } from '../../../rest-facade/callers/host-cookie.ts'
import { open, seal } from '../../../schema/credentials/secrets.ts'

/**
 * What a browser keeps between its way to the issuer and its return: sealed, so that nobody reads the verifier or
 * makes a state of their own.
 */
const signInState = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** A path of the operators' page. */
  returnTo: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  /** SHA-256 of the cookie of the session that was open: the browser does not send it on its return. */
  previousHash: z.string().nullable(),
  /** Whether the person must have signed in at the issuer again, after `loginAfter`. */
  isStepUp: z.boolean(),
  loginAfter: z.number(),
  /** Whether the issuer was asked for a consent, without which some give no refresh token. */
  asksConsent: z.boolean(),
})
export type SignInState = z.infer<typeof signInState>

/** How long somebody may take at the issuer. */
const stateLifetimeMs = 10 * 60 * 1000

/**
 * With `__Host-` it is of this host alone. It is sent on the way back from the issuer, which a cookie with
 * `SameSite=Strict` is not.
 */
const stateCookieName = '__Host-gw_operator_sign_in'
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'

/** The `Set-Cookie` value. */
export function stateCookie(key: Uint8Array, state: SignInState): string {
  const sealed = seal(key, JSON.stringify(state), stateCookieName)
  return `${stateCookieName}=${sealed}; ${attributes}; Max-Age=${stateLifetimeMs / 1000}`
}

export const endedStateCookie = `${stateCookieName}=; ${attributes}; Max-Age=0`

/** The state of this browser's sign-in; null for none, one of another key, and one that is too old. */
export function stateOf(req: Request, key: Uint8Array): SignInState | null {
  const sealed = hostCookieOf(req, stateCookieName)
  const text = sealed === null ? null : open(key, sealed, stateCookieName)
  if (text === null) return null
  const state = signInState.parse(JSON.parse(text))
  const age = Date.now() - state.startedAt
  return age >= 0 && age < stateLifetimeMs ? state : null
}
