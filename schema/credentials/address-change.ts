import { idOfSigned, signedId } from './signed-id.ts'

/** The id of the change that a token names; null if this gateway did not sign it. */
export function addressChangeOfToken(gatewaySecret: string, token: string): string | null {
  return idOfSigned(gatewaySecret, { purpose: 'address-change', prefix: 'adc' }, token)
}

/** The address that a link leads to which confirms a mail address; `baseUrl` is that of live. */
export function addressChangeUrl(baseUrl: string, gatewaySecret: string, id: string): string {
  return `${baseUrl}/console/confirm-address#${signedId(gatewaySecret, 'address-change', id)}`
}
