import { createHmac } from 'node:crypto'
import { macKey, sha256 } from './secrets.ts'
import { idOfSigned, isEqual, signedId } from './signed-id.ts'

/**
 * The link and the code of a mail that signs in. Both are made of the id of the request, so the database holds nothing that
 * signs anybody in.
 */

/** The id of the request that a token names; null if this gateway did not sign it. */
export function mailSignInOfToken(gatewaySecret: string, token: string): string | null {
  return idOfSigned(gatewaySecret, { purpose: 'mail-sign-in', prefix: 'msi' }, token)
}

/** The address that the link leads to; `baseUrl` is that of live. */
export function mailSignInUrl(baseUrl: string, gatewaySecret: string, id: string): string {
  return `${baseUrl}/console/sign-in#${signedId(gatewaySecret, 'mail-sign-in', id)}`
}

const codeDigits = 8

/** The code of a request: 8 digits. */
export function mailCodeOf(gatewaySecret: string, id: string): string {
  const mac = createHmac('sha256', macKey(gatewaySecret, 'mail-sign-in')).update(`code\n${id}`)
  const number = mac.digest().readUIntBE(0, 6) % 10 ** codeDigits
  return String(number).padStart(codeDigits, '0')
}

export function isMailCode(gatewaySecret: string, id: string, code: string): boolean {
  return isEqual(code, mailCodeOf(gatewaySecret, id))
}

/** What the rows of requests have in place of addresses, of mail and of networks. */
export function signInHash(gatewaySecret: string, text: string): string {
  const key = macKey(gatewaySecret, 'sign-in-address')
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** A browser that has signed in with an address is known for so long. */
export const knownBrowserSeconds = 90 * 86_400

/**
 * The cookie of a browser that has signed in with this address: `nonce`, which is new for each browser, the end, and a
 * signature that binds both to the address.
 */
export function knownBrowserToken(
  gatewaySecret: string,
  address: string,
  { nonce, nowMs }: { readonly nonce: string; readonly nowMs: number },
): string {
  const ends = Math.floor(nowMs / 1000) + knownBrowserSeconds
  return `${nonce}.${ends}.${knownBrowserMac(gatewaySecret, address, `${nonce}.${ends}`)}`
}

/** The hash of the browser that a cookie names; null: it has not signed in with this address, or too long ago. */
export function knownBrowserOf(
  gatewaySecret: string,
  address: string,
  token: string,
  nowMs: number,
): string | null {
  const [nonce = '', ends = '', mac = ''] = token.split('.')
  const expected = knownBrowserMac(gatewaySecret, address, `${nonce}.${ends}`)
  return isEqual(mac, expected) && Number(ends) * 1000 > nowMs ? sha256(nonce) : null
}

function knownBrowserMac(gatewaySecret: string, address: string, text: string): string {
  const key = macKey(gatewaySecret, 'known-browser')
  return createHmac('sha256', key).update(`${text}\n${address}`).digest('base64url')
}
