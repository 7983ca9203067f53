import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { type Owner, recordChange } from '../../shared/changes/change.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { postAnnounced } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { noteRecharge } from '../low-balance/auto-recharge.service.ts'
import { Tier } from '../prices/tiers.ts'
import { noteSubscriptionPayment } from '../subscriptions/subscription-billing.service.ts'
import { publish } from '../webhooks/event.service.ts'
import type { PaymentKind } from './payment.type.ts'
import type { PaymentOutcome } from './providers/payment-provider.ts'

/** Which payment an outcome is of: nobody settles those of another environment or provider. */
export interface OutcomeOf {
  readonly id: string
  readonly environment: Environment
  /** By name. */
  readonly provider: string
}

interface SettledRow {
  readonly account_id: string
  readonly kind: PaymentKind
  readonly package_name: string
  /** Null for a subscription. */
  readonly tier: Tier | null
  readonly credits: string
  readonly total_cents: string
  readonly currency: string
  readonly payment_method: string
}

/**
 * Enters what a payment brought, once however often the provider says so; a payment that is settled
 * stays as it is. Of a pending one the provider's name for it is kept. Returns whether this has settled it.
 */
export async function settlePayment(
  { database, caller }: Pick<GraphContext, 'database' | 'caller'>,
  { id, environment, provider }: OutcomeOf,
  outcome: PaymentOutcome,
): Promise<boolean> {
  const { status, reference = null } = outcome
  if (status === 'pending' && reference === null) return false
  const reason = status === 'failed' ? outcome.reason : null
  return database.transaction(async (tx) => {
    const [payment] = await tx.execute<SettledRow[]>(
      `UPDATE account.payment SET status = ?, failure_reason = ?,
         settled_at = CASE WHEN ? THEN NULL ELSE now() END,
         provider_reference = coalesce(?, provider_reference)
       WHERE id = ? AND environment = ? AND provider = ? AND status = 'pending'
       RETURNING account_id, kind, package_name, tier, credits, total_cents, currency,
         payment_method`,
      [status, reason, status === 'pending', reference, id, environment, provider],
    )
    if (!payment || status === 'pending') return false
    const owner = { accountId: payment.account_id, environment }
    const action = status === 'succeeded' ? 'payment.collect' : 'payment.decline'
    const note = { resourceId: id, details: { failure_reason: reason } }
    await recordChange(tx, { caller }, { owner, action }, note)
    if (payment.kind === 'subscription') {
      await noteSubscriptionPayment(tx, owner, id, reason)
      return true
    }
    if (status === 'succeeded') await deliver(tx, owner, id, payment)
    if (payment.kind === 'auto_recharge') await noteRecharge(tx, owner, id, reason)
    else if (status === 'succeeded') await saveMethod(tx, owner, payment.payment_method)
    return true
  })
}

const tierOrder = Object.values(Tier)

async function deliver(
  tx: SqlEntityManager,
  owner: Owner,
  id: string,
  payment: SettledRow,
): Promise<void> {
  const { accountId, environment } = owner
  const description = `${payment.package_name} package`
  const credits = Number(payment.credits)
  const invoiceId = newId('inv')
  await postAnnounced(tx, {
    ...owner,
    ...{ kind: LedgerEntryKind.purchase, credits, description, ref: id, expiresAt: null },
  })
  const [invoice] = await tx.execute<{ number: string }[]>(
    `INSERT INTO account.invoice (id, account_id, environment, status, total_cents, currency,
       credits, description, payment_id)
     VALUES (?, ?, ?, 'paid', ?, ?, ?, ?, ?) RETURNING number`,
    [
      ...[invoiceId, accountId, environment, payment.total_cents, payment.currency],
      ...[payment.credits, description, id],
    ],
  )
  if (!invoice) throw new Error('An invoice that was made is gone.')
  const { currency } = payment
  await publish(tx, owner, 'invoice.paid', {
    ...{ invoice_id: invoiceId, number: invoice.number, currency, credits },
    total_cents: Number(payment.total_cents),
  })
  const rank = payment.tier === null ? 0 : tierOrder.indexOf(payment.tier)
  const lower = tierOrder.slice(0, rank)
  if (lower.length === 0) return
  await tx.execute(
    `UPDATE account.plan SET tier = ? WHERE account_id = ? AND environment = ?
       AND tier IN (${lower.map(() => '?').join(', ')})`,
    [payment.tier, accountId, environment, ...lower],
  )
}

/** Recharges, and checkouts that name none, use the method that has worked last. */
async function saveMethod(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  paymentMethod: string,
): Promise<void> {
  await tx.execute(
    `INSERT INTO account.auto_recharge AS r (account_id, environment, payment_method)
     VALUES (?, ?, ?) ON CONFLICT (account_id, environment) DO UPDATE
       SET payment_method = excluded.payment_method
       WHERE r.payment_method <> excluded.payment_method`,
    [accountId, environment, paymentMethod],
  )
}
