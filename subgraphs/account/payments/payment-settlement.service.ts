import type { Environment } from '../../../schema/credentials/caller.ts'
import { type AccountScope, recordChange } from '../../shared/changes/change.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { postAnnounced } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { noteRecharge } from '../low-balance/recharge.service.ts'
import { Tier } from '../prices/tiers.ts'
import { noteSubscriptionPayment } from '../subscriptions/subscription-billing.service.ts'
import { addInvoice } from './invoices/invoice-writing.service.ts'
import type { PaymentKind } from './payment.type.ts'
import type { PaymentOutcome } from './providers/payment-provider.ts'

/**
 * Identifies the payment of an outcome. Payments of another environment or provider do not match.
 */
export interface OutcomeOf {
  readonly id: string
  readonly environment: Environment
  /** The name of the provider. */
  readonly provider: string
}

interface SettledPayment {
  readonly accountId: string
  readonly kind: PaymentKind
  readonly packageName: string
  /** Null for a subscription. */
  readonly tier: Tier | null
  readonly credits: number
  readonly totalCents: number
  readonly currency: string
  readonly paymentMethod: string
}

const settlePending: Statement = {
  name: 'payment-settle',
  text: `UPDATE account.payment SET status = $4, failure_reason = $5,
      settled_at = CASE WHEN $4 = 'pending' THEN NULL ELSE now() END,
      provider_reference = coalesce($6, provider_reference)
    WHERE id = $1 AND environment = $2 AND provider = $3 AND status = 'pending'
    RETURNING account_id AS "accountId", kind, package_name AS "packageName", tier, credits,
      total_cents AS "totalCents", currency, payment_method AS "paymentMethod"`,
}

/**
 * Enters the result of a payment. A repeated outcome changes nothing: a settled payment is left
 * unchanged. For a pending payment, only the provider's id is stored. Returns whether this call has
 * settled it.
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
    const values = [id, environment, provider, status, reason, reference]
    const [payment] = await tx.query<SettledPayment>(settlePending, values)
    if (!payment || status === 'pending') return false
    const owner = { accountId: payment.accountId, environment }
    const action = status === 'succeeded' ? 'payment.collect' : 'payment.decline'
    const note = { resourceId: id, details: { failure_reason: reason } }
    await recordChange(tx, { caller }, { owner, action }, note)
    if (payment.kind === 'subscription') {
      await noteSubscriptionPayment(tx, owner, id, reason)
      return true
    }
    if (status === 'succeeded') await deliver(tx, owner, id, payment)
    if (payment.kind === 'auto_recharge') await noteRecharge(tx, owner, id, reason)
    else if (status === 'succeeded') await saveMethod(tx, owner, payment.paymentMethod)
    return true
  })
}

const tierOrder = Object.values(Tier)

const raiseTier: Statement = {
  name: 'plan-raise-tier',
  text: `UPDATE account.plan SET tier = $3
    WHERE account_id = $1 AND environment = $2 AND tier = ANY ($4::text[])`,
}

/** Gives the account the credits, the invoice and the tier of a package. */
async function deliver(
  tx: Transaction,
  owner: AccountScope,
  id: string,
  payment: SettledPayment,
): Promise<void> {
  const { accountId, environment } = owner
  const { credits, totalCents, currency, tier } = payment
  const description = `${payment.packageName} package`
  await postAnnounced(tx, {
    ...owner,
    ...{ kind: LedgerEntryKind.purchase, credits, description, ref: id, expiresAt: null },
  })
  await addInvoice(tx, owner, {
    ...{ paymentId: id, status: 'paid', credits, currency, description },
    ...{ priceCents: totalCents, taxCents: 0, totalCents, tax: null },
  })
  const lower = tier === null ? [] : tierOrder.slice(0, tierOrder.indexOf(tier))
  if (lower.length > 0) await tx.query(raiseTier, [accountId, environment, tier, lower])
}

const savePaymentMethod: Statement = {
  name: 'payment-save-method',
  text: `INSERT INTO account.auto_recharge AS r (account_id, environment, payment_method)
    VALUES ($1, $2, $3) ON CONFLICT (account_id, environment) DO UPDATE
      SET payment_method = excluded.payment_method
      WHERE r.payment_method <> excluded.payment_method`,
}

/** Recharges, and checkouts without a method, use the method of the last success. */
async function saveMethod(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  paymentMethod: string,
): Promise<void> {
  await tx.query(savePaymentMethod, [accountId, environment, paymentMethod])
}
