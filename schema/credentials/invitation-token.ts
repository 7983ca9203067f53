import { createHmac, timingSafeEqual } from 'node:crypto'
import { isId } from '../vocabulary/ids.ts'
import { macKey } from './secrets.ts'

/**
 * The token of the link of an invitation: the id of the invitation, and a signature. Nothing of the signature is
 * stored, because the mail is written when it is sent.
 */
function invitationToken(gatewaySecret: string, invitationId: string): string {
  const key = macKey(gatewaySecret, 'invitation')
  return `${invitationId}.${createHmac('sha256', key).update(invitationId).digest('base64url')}`
}

/** The id of the invitation that a token names; null if this gateway did not sign it. */
export function invitationOfToken(gatewaySecret: string, token: string): string | null {
  const [id = ''] = token.split('.')
  if (!isId('ivt', id)) return null
  const expected = Buffer.from(invitationToken(gatewaySecret, id))
  const given = Buffer.from(token)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : null
}

/** The address that a link of an invitation leads to; `baseUrl` is that of live. */
export function invitationUrl(
  baseUrl: string,
  gatewaySecret: string,
  invitationId: string,
): string {
  return `${baseUrl}/console/invitation#${invitationToken(gatewaySecret, invitationId)}`
}
