import { idOfSigned, signedId } from './signed-id.ts'

/** The id of the invitation that a token names; null if this gateway did not sign it. */
export function invitationOfToken(gatewaySecret: string, token: string): string | null {
  return idOfSigned(gatewaySecret, { purpose: 'invitation', prefix: 'ivt' }, token)
}

/** The address that a link of an invitation leads to; `baseUrl` is that of live. */
export function invitationUrl(
  baseUrl: string,
  gatewaySecret: string,
  invitationId: string,
): string {
  return `${baseUrl}/console/invitation#${signedId(gatewaySecret, 'invitation', invitationId)}`
}
