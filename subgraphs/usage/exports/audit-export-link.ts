import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../../schema/credentials/caller.ts'

/** How long a link is valid. */
export const linkSeconds = 900
/** The permitted difference between the clocks of two processes. */
const maxSkewSeconds = 60

/**
 * A link to a result is valid for one export of one account in one environment, for a limited time.
 */
export interface ResultLink {
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  /** The end of the link, in Unix seconds. */
  readonly expires: string
}

/** The signature of a link, whose holder may read the result. */
export function signLink(key: KeyObject, link: ResultLink): string {
  const { id, accountId, environment, expires } = link
  const text = ['audit-export', environment, accountId, id, expires].join('\n')
  return createHmac('sha256', key).update(text).digest('base64url')
}

/**
 * Whether the signature is right, the link has not expired, and it does not expire later than any
 * link may: a link that was signed with a wrong clock must not outlive the others.
 */
export function isGoodLink(key: KeyObject, link: ResultLink, signature: string): boolean {
  if (!/^[1-9]\d{9}$/.test(link.expires)) return false
  const expected = Buffer.from(signLink(key, link))
  const given = Buffer.from(signature)
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
  const leftSeconds = Number(link.expires) - Date.now() / 1000
  return isSigned && leftSeconds > 0 && leftSeconds <= linkSeconds + maxSkewSeconds
}
