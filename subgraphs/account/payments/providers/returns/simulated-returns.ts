import { z } from 'zod'
import { isId } from '../../../../../schema/vocabulary/ids.ts'
import type { RefundAnswer, RefundRequest, ReturnNotification } from './return-notification.ts'

const ofPayment = {
  payment_id: z.string().refine((text) => isId('pay', text)),
  account_id: z.string().optional(),
  currency: z.string().optional(),
}
const reference = z.string().min(1).max(200)
const amount_cents = z.int().positive()

const refundPayload = z.object({
  ...ofPayment,
  refund: z.object({
    reference,
    amount_cents,
    status: z.enum(['pending', 'succeeded', 'failed']),
    refund_id: z.string().optional(),
  }),
})

const disputePayload = z.object({
  ...ofPayment,
  dispute: z.object({
    reference,
    amount_cents,
    status: z.enum(['inquiry', 'open', 'funds_withdrawn', 'funds_reinstated', 'won', 'lost']),
  }),
})

/** Reads a refund or a dispute of the simulated provider; null if the payload is neither. */
export function readSimulatedReturn(payload: unknown): ReturnNotification | null {
  const refunded = refundPayload.safeParse(payload)
  if (refunded.success) {
    const { refund } = refunded.data
    return {
      kind: 'refund',
      ...paymentOf(refunded.data),
      refund: {
        reference: refund.reference,
        amountCents: refund.amount_cents,
        status: refund.status,
        refundId: refund.refund_id,
      },
    }
  }
  const disputed = disputePayload.safeParse(payload)
  if (!disputed.success) return null
  const { dispute } = disputed.data
  return {
    kind: 'dispute',
    ...paymentOf(disputed.data),
    dispute: {
      reference: dispute.reference,
      amountCents: dispute.amount_cents,
      status: dispute.status,
    },
  }
}

interface NamedPayment {
  readonly payment_id: string
  readonly account_id?: string
  readonly currency?: string
}

function paymentOf({ payment_id, account_id, currency }: NamedPayment) {
  return {
    paymentId: payment_id,
    paymentReference: null,
    ...(account_id === undefined ? {} : { accountId: account_id }),
    ...(currency === undefined ? {} : { currency: currency.toUpperCase() }),
  }
}

/** The actions on the page of a paid simulated checkout. */
export const returnActions = ['refund', 'refund_part', 'dispute', 'win', 'lose'] as const
export type ReturnAction = (typeof returnActions)[number]

/** The cents of a paid payment that came back. */
export interface ReturnedPayment {
  /** The cents that refunds have not returned yet. */
  readonly leftCents: number
  /** `none`: the payment has no dispute. */
  readonly dispute: 'none' | 'open' | 'closed'
}

/** The actions that are possible now. A real provider refunds no payment that is disputed either. */
export function offeredActions({ leftCents, dispute }: ReturnedPayment): ReturnAction[] {
  switch (dispute) {
    case 'none':
      return leftCents > 0 ? ['refund', 'refund_part', 'dispute'] : ['dispute']
    case 'open':
      return ['win', 'lose']
    case 'closed':
      return []
  }
}

/** A paid payment as the simulated provider sees it. */
export interface PaidPayment {
  readonly paymentId: string
  readonly totalCents: number
  /** The cents that refunds have not returned yet. */
  readonly leftCents: number
}

/**
 * The bodies of the notifications that an action causes, in their order. `attempt` makes the
 * references of several refunds of one payment differ; a payment has one dispute.
 */
export function notificationsOf(
  action: ReturnAction,
  { paymentId, totalCents, leftCents }: PaidPayment,
  attempt: string,
): object[] {
  const refundOf = (amount: number) => {
    const refund = { reference: `sim_re_${attempt}`, amount_cents: amount, status: 'succeeded' }
    return { payment_id: paymentId, refund }
  }
  const disputeOf = (status: string) => {
    const dispute = { reference: `sim_dp_${paymentId}`, amount_cents: totalCents, status }
    return { payment_id: paymentId, dispute }
  }
  switch (action) {
    case 'refund':
      return leftCents > 0 ? [refundOf(leftCents)] : []
    case 'refund_part':
      return leftCents > 0 ? [refundOf(Math.ceil(leftCents / 2))] : []
    case 'dispute':
      return [disputeOf('open'), disputeOf('funds_withdrawn')]
    case 'win':
      return [disputeOf('funds_reinstated'), disputeOf('won')]
    case 'lose':
      return [disputeOf('lost')]
  }
}

/** The time after which a simulated refund is confirmed, also if its notification was lost. */
const confirmAfterMs = 2000

/**
 * Answers a request for a refund: pending at first, confirmed by `notify` over HTTP, or when it is
 * asked about again later.
 */
export function refundSimulated(
  { refundId, paymentId, amountCents, reference: known, createdAt }: RefundRequest,
  notify: (body: object) => void,
): RefundAnswer {
  const reference = `sim_${refundId}`
  // This gateway did not ask for this refund: only its own notification decides it.
  if (known !== null && known !== reference) return { reference: known, status: 'pending' }
  if (Date.now() - createdAt.getTime() >= confirmAfterMs) return { reference, status: 'succeeded' }
  const refund = { reference, amount_cents: amountCents, status: 'succeeded', refund_id: refundId }
  notify({ payment_id: paymentId, refund })
  return { reference, status: 'pending' }
}
