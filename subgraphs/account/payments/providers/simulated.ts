import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { isId } from '../../../../schema/vocabulary/ids.ts'
import type { Database } from '../../../shared/database/database.ts'
import type { PaymentSettings } from '../../settings/account-settings.ts'
import {
  badSignature,
  type PaymentOutcome,
  type PaymentProvider,
  type PaymentRequest,
} from './payment-provider.ts'
import { readSimulatedReturn, refundSimulated } from './returns/simulated-returns.ts'
import { keptCard, simulatedCard, simulatedMethods, slowMs } from './simulated-cards.ts'
import { deliverNotice, flawOf } from './simulated-notice.ts'
import {
  closeSimulatedPayment,
  findSimulatedPayment,
  openSimulatedPayment,
  type SimulatedPayment,
} from './simulated-payments.ts'

const declined = { status: 'failed', reason: 'The card was declined.' } as const

const payload = z.object({
  payment_id: z.string().refine((text) => isId('pay', text)),
  outcome: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('succeeded'),
      amount_cents: z.int().optional(),
      currency: z.string().optional(),
      method: z.enum(simulatedMethods).optional(),
    }),
    z.object({
      status: z.literal('failed'),
      reason: z.string(),
      attempt: z.string().min(1).max(100).nullish(),
    }),
    z.object({ status: z.literal('expired') }),
  ]),
})

/** A message without a payment is of another type. */
const other = z.object({ payment_id: z.undefined(), type: z.string() })

interface SimulatedOptions extends Pick<PaymentSettings, 'notificationUrls'> {
  /** Signs and verifies notifications. */
  readonly key: KeyObject
  readonly database: Database
  /** The address of a payment's page. */
  readonly pageUrl: (request: Pick<PaymentRequest, 'environment' | 'paymentId'>) => string
}

/**
 * Collects nothing. Without a payment method it has a page, where the payer chooses a card. The card
 * decides the outcome: `simulated` succeeds at once, `simulated_slow` succeeds after two seconds and
 * then notifies, `simulated_duplicated` does the same and notifies ten times in parallel,
 * `simulated_authenticate` wants a confirmation on a page, `simulated_declined` fails. A notification
 * is a real HTTP request to `notificationUrls`.
 */
export function simulatedProvider(options: SimulatedOptions): PaymentProvider {
  const { key, notificationUrls, database, pageUrl } = options

  function notifyLater(request: PaymentRequest, method: string, count: number): void {
    if (!notificationUrls) return
    const url = notificationUrls[request.environment]
    const outcome = { status: 'succeeded', method }
    const body = JSON.stringify({ payment_id: request.paymentId, outcome })
    const notify = () => {
      for (let sent = 0; sent < count; sent += 1) void deliverNotice(url, body, key)
    }
    // A process that stops need not wait for this.
    setTimeout(notify, slowMs).unref()
  }

  function outcomeOf(request: PaymentRequest, payment: SimulatedPayment): PaymentOutcome {
    const { state, method } = payment
    if (state === 'closed') return { status: 'expired' }
    if (state === 'declined') return declined
    if (state === 'paid' && method !== null) {
      const isDecided = !simulatedCard(method).isSlow || isOver(payment.paidAt)
      if (!isDecided) return { status: 'pending', isActed: true }
      return { status: 'succeeded', card: keptCard(method) }
    }
    const action = request.paymentMethod === null ? 'page' : 'confirmation'
    return { status: 'requires_action', action, actionUrl: pageUrl(request) }
  }

  function collectBy(method: string, request: PaymentRequest): PaymentOutcome {
    if (method === 'simulated_declined') return declined
    const { isSlow, notices } = simulatedCard(method)
    if (!isSlow || isOver(request.createdAt)) return { status: 'succeeded', card: keptCard(method) }
    notifyLater(request, method, notices)
    return { status: 'pending' }
  }

  return {
    name: 'simulated',
    ...{ freeMethods: simulatedMethods, minimumCents: 50 },
    isMethod: (text) => simulatedMethods.includes(text),
    async collect(request) {
      const { paymentMethod: method } = request
      if (method !== null && method !== 'simulated_authenticate') return collectBy(method, request)
      return outcomeOf(request, await openSimulatedPayment(database, request))
    },
    async refund(request) {
      const url = notificationUrls?.[request.environment]
      return refundSimulated(request, (notice) => {
        if (url) void deliverNotice(url, JSON.stringify(notice), key)
      })
    },
    async close(request) {
      await openSimulatedPayment(database, request)
      return outcomeOf(request, await closeSimulatedPayment(database, request.paymentId))
    },
    async readNotification(body, signature) {
      const flaw = flawOf(body, signature, key)
      if (flaw !== null) throw badSignature('Simulated-Signature', flaw)
      const sent: unknown = JSON.parse(body)
      const returned = readSimulatedReturn(sent)
      if (returned) return returned
      if (other.safeParse(sent).success) return { kind: 'other' }
      const { payment_id: paymentId, outcome: told } = payload.parse(sent)
      if (told.status !== 'succeeded') return { kind: 'outcome', paymentId, outcome: told }
      const chosen = told.method ?? (await findSimulatedPayment(database, paymentId))?.method
      const { amount_cents: amountCents, currency } = told
      const outcome = {
        status: 'succeeded',
        card: chosen ? keptCard(chosen) : undefined,
        paid: amountCents !== undefined && currency ? { amountCents, currency } : undefined,
      } as const
      return { kind: 'outcome', paymentId, outcome }
    },
  }
}

function isOver(startedAt: Date | null): boolean {
  return startedAt !== null && Date.now() - startedAt.getTime() >= slowMs
}
