import { ConnectionError, GatewayError } from 'credit-gateway-sdk'

/** Whether the gateway, or a proxy before it, could not answer: what failed so is asked again. */
export function isOutage(error: Error | null): boolean {
  if (error instanceof GatewayError) return error.status >= 502
  return error instanceof ConnectionError
}
