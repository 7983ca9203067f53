import { createHmac, timingSafeEqual } from 'node:crypto'
import { type IdPrefix, isId } from '../vocabulary/ids.ts'
import { macKey, type SecretPurpose } from './secrets.ts'

/**
 * The token of a link: an id, and a signature for one purpose. Nothing of the signature is stored, because a mail is
 * written when it is sent.
 */
export function signedId(gatewaySecret: string, purpose: SecretPurpose, id: string): string {
  const mac = createHmac('sha256', macKey(gatewaySecret, purpose)).update(id)
  return `${id}.${mac.digest('base64url')}`
}

/** The id that a token names; null if this gateway did not sign it for the purpose. */
export function idOfSigned(
  gatewaySecret: string,
  { purpose, prefix }: { readonly purpose: SecretPurpose; readonly prefix: IdPrefix },
  token: string,
): string | null {
  const [id = ''] = token.split('.')
  if (!isId(prefix, id)) return null
  return isEqual(token, signedId(gatewaySecret, purpose, id)) ? id : null
}

/** Compares in the same time, wherever two texts differ. */
export function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
