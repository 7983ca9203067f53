import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import type { PaymentSettings } from '../../settings/account-settings.ts'
import {
  badSignature,
  type PaymentOutcome,
  type PaymentProvider,
  type PaymentRequest,
  signatureMaxAgeSeconds,
} from './payment-provider.ts'
import { readSimulatedReturn, refundSimulated } from './returns/simulated-returns.ts'

/** The time that the slow methods need for a decision. */
const slowMs = 2000
const deliveryPatienceMs = 5000

/** Payment method → number of notifications about its decision. */
const noticesByMethod = new Map([
  ['simulated', 0],
  ['simulated_slow', 1],
  ['simulated_declined', 0],
  ['simulated_duplicated', 10],
])
const methods = [...noticesByMethod.keys()]

const declined = { status: 'failed', reason: 'The card was declined.' } as const

const payload = z.object({
  payment_id: z.string().refine((text) => isId('pay', text)),
  outcome: z.discriminatedUnion('status', [
    z.object({ status: z.literal('succeeded') }),
    z.object({ status: z.literal('failed'), reason: z.string() }),
  ]),
})

interface SimulatedOptions extends Pick<PaymentSettings, 'notificationUrls'> {
  /** Signs and verifies notifications. */
  readonly key: KeyObject
}

/**
 * Collects nothing. The payment method decides the outcome: `simulated` succeeds at once,
 * `simulated_slow` succeeds after two seconds and then notifies, `simulated_duplicated` does the
 * same and notifies ten times in parallel, `simulated_declined` fails. A notification is a real
 * HTTP request to `notificationUrls`.
 */
export function simulatedProvider({ key, notificationUrls }: SimulatedOptions): PaymentProvider {
  function notifyLater({ paymentId, environment, paymentMethod }: PaymentRequest): void {
    if (!notificationUrls) return
    const url = `${notificationUrls[environment]}/simulated`
    const body = JSON.stringify({ payment_id: paymentId, outcome: { status: 'succeeded' } })
    const count = noticesByMethod.get(paymentMethod) ?? 0
    const notify = () => {
      for (let sent = 0; sent < count; sent += 1) void deliver(url, body, key)
    }
    // A process that stops need not wait for this.
    setTimeout(notify, slowMs).unref()
  }

  return {
    name: 'simulated',
    defaultMethod: 'simulated',
    methodRule: `must be one of ${methods.join(', ')}`,
    isMethod: (text) => noticesByMethod.has(text),
    async collect(request): Promise<PaymentOutcome> {
      const { paymentMethod, createdAt } = request
      if (paymentMethod === 'simulated_declined') return declined
      const isSlow = paymentMethod !== 'simulated'
      if (!isSlow || Date.now() - createdAt.getTime() >= slowMs) return { status: 'succeeded' }
      notifyLater(request)
      return { status: 'pending' }
    },
    async refund(request) {
      const url = notificationUrls?.[request.environment]
      return refundSimulated(request, (notice) => {
        if (url) void deliver(`${url}/simulated`, JSON.stringify(notice), key)
      })
    },
    readNotification(body, signature) {
      if (!isSigned(body, signature, key)) throw badSignature('Simulated-Signature')
      const read: unknown = JSON.parse(body)
      const returned = readSimulatedReturn(read)
      if (returned) return returned
      const { payment_id: paymentId, outcome } = payload.parse(read)
      return { kind: 'outcome', paymentId, outcome }
    },
  }
}

async function deliver(url: string, body: string, key: KeyObject): Promise<void> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Simulated-Signature': sign(body, Math.floor(Date.now() / 1000), key),
      },
      body,
      signal: AbortSignal.timeout(deliveryPatienceMs),
    })
    await response.body?.cancel()
  } catch {
    // A lost notification is harmless: a pending payment is asked about again.
  }
}

/**
 * The form that Stripe uses: the time of the signature, and the HMAC over that time and the body.
 */
function sign(body: string, timestamp: number, key: KeyObject): string {
  return `t=${timestamp},v1=${hmac(body, timestamp, key).toString('hex')}`
}

function isSigned(body: string, signature: string, key: KeyObject): boolean {
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
