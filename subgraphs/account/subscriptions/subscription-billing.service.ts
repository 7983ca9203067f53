import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Owner } from '../../shared/changes/change.ts'
import { planOf, priceList } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import { grantPaidAllowance } from './allowance.service.ts'
import type { Subscription } from './subscription.type.ts'

/** An open invoice for the period that has begun, and the payment that a job collects for it. */
export async function billPeriod(
  tx: SqlEntityManager,
  owner: Owner,
  { tier, currentPeriodStart, currentPeriodEnd }: Subscription,
): Promise<void> {
  const { accountId, environment } = owner
  const { name, monthly_credits, price_cents } = planOf(tier)
  const period = currentPeriodStart.toISOString()
  const paymentId = await startPayment(tx, owner, {
    productId: tier,
    name,
    credits: monthly_credits,
    totalCents: price_cents,
    currency: priceList.currency,
    reference: `subscription:${period}`,
    periodStart: currentPeriodStart,
    periodEnd: currentPeriodEnd,
  })
  await tx.execute(
    `INSERT INTO account.invoice (id, account_id, environment, status, total_cents, currency,
       credits, description, payment_id)
     VALUES (?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    [
      ...[newId('inv'), accountId, environment, price_cents, priceList.currency],
      ...[monthly_credits, `${name} subscription from ${period.slice(0, 10)}`, paymentId],
    ],
  )
}

interface OpenRow {
  readonly id: string
  readonly package_id: string
  readonly package_name: string
  readonly credits: string
  readonly total_cents: string
  readonly currency: string
}

/** Who resumes pays for the period after all: if its payment was declined, its invoice has another. */
export async function billAgain(
  tx: SqlEntityManager,
  owner: Owner,
  { currentPeriodStart, currentPeriodEnd }: Subscription,
): Promise<void> {
  const [open] = await tx.execute<OpenRow[]>(
    `SELECT i.id, p.package_id, p.package_name, p.credits, p.total_cents, p.currency
     FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
     WHERE i.account_id = ? AND i.environment = ? AND i.status = 'open'
       AND p.period_start = ? AND p.status = 'failed'
     FOR UPDATE OF i`,
    [owner.accountId, owner.environment, currentPeriodStart],
  )
  if (!open) return
  const paymentId = await startPayment(tx, owner, {
    productId: open.package_id,
    name: open.package_name,
    credits: Number(open.credits),
    totalCents: Number(open.total_cents),
    currency: open.currency,
    reference: null,
    periodStart: currentPeriodStart,
    periodEnd: currentPeriodEnd,
  })
  await tx.execute('UPDATE account.invoice SET payment_id = ? WHERE id = ?', [paymentId, open.id])
}

interface NewPayment {
  readonly productId: string
  readonly name: string
  readonly credits: number
  readonly totalCents: number
  readonly currency: string
  /** What makes it happen once; null: its id. */
  readonly reference: string | null
  readonly periodStart: Date
  readonly periodEnd: Date
}

async function startPayment(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  payment: NewPayment,
): Promise<string> {
  const { productId, name, credits, totalCents, currency, reference } = payment
  const id = newId('pay')
  await tx.execute(
    `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
       credits, total_cents, currency, period_start, period_end, payment_method, reference)
     VALUES (?, ?, ?, 'subscription', ?, ?, ?, ?, ?, ?, ?, coalesce((
       SELECT payment_method FROM account.auto_recharge
       WHERE account_id = ? AND environment = ?), 'simulated'), ?)`,
    [
      ...[id, accountId, environment, productId, name, credits, totalCents, currency],
      ...[payment.periodStart, payment.periodEnd, accountId, environment, reference ?? id],
    ],
  )
  return id
}

interface PaidRow {
  readonly id: string
  readonly number: string
  readonly total_cents: string
  readonly currency: string
  readonly credits: string
}

interface EndingRow {
  readonly tier: string
  readonly current_period_start: string
  readonly current_period_end: string
}

/**
 * Its invoice is paid and its allowance comes; or the invoice stays open, and the subscription ends with that
 * period unless it is resumed.
 */
export async function noteSubscriptionPayment(
  tx: SqlEntityManager,
  owner: Owner,
  paymentId: string,
  failureReason: string | null,
): Promise<void> {
  if (failureReason === null) {
    const [invoice] = await tx.execute<PaidRow[]>(
      `UPDATE account.invoice SET status = 'paid' WHERE payment_id = ?
       RETURNING id, number, total_cents, currency, credits`,
      [paymentId],
    )
    if (!invoice) throw new Error(`The payment ${paymentId} has no invoice.`)
    await grantPaidAllowance(tx, owner, paymentId)
    const { id, number, total_cents, currency, credits } = invoice
    return publish(tx, owner, 'invoice.paid', {
      ...{ invoice_id: id, number, currency },
      ...{ total_cents: Number(total_cents), credits: Number(credits) },
    })
  }
  const [ending] = await tx.execute<EndingRow[]>(
    `UPDATE account.subscription SET status = 'scheduled_to_cancel', canceled_at = now()
     WHERE account_id = ? AND environment = ? AND status = 'active'
       AND current_period_start = (SELECT period_start FROM account.payment WHERE id = ?)
     RETURNING tier, current_period_start, current_period_end`,
    [owner.accountId, owner.environment, paymentId],
  )
  if (!ending) return
  await publish(tx, owner, 'subscription.cancel_scheduled', {
    tier: ending.tier,
    status: 'scheduled_to_cancel',
    current_period_start: new Date(ending.current_period_start).toISOString(),
    current_period_end: new Date(ending.current_period_end).toISOString(),
    failure_reason: failureReason,
  })
}
