import { createHmac } from 'node:crypto'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { gatewaySecret, type TestGateway } from '../gateway/gateway.ts'
import type { TestResponse } from '../requests/client.ts'

/** Presses a button of the simulated provider's page, as a browser does; does not follow it. */
export function press(actionUrl: string, choice: string, card?: string): Promise<Response> {
  const body = new URLSearchParams({ choice, ...(card === undefined ? {} : { card }) })
  return fetch(actionUrl, { method: 'POST', body, redirect: 'manual' })
}

/** A notification that the simulated provider has signed. */
export function notifySimulated(
  gateway: TestGateway,
  payload: object,
  environment: 'live' | 'sandbox' = 'live',
): Promise<TestResponse> {
  const body = JSON.stringify(payload)
  const timestamp = Math.floor(Date.now() / 1000)
  const hmac = createHmac('sha256', deriveKey(gatewaySecret, 'payment-notification'))
    .update(`${timestamp}.${body}`)
    .digest('hex')
  const headers = { 'simulated-signature': `t=${timestamp},v1=${hmac}` }
  return gateway[environment].post('/v1/billing/notifications/simulated', body, undefined, headers)
}
