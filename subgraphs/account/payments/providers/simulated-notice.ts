import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { signatureMaxAgeSeconds } from './payment-provider.ts'

const deliveryPatienceMs = 5000

/**
 * Sends a notification of the simulated provider: a real HTTP request, signed. Returns whether the
 * gateway has taken it. A lost notification about a pending payment is harmless: it is asked about again.
 */
export async function deliverNotice(url: string, body: string, key: KeyObject): Promise<boolean> {
  try {
    const response = await fetch(`${url}/simulated`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Simulated-Signature': sign(body, Math.floor(Date.now() / 1000), key),
      },
      body,
      signal: AbortSignal.timeout(deliveryPatienceMs),
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

/**
 * The form that Stripe uses: the time of the signature, and the HMAC over that time and the body.
 */
function sign(body: string, timestamp: number, key: KeyObject): string {
  return `t=${timestamp},v1=${hmac(body, timestamp, key).toString('hex')}`
}

/** Whether the simulated provider has signed these bytes within the last 300 seconds. */
export function isSigned(body: string, signature: string, key: KeyObject): boolean {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature)
  if (!match) return false
  const [, seconds, hex = ''] = match
  const timestamp = Number(seconds)
  if (Math.abs(Date.now() / 1000 - timestamp) > signatureMaxAgeSeconds) return false
  return timingSafeEqual(hmac(body, timestamp, key), Buffer.from(hex, 'hex'))
}

function hmac(body: string, timestamp: number, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`${timestamp}.${body}`).digest()
}
