import { randomBytes } from 'node:crypto'
import { knownBrowserToken } from '../../../schema/credentials/mail-sign-in.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'

/** The cookie of a browser in which the person with this address has just signed in. */
export function newKnownBrowser(
  { gatewaySecret }: Pick<OAuthContext, 'gatewaySecret'>,
  address: string,
): string {
  const nonce = randomBytes(16).toString('base64url')
  return knownBrowserToken(gatewaySecret, address, { nonce, nowMs: Date.now() })
}
