import type { IncomingMessage } from 'node:http'
import { sessionCookieNames } from '../../rest-facade/callers/session-cookie.ts'
import { lastWordOf } from '../../rest-facade/http/authorization.ts'
import { clientAddress } from '../../rest-facade/rate-limit/client-address.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { clientBlock } from '../../schema/vocabulary/client-block.ts'
import type { KnownCredentials } from './known-credentials.ts'

/** What overload control knows of the sender of a request. */
export interface Sender {
  /**
   * The client block of a stranger, whose credential, if it has one, was not accepted lately; null
   * for a known sender.
   */
  readonly block: string | null
  readonly isKnown: boolean
}

export const knownSender: Sender = { block: null, isKnown: true }
/**
 * The sender of a request while there is no bound, when nobody asks who it is: a stranger until its
 * credential is accepted.
 */
export const unjudgedSender: Sender = { block: null, isKnown: false }

/** Tells senders apart by their headers and addresses alone. */
export function recognizeSenders(known: Pick<KnownCredentials, 'has'>) {
  return function senderOf(req: IncomingMessage): Sender {
    return credentialsOf(req).some((credential) => known.has(sha256(credential)))
      ? knownSender
      : { block: clientBlock(clientAddress(req)), isKnown: false }
  }
}

/**
 * The key, token, or name and secret of an app; otherwise the sessions of the browser. Cookies do not
 * distinguish ports, so one that is signed in on both listeners sends two to each.
 */
function credentialsOf({ headers: { authorization, cookie = '' } }: IncomingMessage): string[] {
  if (authorization !== undefined) return [lastWordOf(authorization)]
  const sessions = sessionCookies.flatMap((one) => one.exec(cookie)?.[1] ?? [])
  return sessions.length > 0 ? sessions : ['']
}

/**
 * Finds the secret of a session in a `Cookie` header: one expression for each name of a session cookie, and
 * the first cookie of that name counts.
 */
const sessionCookies = Object.values(sessionCookieNames).map(
  (name) => new RegExp(`(?:^|; *)${name}=([^;]*)`),
)
