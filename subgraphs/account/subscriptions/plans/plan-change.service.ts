import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import { requireAll } from '../../../shared/graph/checks.ts'
import { DomainError } from '../../../shared/graph/errors.ts'
import { lockCheckouts, refuseAfterDeclines } from '../../payments/declined-payments.ts'
import { getBillingDetails } from '../../payments/invoices/billing-details.service.ts'
import { noMethod } from '../../payments/methods/stored-methods.service.ts'
import type { PaymentStatus } from '../../payments/payment.type.ts'
import { collectPayment } from '../../payments/payment-collection.service.ts'
import type { PaymentProvider } from '../../payments/providers/payment-provider.ts'
import { pageMethod } from '../../payments/return-links/return-address.ts'
import { planOf, priceList } from '../../prices/price-list.ts'
import type { SubscriptionTier } from '../../prices/tiers.ts'
import { raisePlan, setNextPlan, startPlan } from '../plan-settlement.service.ts'
import { findSubscription, resumeSubscription } from '../subscription.service.ts'
import { type PlanChange, PlanChangeKind, PlanChangeStatus } from './plan-change.type.ts'
import { type PlanContext, providerFor, refuseOffline } from './plan-preview.service.ts'
import { buyerOf, openQuote, type PlanQuote } from './plan-quote.ts'
import {
  judgeChange,
  lockPlanState,
  type PlanState,
  type WantedPlan,
} from './plan-state.service.ts'

export interface OrderedPlan extends WantedPlan {
  readonly quoteId?: string | null
}

/** What a change has begun. It is kept for retries, so its dates are texts. */
export interface BegunChange
  extends Omit<PlanChange, 'status' | 'effectiveAt' | 'actionUrl' | 'subscription'> {
  /** ISO 8601; null: it waits for its payment. */
  readonly effectiveAt: string | null
}

/**
 * Begins a change of the plan, in one transaction: it is scheduled, or a payment is stored that has to be
 * collected. A change that costs nothing now takes effect. Throws INVALID_REQUEST without a quote where one is
 * needed, CONFLICT if the quote is old or not of this change, and as `judgeChange` does.
 */
export async function beginChange(
  tx: Transaction,
  context: PlanContext,
  owner: AccountScope,
  order: OrderedPlan,
): Promise<BegunChange> {
  const { billing } = context
  refuseOffline(billing)
  await lockCheckouts(tx, owner)
  const state = await lockPlanState(tx, owner, billing.period)
  const kind = judgeChange(state, order)
  if (kind === PlanChangeKind.start || kind === PlanChangeKind.upgrade) {
    return beginNow(tx, context, owner, { state, kind, order })
  }
  const { subscription } = state
  if (!subscription) throw new Error('A plan without a subscription cannot be lowered.')
  const isLower = kind === PlanChangeKind.downgrade
  // A lower plan takes the place of a cancellation.
  if (isLower && subscription.isEnding) await resumeSubscription(tx, owner)
  await setNextPlan(tx, owner, { nextTier: isLower ? order.tier : null })
  return {
    ...{ kind, tier: order.tier, fromTier: subscription.tier, paymentId: null },
    ...{ dueCents: 0, taxCents: 0, totalCents: 0, grantedCredits: 0 },
    currency: priceList.currency,
    effectiveAt: (isLower ? subscription.periodEnd : state.asOf).toISOString(),
  }
}

interface NowChange {
  readonly state: PlanState
  readonly kind: PlanChangeKind.start | PlanChangeKind.upgrade
  readonly order: OrderedPlan
}

async function beginNow(
  tx: Transaction,
  context: PlanContext,
  owner: AccountScope,
  { state, kind, order: { tier, quoteId } }: NowChange,
): Promise<BegunChange> {
  requireAll([['quote_id', Boolean(quoteId), 'is required: a preview has one']])
  const provider = providerFor(context, owner)
  const { gatewaySecret, billing } = context
  const quote = openQuote(gatewaySecret, owner, quoteId ?? '')
  if (!quote || !fits(quote, state, tier) || !(await isForBuyer(tx, owner, quote))) throw oldQuote()
  const { fromTier, priceCents: dueCents, taxCents, totalCents, grantedCredits, currency } = quote
  const change = {
    ...{ kind, tier, fromTier, dueCents, taxCents, totalCents, grantedCredits, currency },
  }
  if (totalCents > 0) {
    const paymentId = newId('pay')
    await addPayment(tx, owner, paymentId, { state, quote, provider, period: billing.period })
    await refuseAfterDeclines(tx, owner, paymentId)
    return { ...change, paymentId, effectiveAt: null }
  }
  if (fromTier === null) await startPlan(tx, owner, { tier, billingPeriod: billing.period })
  else await raisePlan(tx, owner, { from: fromTier, tier })
  return { ...change, paymentId: null, effectiveAt: state.asOf.toISOString() }
}

/** Whether the quote still is about this change of this state. */
function fits(quote: PlanQuote, { subscription, asOf }: PlanState, tier: SubscriptionTier) {
  return (
    quote.tier === tier &&
    quote.fromTier === (subscription?.tier ?? null) &&
    quote.periodStart === (subscription?.periodStart.toISOString() ?? null) &&
    Date.parse(quote.expiresAt) > asOf.getTime()
  )
}

/** The tax of a quote counts for the recipient of invoices of that time. */
async function isForBuyer(tx: Transaction, owner: AccountScope, quote: PlanQuote) {
  return quote.buyer === buyerOf(await getBillingDetails(tx, owner))
}

function oldQuote(): DomainError {
  const message = 'The quote is too old, or about another change: ask for a new preview.'
  return new DomainError('CONFLICT', message)
}

const methodOfAccount: Statement = {
  name: 'plan-payment-method',
  text: `SELECT payment_method AS method FROM account.auto_recharge
    WHERE account_id = $1 AND environment = $2`,
}

/** The default card, or else a page on which the payer chooses one. */
async function methodFor(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  provider: PaymentProvider,
): Promise<string> {
  const values = [accountId, environment]
  const [stored] = await tx.query<{ method: string }>(methodOfAccount, values)
  const method = stored?.method ?? noMethod
  return provider.isMethod(method) ? method : pageMethod
}

// 45 s is longer than collecting can take: no job asks before that.
const insertPayment: Statement = {
  name: 'plan-add-payment',
  text: `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
      credits, price_cents, tax_cents, total_cents, tax, currency, from_plan, period_start,
      period_end, billing_period, payment_method, action, reference, ask_at)
    VALUES ($1, $2, $3, 'plan', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::interval, $16,
      CASE WHEN $16 = '${pageMethod}' THEN 'page' END, $1, now() + interval '45 s')`,
}

interface NewPayment {
  readonly state: PlanState
  readonly quote: PlanQuote
  readonly provider: PaymentProvider
  readonly period: string
}

async function addPayment(
  tx: Transaction,
  owner: AccountScope,
  id: string,
  { state: { subscription }, quote, provider, period }: NewPayment,
): Promise<void> {
  const { tier, fromTier, grantedCredits, priceCents, taxCents, totalCents, tax, currency } = quote
  await tx.query(insertPayment, [
    ...[id, owner.accountId, owner.environment, tier, planOf(tier).name, grantedCredits],
    ...[priceCents, taxCents, totalCents, tax && JSON.stringify(tax), currency, fromTier],
    ...[subscription?.periodStart ?? null, subscription?.periodEnd ?? null],
    ...[fromTier === null ? period : null, await methodFor(tx, owner, provider)],
  ])
}

interface PaymentState {
  readonly status: PaymentStatus
  readonly actionUrl: string | null
  readonly failureReason: string | null
  readonly settledAt: Date | null
}

const paymentState: Statement = {
  name: 'plan-payment-state',
  text: `SELECT status, action_url AS "actionUrl", failure_reason AS "failureReason",
      settled_at AS "settledAt"
    FROM account.payment WHERE account_id = $1 AND environment = $2 AND id = $3`,
}

/**
 * Collects the payment of a change that has begun, and tells where the change stands. Throws PAYMENT_DECLINED if
 * the payment was declined: then nothing has changed. An attempt with the same idempotency key comes here too.
 */
export async function finishChange(
  context: PlanContext,
  owner: AccountScope,
  begun: BegunChange,
): Promise<PlanChange> {
  const { database } = context
  const { paymentId } = begun
  if (paymentId !== null) await collectPayment(context, paymentId)
  const payment = paymentId === null ? null : await readPayment(database, owner, paymentId)
  if (payment && (payment.status === 'failed' || payment.status === 'expired')) {
    const reason = payment.failureReason ?? 'The payment was not confirmed in time.'
    const message = `The payment was not collected, and the plan is as it was. ${reason}`
    throw new DomainError('PAYMENT_DECLINED', message)
  }
  return {
    ...begun,
    status: statusOf(begun, payment),
    effectiveAt:
      begun.effectiveAt === null ? (payment?.settledAt ?? null) : new Date(begun.effectiveAt),
    actionUrl: payment?.actionUrl ?? null,
    subscription: await findSubscription(database, owner),
  }
}

function statusOf({ kind }: BegunChange, payment: PaymentState | null): PlanChangeStatus {
  if (payment && payment.status !== 'paid') return PlanChangeStatus.pending_payment
  return kind === PlanChangeKind.downgrade ? PlanChangeStatus.scheduled : PlanChangeStatus.applied
}

async function readPayment(
  database: Database,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<PaymentState> {
  const [payment] = await database.query<PaymentState>(paymentState, [accountId, environment, id])
  if (!payment) throw new Error(`The payment ${id} is missing.`)
  return payment
}
