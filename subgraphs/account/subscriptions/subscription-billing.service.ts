import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { WebhookEventData } from '../../../schema/vocabulary/webhook-events.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { addInvoice } from '../payments/invoices/invoice-writing.service.ts'
import type { PriceWithTax, Pricing } from '../payments/invoices/tax.service.ts'
import { planOf, priceList } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import { grantPaidAllowance } from './allowance.service.ts'
import type { Subscription } from './subscription.type.ts'

/** Adds an open invoice for the period that has begun, and the payment that a job collects. */
export async function billPeriod(
  tx: Transaction,
  owner: AccountScope,
  { tier, currentPeriodStart, currentPeriodEnd }: Subscription,
  pricing: Pricing,
): Promise<void> {
  const { name, monthly_credits, price_cents } = planOf(tier)
  const period = currentPeriodStart.toISOString()
  const price = await pricing(tx, owner, price_cents)
  const paymentId = await startPayment(tx, owner, {
    productId: tier,
    name,
    credits: monthly_credits,
    ...price,
    currency: priceList.currency,
    reference: `subscription:${period}`,
    periodStart: currentPeriodStart,
    periodEnd: currentPeriodEnd,
  })
  await addInvoice(tx, owner, {
    ...{ paymentId, status: 'open', credits: monthly_credits, currency: priceList.currency },
    description: `${name} subscription from ${period.slice(0, 10)}`,
    ...price,
  })
}

const lockDeclinedInvoice: Statement = {
  name: 'subscription-lock-declined-invoice',
  text: `
    SELECT i.id AS "invoiceId", p.package_id AS "productId", p.package_name AS name, p.credits,
      p.price_cents AS "priceCents", p.tax_cents AS "taxCents",
      p.total_cents AS "totalCents", p.tax, p.currency
    FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
    WHERE i.account_id = $1 AND i.environment = $2 AND i.status = 'open'
      AND p.period_start = $3 AND p.status IN ('failed', 'expired')
    FOR UPDATE OF i`,
}

const setPaymentOfInvoice: Statement = {
  name: 'subscription-set-invoice-payment',
  text: 'UPDATE account.invoice SET payment_id = $1 WHERE id = $2',
}

interface Product extends PriceWithTax {
  readonly productId: string
  readonly name: string
  readonly credits: number
  readonly currency: string
}

/** A resumed subscription pays for its period: a declined payment is replaced by a new one. */
export async function billAgain(
  tx: Transaction,
  owner: AccountScope,
  { currentPeriodStart, currentPeriodEnd }: Subscription,
): Promise<void> {
  const values = [owner.accountId, owner.environment, currentPeriodStart]
  const [open] = await tx.query<Product & { invoiceId: string }>(lockDeclinedInvoice, values)
  if (!open) return
  const paymentId = await startPayment(tx, owner, {
    ...open,
    reference: null,
    periodStart: currentPeriodStart,
    periodEnd: currentPeriodEnd,
  })
  await tx.query(setPaymentOfInvoice, [paymentId, open.invoiceId])
}

interface NewPayment extends Product {
  /**
   * Two payments with the same reference are refused. Null: the id of the payment is its reference.
   */
  readonly reference: string | null
  readonly periodStart: Date
  readonly periodEnd: Date
}

const addPayment: Statement = {
  name: 'subscription-add-payment',
  text: `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
      credits, price_cents, tax_cents, total_cents, tax, currency, period_start, period_end,
      payment_method, reference)
    VALUES ($1, $2, $3, 'subscription', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, coalesce((
      SELECT payment_method FROM account.auto_recharge
      WHERE account_id = $2 AND environment = $3), 'simulated'), $14)`,
}

async function startPayment(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  payment: NewPayment,
): Promise<string> {
  const { productId, name, credits, priceCents, taxCents, totalCents, tax, currency } = payment
  const { reference, periodStart, periodEnd } = payment
  const id = newId('pay')
  await tx.query(addPayment, [
    ...[id, accountId, environment, productId, name, credits, priceCents, taxCents],
    ...[totalCents, tax && JSON.stringify(tax), currency],
    ...[periodStart, periodEnd, reference ?? id],
  ])
  return id
}

/** The invoice of a payment's period: a newer payment may have taken its place on it. */
const lockPeriodInvoice: Statement = {
  name: 'subscription-lock-period-invoice',
  text: `SELECT i.id, i.status, i.payment_id AS "paymentId"
    FROM account.payment p
    JOIN account.payment other ON other.account_id = p.account_id
      AND other.environment = p.environment AND other.kind = 'subscription'
      AND (other.id = p.id OR other.period_start = p.period_start)
    JOIN account.invoice i ON i.payment_id = other.id
    WHERE p.id = $1 ORDER BY i.id LIMIT 1 FOR UPDATE OF i`,
}

interface PeriodInvoice {
  readonly id: string
  readonly status: 'open' | 'paid' | 'void'
  readonly paymentId: string
}

const setInvoicePaid: Statement = {
  name: 'subscription-invoice-paid-by',
  text: `UPDATE account.invoice SET status = 'paid', payment_id = $2 WHERE id = $1
    RETURNING id AS invoice_id, number, total_cents, currency, credits`,
}

/** Lets the provider close the page of a payment that is not wanted any more. */
const closePage: Statement = {
  name: 'subscription-close-page',
  // A payment that is locked is being decided, by a transaction that waits for the invoice.
  text: `UPDATE account.payment SET expires_at = now(), ask_at = now() WHERE id = (
      SELECT id FROM account.payment WHERE id = $1
        AND status = 'requires_action' FOR UPDATE SKIP LOCKED)`,
}

const scheduleEnd: Statement = {
  name: 'subscription-schedule-end',
  text: `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now()
    WHERE account_id = $1 AND environment = $2 AND status = 'active'
      AND current_period_start = (SELECT period_start FROM account.payment WHERE id = $3)
      AND EXISTS (SELECT FROM account.invoice WHERE payment_id = $3 AND status = 'open')
    RETURNING tier, current_period_start AS "currentPeriodStart",
      current_period_end AS "currentPeriodEnd"`,
}

type EndingSubscription = Pick<Subscription, 'tier' | 'currentPeriodStart' | 'currentPeriodEnd'>

/**
 * Records that a payment was collected: the invoice of its period is paid and the allowance comes.
 * Returns false and does nothing if another payment has paid the period.
 */
export async function noteCollectedPeriod(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
): Promise<boolean> {
  const [invoice] = await tx.query<PeriodInvoice>(lockPeriodInvoice, [paymentId])
  if (!invoice) throw new Error(`The payment ${paymentId} has no invoice.`)
  if (invoice.status !== 'open') return false
  const values = [invoice.id, paymentId]
  const [paid] = await tx.query<WebhookEventData<'invoice.paid'>>(setInvoicePaid, values)
  if (!paid) throw new Error('An invoice that is locked is missing.')
  if (invoice.paymentId !== paymentId) await tx.query(closePage, [invoice.paymentId])
  await grantPaidAllowance(tx, owner, paymentId)
  await publish(tx, owner, 'invoice.paid', paid)
  return true
}

/**
 * Records that a payment was declined: its invoice stays open, and the subscription ends with its
 * period unless it is resumed. A payment that another one has replaced changes nothing.
 */
export async function noteDeclinedPeriod(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
  failureReason: string,
): Promise<void> {
  const values = [owner.accountId, owner.environment, paymentId]
  const [ending] = await tx.query<EndingSubscription>(scheduleEnd, values)
  if (!ending) return
  await publish(tx, owner, 'subscription.cancel_scheduled', {
    tier: ending.tier,
    status: 'scheduled_to_cancel',
    current_period_start: ending.currentPeriodStart.toISOString(),
    current_period_end: ending.currentPeriodEnd.toISOString(),
    failure_reason: failureReason,
  })
}
