import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { recordChange } from '../../shared/changes/change.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { postAnnounced } from '../ledger/ledger-entry.service.ts'
import { LedgerEntryKind } from '../ledger/ledger-entry.type.ts'
import { noteRecharge } from '../low-balance/recharge.service.ts'
import { Tier } from '../prices/tiers.ts'
import { noteCollectedPlan, noteDeclinedPlan } from '../subscriptions/plan-settlement.service.ts'
import {
  noteCollectedPeriod,
  noteDeclinedPeriod,
} from '../subscriptions/subscription-billing.service.ts'
import { addInvoice } from './invoices/invoice-writing.service.ts'
import type { TaxSnapshot } from './invoices/tax.service.ts'
import {
  askLater,
  keepLateCard,
  keepMethod,
  type PaidPayment,
  paidCard,
} from './paid-card.service.ts'
import type { PaymentStatus } from './payment.type.ts'
import { maxPageDeclines, noteDecline, noteWaiting } from './payment-waiting.service.ts'
import type { Card, PaymentOutcome } from './providers/payment-provider.ts'

/**
 * Identifies the payment of an outcome. Payments of another environment or provider do not match.
 */
export interface OutcomeOf {
  readonly id: string
  readonly environment: Environment
  /** The name of the provider. */
  readonly provider: string
}

/** A payment that an outcome is about, locked. */
interface LockedPayment extends PaidPayment {
  readonly packageName: string
  /** The tier that a package gives; null for a subscription. */
  readonly tier: Tier | null
  readonly credits: number
  readonly priceCents: number
  readonly taxCents: number
  readonly totalCents: number
  readonly tax: TaxSnapshot | null
  readonly currency: string
  readonly status: PaymentStatus
  /** Whether the provider was asked to close the page, or should be. */
  readonly isOver: boolean
  readonly declines: number
}

const lockPayment: Statement = {
  name: 'payment-lock',
  text: `
    SELECT p.id, p.account_id AS "accountId", p.environment, p.provider, p.kind,
      p.package_name AS "packageName", p.tier, p.credits, p.price_cents AS "priceCents",
      p.tax_cents AS "taxCents", p.total_cents AS "totalCents", p.tax, p.currency, p.payment_method AS "paymentMethod", p.status, p.action,
      p.settled_at AS "settledAt", coalesce(p.expires_at <= now(), false) AS "isOver", (
        SELECT count(*) FROM account.payment_decline d WHERE d.payment_id = p.id)::int AS declines
    FROM account.payment p WHERE p.id = $1 AND p.environment = $2 AND p.provider = $3
    FOR UPDATE OF p`,
}

/** The effect of an outcome. */
export type Settlement =
  /** The outcome has decided the payment now. */
  | 'settled'
  /** Too many cards were declined on the page of the payment, which must be closed. */
  | 'exhausted'
  /** The provider has collected another amount or currency: an operator must look at it. */
  | 'wrong-amount'
  /** The provider says that it has collected a payment that had failed. */
  | 'contradicted'
  /** The subscription was paid, has begun or has risen without this payment: it brings credits too. */
  | 'paid-twice'
  | 'unchanged'

/**
 * Enters the result of a payment. A repeated outcome changes nothing: a settled payment stays
 * unchanged, unless its page was closed and the provider has collected it nevertheless. A card that
 * the first outcome did not name is kept when another one names it.
 */
export function settlePayment(
  { database, caller }: Pick<GraphContext, 'database' | 'caller'>,
  { id, environment, provider }: OutcomeOf,
  outcome: PaymentOutcome,
): Promise<Settlement> {
  return database.transaction(async (tx) => {
    const [payment] = await tx.query<LockedPayment>(lockPayment, [id, environment, provider])
    if (!payment) return 'unchanged'
    const hasPage = payment.action !== null
    if (payment.status === 'paid') {
      if (outcome.status === 'succeeded') await keepLateCard(tx, payment, outcome.card)
      return 'unchanged'
    }
    if (outcome.status === 'succeeded') {
      if (payment.settledAt && !hasPage) return 'contradicted'
      if (!isPaid(payment, outcome.paid)) return 'wrong-amount'
      return end(tx, caller, payment, { ...outcome, status: 'paid', reason: null })
    }
    if (payment.settledAt) return 'unchanged'
    if (outcome.status === 'expired') return end(tx, caller, payment, closing(payment))
    if (outcome.status !== 'failed') return noteWaiting(tx, payment, outcome)
    if (payment.action === 'page' && outcome.attempt !== undefined) {
      return noteDecline(tx, payment, outcome.attempt)
    }
    // A confirmation is no longer possible once the provider was asked to close the page.
    if (hasPage && payment.isOver) return end(tx, caller, payment, closing(payment))
    return end(tx, caller, payment, outcome)
  })
}

/** Keeps the card of a payment that has succeeded; of any other, nothing changes. */
export function keepCardOfSuccess(
  { database }: Pick<GraphContext, 'database'>,
  { id, environment, provider }: OutcomeOf,
  card: Card,
): Promise<void> {
  return database.transaction(async (tx) => {
    const [payment] = await tx.query<LockedPayment>(lockPayment, [id, environment, provider])
    if (payment?.status === 'paid') await keepLateCard(tx, payment, card)
  })
}

function isPaid(
  { totalCents, currency }: LockedPayment,
  paid: Extract<PaymentOutcome, { status: 'succeeded' }>['paid'],
): boolean {
  return !paid || (paid.amountCents === totalCents && paid.currency === currency)
}

interface Ending {
  readonly status: Extract<PaymentStatus, 'paid' | 'failed' | 'expired'>
  /** Why the payment failed; null if it is paid. */
  readonly reason: string | null
  readonly reference?: string
  readonly card?: Card
  readonly isCardUnknown?: boolean
}

/** A page that was closed after too many declines has failed; else nobody has paid in time. */
function closing({ kind, declines }: LockedPayment): Ending {
  if (declines >= maxPageDeclines) {
    return { status: 'failed', reason: 'Too many cards were declined.' }
  }
  const reason =
    kind === 'checkout'
      ? 'The page was closed before it was paid.'
      : 'The payment was not confirmed in time.'
  return { status: 'expired', reason }
}

const endPayment: Statement = {
  name: 'payment-end',
  text: `UPDATE account.payment SET status = $2,
      failure_reason = CASE WHEN $2 = 'failed' THEN $3 END,
      settled_at = now(), action_url = NULL, provider_reference = coalesce($4, provider_reference),
      payment_method = coalesce($5, payment_method),
      card = CASE WHEN $2 = 'paid' THEN coalesce($6, (
        SELECT jsonb_strip_nulls(jsonb_build_object('brand', m.brand, 'last4', m.last4,
          'fingerprint', m.fingerprint))
        FROM account.payment_method m
        WHERE m.account_id = payment.account_id AND m.environment = payment.environment
          AND m.provider = payment.provider AND m.reference = payment.payment_method)) END,
      tier_before = CASE WHEN $2 = 'paid' AND tier IS NOT NULL THEN (
        SELECT l.tier FROM account.plan l
        WHERE l.account_id = payment.account_id AND l.environment = payment.environment) END
    WHERE id = $1`,
}

async function end(
  tx: Transaction,
  caller: GraphContext['caller'],
  payment: LockedPayment,
  { status, reason, reference, card, isCardUnknown = false }: Ending,
): Promise<'settled' | 'paid-twice'> {
  const { id, accountId, environment } = payment
  const owner = { accountId, environment }
  await tx.query(endPayment, [
    ...[id, status, reason, reference ?? null, card?.reference ?? null],
    card ? paidCard(card) : null,
  ])
  const action = status === 'paid' ? 'payment.collect' : 'payment.decline'
  const note = { resourceId: id, details: { failure_reason: reason } }
  await recordChange(tx, { caller }, { owner, action }, note)
  const settlement = await enterEffects(tx, owner, payment, reason)
  // The settings of recharging name the method. Recharging locks the balance before its settings, so the
  // settings come last here too.
  if (status === 'paid') await keepMethod(tx, payment, card)
  if (status === 'paid' && isCardUnknown) await askLater(tx, id)
  return settlement
}

/** The credits, or the state of the subscription or recharge, that follow from an ended payment. */
async function enterEffects(
  tx: Transaction,
  owner: AccountScope,
  payment: LockedPayment,
  reason: string | null,
): Promise<'settled' | 'paid-twice'> {
  const { id, kind } = payment
  const hasSucceeded = reason === null
  if (kind === 'subscription' || kind === 'plan') {
    const isPlan = kind === 'plan'
    if (!hasSucceeded) {
      await (isPlan ? noteDeclinedPlan : noteDeclinedPeriod)(tx, owner, id, reason)
      return 'settled'
    }
    const collected = isPlan
      ? await noteCollectedPlan(tx, owner, id)
      : (await noteCollectedPeriod(tx, owner, id))
        ? 'applied'
        : 'refused'
    if (collected === 'applied') return 'settled'
    if (collected === 'refused') await deliver(tx, owner, id, payment)
    return 'paid-twice'
  }
  if (hasSucceeded) await deliver(tx, owner, id, payment)
  if (kind === 'auto_recharge') await noteRecharge(tx, owner, id, reason)
  return 'settled'
}

const tierOrder = Object.values(Tier)

const raiseTier: Statement = {
  name: 'plan-raise-tier',
  text: `UPDATE account.plan SET tier = $3
    WHERE account_id = $1 AND environment = $2 AND tier = ANY ($4::text[])`,
}

/** Gives the account the credits, the invoice and the tier that it has paid for. */
async function deliver(
  tx: Transaction,
  owner: AccountScope,
  id: string,
  payment: LockedPayment,
): Promise<void> {
  const { accountId, environment } = owner
  const { credits, priceCents, taxCents, totalCents, tax, currency, tier } = payment
  const noun = tier === null ? 'subscription, paid again' : 'package'
  const description = `${payment.packageName} ${noun}`
  // Changes of the plan lock it before the balance too.
  const lower = tier === null ? [] : tierOrder.slice(0, tierOrder.indexOf(tier))
  if (lower.length > 0) await tx.query(raiseTier, [accountId, environment, tier, lower])
  await postAnnounced(tx, {
    ...owner,
    ...{ kind: LedgerEntryKind.purchase, credits, description, ref: id, expiresAt: null },
  })
  await addInvoice(tx, owner, {
    ...{ paymentId: id, status: 'paid', credits, currency, description },
    ...{ priceCents, taxCents, totalCents, tax },
  })
}
