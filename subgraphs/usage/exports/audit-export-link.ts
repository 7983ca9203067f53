import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../../schema/credentials/caller.ts'

/** No link is made for longer (EXPORT_URL_TTL_SECONDS). */
const maxLifeSeconds = 900
/** Between the clocks of who signs and who looks. */
const maxSkewSeconds = 60

/** What a link to a result is good for: one export of one account, in one environment, for so long. */
export interface ResultLink {
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  /** Unix seconds. */
  readonly expires: string
}

/** The signature, which is the permission. */
export function signLink(key: Uint8Array, link: ResultLink): string {
  const { id, accountId, environment, expires } = link
  const text = ['audit-export', environment, accountId, id, expires].join('\n')
  return createHmac('sha256', key).update(text).digest('base64url')
}

/**
 * Whether it is the signature, character for character, still good, and not good for longer than any
 * link is: one that a wrong clock has signed must not outlive the others.
 */
export function isGoodLink(key: Uint8Array, link: ResultLink, signature: string): boolean {
  if (!/^[1-9]\d{9}$/.test(link.expires)) return false
  const expected = Buffer.from(signLink(key, link))
  const given = Buffer.from(signature)
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
  const leftSeconds = Number(link.expires) - Date.now() / 1000
  return isSigned && leftSeconds > 0 && leftSeconds <= maxLifeSeconds + maxSkewSeconds
}
