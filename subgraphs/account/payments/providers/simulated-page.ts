import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../../../schema/credentials/caller.ts'
import { macKey } from '../../../../schema/credentials/secrets.ts'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import type { SubgraphOptions } from '../../../shared/graph/context.ts'

/** The signature in the address of a payment's page at the simulated provider. */
function signatureOf(gatewaySecret: string, paymentId: string): string {
  return createHmac('sha256', macKey(gatewaySecret, 'simulated-page'))
    .update(paymentId)
    .digest('base64url')
}

/** The address of a payment's page at the simulated provider. The address is the permission. */
export function simulatedPageUrl(
  { gatewaySecret, baseUrls }: Pick<SubgraphOptions, 'gatewaySecret' | 'baseUrls'>,
  environment: Environment,
  paymentId: string,
): string {
  const signature = signatureOf(gatewaySecret, paymentId)
  return `${baseUrls[environment]}/billing/simulated?payment_id=${paymentId}&signature=${signature}`
}

/** Whether the address of a page is one of ours. */
export function isSimulatedPage(
  gatewaySecret: string,
  paymentId: string,
  signature: string,
): boolean {
  if (!isId('pay', paymentId)) return false
  const expected = Buffer.from(signatureOf(gatewaySecret, paymentId))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
