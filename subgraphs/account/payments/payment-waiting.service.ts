import type { Environment } from '../../../schema/credentials/caller.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { AutoRechargeState } from '../low-balance/auto-recharge.type.ts'
import { noteUndecidedRecharge } from '../low-balance/recharge.service.ts'
import { publish } from '../webhooks/event.service.ts'
import { isPayerPresent, type PaymentKind } from './payment.type.ts'
import type { PaymentOutcome } from './providers/payment-provider.ts'

/** The number of declines after which a page is closed: the limit stops callers who try out stolen cards. */
export const maxPageDeclines = 5

/** A locked payment that is not decided. */
interface WaitingPayment {
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  readonly kind: PaymentKind
}

/**
 * A payment on a page keeps the id of the page, because each attempt has another id. $3: the payer
 * has done everything that the page asks for.
 */
const noteReference: Statement = {
  name: 'payment-note-reference',
  text: `UPDATE account.payment SET
      provider_reference = CASE WHEN action = 'page' THEN coalesce(provider_reference, $2)
        ELSE coalesce($2, provider_reference) END,
      action_url = CASE WHEN $3 THEN NULL ELSE action_url END,
      status = CASE WHEN $3 THEN 'pending' ELSE status END
    WHERE id = $1`,
}

/**
 * The page is closed a day after the payment began, or a day after it first waited for the payer.
 */
const noteAction: Statement = {
  name: 'payment-note-action',
  text: `UPDATE account.payment SET status = 'requires_action', action = $2,
      action_url = $3,
      provider_reference = coalesce($4, provider_reference),
      expires_at = coalesce(expires_at, now() + interval '24 h'),
      ask_at = CASE WHEN action IS NULL THEN now() + interval '1 min' ELSE ask_at END
    WHERE id = $1 AND (action IS DISTINCT FROM $2 OR action_url IS DISTINCT FROM $3)
    RETURNING expires_at AS "expiresAt"`,
}

/** Stores what an undecided payment waits for. Notifies a payer who is absent. */
export async function noteWaiting(
  tx: Transaction,
  { id, accountId, environment, kind }: WaitingPayment,
  outcome: Extract<PaymentOutcome, { status: 'pending' | 'requires_action' }>,
): Promise<'unchanged'> {
  const owner = { accountId, environment }
  const { reference = null } = outcome
  if (outcome.status === 'pending') {
    const { isActed = false } = outcome
    if (reference !== null || isActed) await tx.query(noteReference, [id, reference, isActed])
    if (isActed && kind === 'auto_recharge') {
      await noteUndecidedRecharge(tx, owner, AutoRechargeState.pending)
    }
    return 'unchanged'
  }
  const { action, actionUrl } = outcome
  const values = [id, action, actionUrl, reference]
  const [noted] = await tx.query<{ expiresAt: Date }>(noteAction, values)
  if (noted && kind === 'auto_recharge') {
    await noteUndecidedRecharge(tx, owner, AutoRechargeState.action_required)
  }
  if (noted && !isPayerPresent(kind)) {
    await publish(tx, owner, 'payment.action_required', {
      payment_id: id,
      action_url: actionUrl,
      expires_at: noted.expiresAt.toISOString(),
    })
  }
  return 'unchanged'
}

const addDecline: Statement = {
  name: 'payment-add-decline',
  text: `INSERT INTO account.payment_decline (payment_id, attempt, account_id, environment)
    VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
}

const countDeclines: Statement = {
  name: 'payment-count-declines',
  text: 'SELECT count(*)::int AS count FROM account.payment_decline WHERE payment_id = $1',
}

/**
 * Counts a card that was declined on the page of a payment, once for each attempt. The payer may
 * try another card, until the page is exhausted.
 */
export async function noteDecline(
  tx: Transaction,
  { id, accountId, environment }: WaitingPayment,
  attempt: string | null,
): Promise<'exhausted' | 'unchanged'> {
  if (attempt === null) return 'unchanged'
  await tx.query(addDecline, [id, attempt, accountId, environment])
  const [declines] = await tx.query<{ count: number }>(countDeclines, [id])
  return declines && declines.count >= maxPageDeclines ? 'exhausted' : 'unchanged'
}
