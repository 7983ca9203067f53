import { createHmac, timingSafeEqual } from 'node:crypto'
import { macKey } from '../../../../schema/credentials/secrets.ts'
import { isId } from '../../../../schema/vocabulary/ids.ts'

/** The purpose of a link, for one address of one account. */
export type LinkPurpose = 'confirm' | 'unsubscribe'

/** The token of a link: the id of the address, and a signature over it and the purpose. */
export function linkToken(gatewaySecret: string, purpose: LinkPurpose, addressId: string): string {
  const text = ['notification', purpose, addressId].join('\n')
  const key = macKey(gatewaySecret, 'notification-link')
  return `${addressId}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

/** The id of the address that a token names; null if it was not signed for this purpose. */
export function addressOfToken(
  gatewaySecret: string,
  purpose: LinkPurpose,
  token: string,
): string | null {
  const [addressId = ''] = token.split('.')
  if (!isId('addr', addressId)) return null
  const expected = Buffer.from(linkToken(gatewaySecret, purpose, addressId))
  const given = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, expected) ? addressId : null
}
