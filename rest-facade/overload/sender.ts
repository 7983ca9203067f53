import type { IncomingMessage } from 'node:http'
import { sha256 } from '../../schema/credentials/secrets.ts'
import { sessionCookieNames } from '../callers/session-cookie.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import { clientBlock } from '../rate-limit/client-block.ts'
import type { KnownCredentials } from './known-credentials.ts'

/** What overload control knows of the sender of a request. */
export interface Sender {
  /** The client block of a stranger: its credential, if it has one, was not accepted lately. */
  readonly block: string | null
  readonly isKnown: boolean
}

export const knownSender: Sender = { block: null, isKnown: true }
/** While there is no bound nobody asks: it is a stranger until it is accepted. */
export const unjudgedSender: Sender = { block: null, isKnown: false }

/** Tells senders apart by their headers and addresses alone. */
export function recognizeSenders(known: Pick<KnownCredentials, 'has'>) {
  return function senderOf(req: IncomingMessage): Sender {
    return known.has(credentialName(req))
      ? knownSender
      : { block: clientBlock(clientAddress(req)), isKnown: false }
  }
}

/** The name by which its credential is known: nobody can find another one with the same name. */
export function credentialName(req: IncomingMessage): string {
  return sha256(credentialOf(req))
}

/** The key, token, or name and secret of an app; otherwise the session of the browser. */
function credentialOf({ headers: { authorization, cookie } }: IncomingMessage): string {
  if (authorization !== undefined) return authorization.slice(authorization.lastIndexOf(' ') + 1)
  return (cookie === undefined ? undefined : sessionCookie.exec(cookie)?.[1]) ?? ''
}

const sessionCookie = new RegExp(
  `(?:^|; *)(?:${Object.values(sessionCookieNames).join('|')})=([^;]*)`,
)
