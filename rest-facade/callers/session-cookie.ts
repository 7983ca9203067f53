import type { Request } from 'express'
import type { Environment } from '../../schema/credentials/caller.ts'
import { knownBrowserSeconds } from '../../schema/credentials/mail-sign-in.ts'
import {
  isOAuthSecret,
  type OAuthSecretKind,
} from '../../schema/credentials/oauth-secret-format.ts'
import { mailSignInSeconds } from '../../schema/vocabulary/oauth-lifetimes.ts'
import { hostCookie, hostCookieOf } from './host-cookie.ts'

/** Names of session cookies. Cookies do not distinguish ports, so each listener has its own name. */
export const sessionCookieNames = {
  live: '__Host-gw_session',
  sandbox: '__Host-gw_sandbox_session',
} as const satisfies Readonly<Record<Environment, string>>

/** Returns the secret of the browser's session; null without a cookie that has its form. */
export function readSessionCookie(
  req: Request,
  environment: Environment,
  keyPrefix: string,
): string | null {
  return readSecret(req, sessionCookieNames[environment], keyPrefix, 'osn')
}

function readSecret(
  req: Request,
  name: `__Host-${string}`,
  keyPrefix: string,
  kind: OAuthSecretKind,
): string | null {
  const value = hostCookieOf(req, name)
  return value !== null && isOAuthSecret(value, keyPrefix, kind) ? value : null
}

/** Returns the `Set-Cookie` value: the cookie ends with the browser or with the session. */
export function sessionCookie(environment: Environment, secret: string): string {
  return hostCookie(sessionCookieNames[environment], secret)
}

export function endedSessionCookie(environment: Environment): string {
  return hostCookie(sessionCookieNames[environment], null)
}

/** A browser that has asked for a mail to sign in: the link and the code of the mail work there alone. */
const askCookieName = '__Host-gw_ask'

/** Returns the secret of the newest request of the browser; null without one. */
export function readAskCookie(req: Request, keyPrefix: string): string | null {
  return readSecret(req, askCookieName, keyPrefix, 'oak')
}

export function askCookie(secret: string): string {
  return hostCookie(askCookieName, secret, mailSignInSeconds)
}

/** A browser that has signed in by mail before. It opens nothing: it only has limits of its own. */
const knownCookieName = '__Host-gw_known'

/** The longest value that such a cookie can have. */
const maxKnownLength = 200

export function readKnownCookie(req: Request): string | null {
  const value = hostCookieOf(req, knownCookieName)
  return value !== null && value.length <= maxKnownLength ? value : null
}

export function knownCookie(value: string): string {
  return hostCookie(knownCookieName, value, knownBrowserSeconds)
}

/** A sign-in by passkey that has begun: there is no session yet that could have the challenge. */
const passkeyCookieName = '__Host-gw_passkey'

/** How long the cookie lasts: as long as its challenge, in seconds. */
const passkeyCookieSeconds = 300

/** Returns the secret of the sign-in that the browser has begun; null without one. */
export function readPasskeyCookie(req: Request, keyPrefix: string): string | null {
  return readSecret(req, passkeyCookieName, keyPrefix, 'opk')
}

export function passkeyCookie(secret: string): string {
  return hostCookie(passkeyCookieName, secret, passkeyCookieSeconds)
}
