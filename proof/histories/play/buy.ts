import { z } from 'zod'
import type { TestAccount } from '../../../test/support/gateway/gateway.ts'
import { notifySimulated, refundOf } from '../../../test/support/gateway/payment-returns.ts'
import type { TestResponse } from '../../../test/support/requests/client.ts'
import type { MoneyBack, Purchase } from '../model/history.ts'
import { type MoneyBackStep, soldPackage } from '../plan/plan.ts'
import { type FindGateway, untilAnswered } from './administer.ts'
import { nowMs } from './clock.ts'

const checkout = z.looseObject({ id: z.string(), status: z.enum(['pending', 'paid']) })

/** Buys a package; repeats the request with its idempotency key until the outcome is known. */
export async function buy(
  id: string,
  { id: accountId, liveKey }: TestAccount,
  find: FindGateway,
): Promise<Purchase> {
  const order = { package_id: soldPackage.id, payment_method: 'simulated' }
  const headers = { 'idempotency-key': id }
  const startMs = nowMs()
  const { status, body } = await untilAnswered(find, ({ live }) =>
    live.post('/v1/billing/checkout', order, liveKey, headers),
  )
  if (status !== 201) throw new Error(`A purchase is answered ${status}: ${JSON.stringify(body)}.`)
  const { id: paymentId, status: said } = checkout.parse(body)
  const { credits, cents } = soldPackage
  const isPaid = said === 'paid'
  return { id, accountId, credits, cents, paymentId, isPaid, startMs, endMs: nowMs() }
}

const planChange = z.looseObject({
  status: z.enum(['applied', 'scheduled', 'pending_payment']),
  payment_id: z.string().nullable(),
  granted_credits: z.int(),
  total_cents: z.int(),
})

/**
 * Asks for another plan; repeats the request with its idempotency key until the outcome is known. Null: it was
 * refused, or nothing is paid for it.
 */
export async function changePlan(
  id: string,
  tier: string,
  { id: accountId, liveKey }: TestAccount,
  find: FindGateway,
): Promise<Purchase | null> {
  const preview = await untilAnswered(find, async ({ live }) =>
    knownRefusal(await live.post('/v1/account/subscription/preview', { tier }, liveKey)),
  )
  if (preview.status !== 200) return null
  const { quote_id } = z.looseObject({ quote_id: z.string().nullable() }).parse(preview.body)
  const headers = { 'idempotency-key': id }
  const startMs = nowMs()
  const { status, body } = await untilAnswered(find, async ({ live }) =>
    knownRefusal(await live.post('/v1/account/subscription', { tier, quote_id }, liveKey, headers)),
  )
  if (status !== 200) return null
  const changed = planChange.parse(body)
  const { payment_id: paymentId, granted_credits: credits, total_cents: cents } = changed
  if (paymentId === null) return null
  const isPaid = changed.status === 'applied'
  return { id, accountId, credits, cents, paymentId, isPaid, startMs, endMs: nowMs() }
}

/** A state that permits no change is an outcome; an attempt that is still running is none. */
function knownRefusal(answer: TestResponse): TestResponse {
  const { code } = Object(Object(answer.body).error)
  return answer.status === 409 && code === 'CONFLICT' ? { ...answer, status: 422 } : answer
}

/** Tells that money went back, as the provider does: each message until it is taken, some more than once. */
export async function giveMoneyBack(
  { cents: wanted, hasFailed, copies }: MoneyBackStep,
  { accountId, paymentId, cents: paid }: Purchase,
  find: FindGateway,
): Promise<MoneyBack> {
  const cents = Math.min(wanted, paid)
  const startMs = nowMs()
  for (const status of hasFailed ? (['succeeded', 'failed'] as const) : ['succeeded' as const]) {
    const message = refundOf(paymentId, cents, { status })
    const tell = () => untilAnswered(find, (gateway) => notifySimulated(gateway, message))
    const answers = await Promise.all(Array.from({ length: copies }, tell))
    const refused = answers.find((answer) => answer.status !== 200)
    if (refused) throw new Error(`A notification is answered ${refused.status}.`)
  }
  return { accountId, paymentId, cents: hasFailed ? 0 : cents, startMs, endMs: nowMs() }
}
