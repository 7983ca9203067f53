import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../../../schema/credentials/caller.ts'
import { macKey } from '../../../../schema/credentials/secrets.ts'
import { isId, msOfId } from '../../../../schema/vocabulary/ids.ts'
import type { SubgraphOptions } from '../../../shared/graph/context.ts'

/** The word that stands in place of the method when the payer chooses it on a page. */
export const pageMethod = 'page'

const validSeconds = 24 * 3600

interface ReturningPayment {
  readonly paymentId: string
  readonly environment: Environment
  /** The address of the buyer's own page; null: the gateway's page is used. */
  readonly returnUrl: string | null
}

/**
 * The address to which a provider sends the payer: the buyer's own page with `checkout_id`, else
 * our page. Our address is signed for 24 hours from the instant in the id, so it is the same for
 * every attempt.
 */
export function returnAddress(
  { gatewaySecret, baseUrls }: Pick<SubgraphOptions, 'gatewaySecret' | 'baseUrls'>,
  { paymentId, environment, returnUrl }: ReturningPayment,
): string {
  if (returnUrl !== null) return withCheckoutId(returnUrl, paymentId)
  const expires = Math.floor(msOfId(paymentId) / 1000) + validSeconds
  const signature = signatureOf(gatewaySecret, paymentId, expires)
  const query = `checkout_id=${paymentId}&expires=${expires}&signature=${signature}`
  return `${baseUrls[environment]}/billing/return?${query}`
}

/** The rest of the address stays as it is, byte for byte. */
function withCheckoutId(returnUrl: string, paymentId: string): string {
  const [address = '', ...fragment] = returnUrl.split('#')
  const mark = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?'
  return [`${address}${mark}checkout_id=${paymentId}`, ...fragment].join('#')
}

/** The link of our own page. */
export interface ReturnLink {
  readonly checkoutId: string
  /** The end of the link, in Unix seconds. */
  readonly expires: string
  readonly signature: string
}

/** Whether we signed the link for this checkout, less than a day ago. */
export function isReturnLink(
  gatewaySecret: string,
  { checkoutId, expires, signature }: ReturnLink,
): boolean {
  if (!isId('pay', checkoutId) || !/^\d{1,12}$/.test(expires)) return false
  const seconds = Number(expires)
  const expected = Buffer.from(signatureOf(gatewaySecret, checkoutId, seconds))
  const given = Buffer.from(signature)
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
  return isOurs && seconds > Date.now() / 1000
}

function signatureOf(gatewaySecret: string, paymentId: string, expires: number): string {
  return createHmac('sha256', macKey(gatewaySecret, 'payment-return'))
    .update(`${paymentId}\n${expires}`)
    .digest('base64url')
}
