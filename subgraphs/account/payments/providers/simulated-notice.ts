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

/** Why it is not known that the simulated provider has signed these bytes within the last 300 seconds; null if it is. */
export function flawOf(body: string, signature: string, key: KeyObject): string | null {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature)
  if (!match) return 'The signature has another form.'
  const [, seconds, hex = ''] = match
  const timestamp = Number(seconds)
  const ageSeconds = Math.round(Date.now() / 1000 - timestamp)
  if (Math.abs(ageSeconds) > signatureMaxAgeSeconds) return `The signature is ${ageSeconds} s old.`
  const isRight = timingSafeEqual(hmac(body, timestamp, key), Buffer.from(hex, 'hex'))
  return isRight ? null : 'The signature is of another body or secret.'
}

function hmac(body: string, timestamp: number, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`${timestamp}.${body}`).digest()
}
