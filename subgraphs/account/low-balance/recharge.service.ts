import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { suspendIfBlocked } from '../payment-blocks/payment-block.service.ts'
import type { Pricing } from '../payments/invoices/tax.service.ts'
import { priceList } from '../prices/price-list.ts'
import { publish } from '../webhooks/event.service.ts'
import { AutoRechargeState } from './auto-recharge.type.ts'

const lockReadySettings: Statement = {
  name: 'recharge-lock',
  text: `
    SELECT r.threshold_credits AS "thresholdCredits", r.package_id AS "packageId",
      r.monthly_cap_cents AS "monthlyCapCents", r.payment_method AS "paymentMethod",
      $3 < r.threshold_credits AS "isDue"
    FROM account.auto_recharge r
    JOIN account.account a ON a.id = r.account_id AND a.status = 'ACTIVE'
    WHERE r.account_id = $1 AND r.environment = $2
      AND r.enabled AND r.state = 'idle' AND r.try_at <= now()
      AND NOT EXISTS (SELECT FROM account.payment_block k
        WHERE k.account_id = $1 AND k.environment = $2 AND k.lifted_at IS NULL)
    FOR UPDATE OF r`,
}

const packageIfLow: Statement = {
  name: 'recharge-package-if-low',
  text: `SELECT r.package_id AS "packageId"
    FROM account.auto_recharge r JOIN account.balance b USING (account_id, environment)
    WHERE r.account_id = $1 AND r.environment = $2 AND r.enabled AND b.balance < r.threshold_credits`,
}

/** The net price of the package that seems to be due; null if none does. */
export async function duePriceOf(database: Database, owner: AccountScope): Promise<number | null> {
  const key = [owner.accountId, owner.environment]
  const [due] = await database.query<{ packageId: string }>(packageIfLow, key)
  return priceList.packages.find(({ id }) => id === due?.packageId)?.price_cents ?? null
}

/** The settings of recharging that may start a payment now. */
interface ReadySettings {
  readonly thresholdCredits: number
  readonly packageId: string
  readonly monthlyCapCents: number | null
  readonly paymentMethod: string
  readonly isDue: boolean
}

/** The effect of a balance on recharging. */
interface Recharge {
  /** The level below which a balance is due for a recharge; null while none could start. */
  readonly thresholdCredits: number | null
  readonly step: RechargeStep | null
}

/** A step of recharging, as the audit trail shows it. */
export interface RechargeStep {
  readonly action: 'auto_recharge.start' | 'auto_recharge.suspend' | 'auto_recharge.postpone'
  /** The payment that was started. */
  readonly resourceId?: string
  readonly details?: { readonly reason: string }
}

/**
 * Starts a payment if the balance is below the threshold: one at a time, within the monthly cap,
 * and only for an active account. The caller has locked the balance.
 */
export async function rechargeIfLow(
  tx: Transaction,
  owner: AccountScope,
  balance: number,
  pricing: Pricing,
): Promise<Recharge> {
  const values = [owner.accountId, owner.environment, balance]
  const [settings] = await tx.query<ReadySettings>(lockReadySettings, values)
  if (!settings) return { thresholdCredits: null, step: null }
  if (!settings.isDue) return { thresholdCredits: settings.thresholdCredits, step: null }
  return { thresholdCredits: null, step: await startRecharge(tx, owner, settings, pricing) }
}

export const spentThisMonth: Statement = {
  name: 'recharge-spent-this-month',
  text: `SELECT coalesce(sum(total_cents), 0)::bigint AS cents FROM account.payment
    WHERE account_id = $1 AND environment = $2 AND kind = 'auto_recharge'
      AND status NOT IN ('failed', 'expired')
      AND created_at >= date_trunc('month', now(), 'UTC')`,
}

const addPayment: Statement = {
  name: 'recharge-add-payment',
  text: `INSERT INTO account.payment (id, account_id, environment, kind, package_id, package_name,
      tier, credits, price_cents, tax_cents, total_cents, tax, currency, payment_method, reference)
    VALUES ($1, $2, $3, 'auto_recharge', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $1)`,
}

const setUnderWay: Statement = {
  name: 'recharge-under-way',
  text: 'UPDATE account.auto_recharge SET state = $3 WHERE account_id = $1 AND environment = $2',
}

async function startRecharge(
  tx: Transaction,
  owner: AccountScope,
  { thresholdCredits, packageId, monthlyCapCents, paymentMethod }: ReadySettings,
  pricing: Pricing,
): Promise<RechargeStep> {
  const key = [owner.accountId, owner.environment]
  const offer = priceList.packages.find(({ id }) => id === packageId)
  // The price list may have changed after the settings were made.
  if (!offer) return suspend(tx, owner, 'The package is not on sale.')
  if (offer.credits < thresholdCredits) {
    return suspend(tx, owner, 'The package has too few credits.')
  }
  const [spent = { cents: 0 }] = await tx.query<{ cents: number }>(spentThisMonth, key)
  const cap = monthlyCapCents ?? Number.POSITIVE_INFINITY
  const { priceCents, taxCents, totalCents, tax } = await pricing(tx, owner, offer.price_cents)
  // No month can pay for it: prices or the buyer's tax have changed since the cap was set.
  if (totalCents > cap) return suspend(tx, owner, capTooLow(taxCents))
  if (spent.cents + totalCents > cap) return waitForNextMonth(tx, owner)
  const id = newId('pay')
  await tx.query(addPayment, [
    ...[id, ...key, offer.id, offer.name, offer.tier, offer.credits],
    ...[priceCents, taxCents, totalCents, tax && JSON.stringify(tax)],
    ...[priceList.currency, paymentMethod],
  ])
  await tx.query(setUnderWay, [...key, AutoRechargeState.pending])
  return { action: 'auto_recharge.start', resourceId: id }
}

const setSuspended: Statement = {
  name: 'recharge-suspend',
  text: `UPDATE account.auto_recharge SET state = 'suspended', failure_reason = $3
    WHERE account_id = $1 AND environment = $2`,
}

async function suspend(
  tx: Transaction,
  owner: AccountScope,
  reason: string,
): Promise<RechargeStep> {
  await tx.query(setSuspended, [owner.accountId, owner.environment, reason])
  await publish(tx, owner, 'auto_recharge.suspended', { payment_id: null, failure_reason: reason })
  return { action: 'auto_recharge.suspend', details: { reason } }
}

function capTooLow(taxCents: number): string {
  return `The monthly cap is below the price of the package${taxCents > 0 ? ' with tax' : ''}.`
}

const postponeToNextMonth: Statement = {
  name: 'recharge-postpone',
  text: `UPDATE account.auto_recharge SET failure_reason = $3,
      try_at = date_trunc('month', now(), 'UTC') + interval '1 month'
    WHERE account_id = $1 AND environment = $2`,
}

async function waitForNextMonth(tx: Transaction, owner: AccountScope): Promise<RechargeStep> {
  const reason = 'The monthly cap is reached.'
  await tx.query(postponeToNextMonth, [owner.accountId, owner.environment, reason])
  await publish(tx, owner, 'auto_recharge.failed', { payment_id: null, failure_reason: reason })
  return { action: 'auto_recharge.postpone', details: { reason } }
}

/** So many declined payments in a row suspend recharging. */
const maxDeclines = 3

const recordSuccess: Statement = {
  name: 'recharge-succeeded',
  // A recharge that was given up may be paid late, while the next one is under way.
  text: `UPDATE account.auto_recharge SET declines = 0, failure_reason = NULL,
      last_recharge_at = now(), try_at = now(),
      state = CASE WHEN EXISTS (SELECT FROM account.payment
          WHERE account_id = $1 AND environment = $2 AND kind = 'auto_recharge'
            AND settled_at IS NULL) THEN state ELSE 'idle' END
    WHERE account_id = $1 AND environment = $2`,
}

/** Records that a recharge waits for its payer, or for the provider again. */
export async function noteUndecidedRecharge(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  state: AutoRechargeState.pending | AutoRechargeState.action_required,
): Promise<void> {
  await tx.query(setUnderWay, [accountId, environment, state])
}

const recordDecline: Statement = {
  name: 'recharge-declined',
  text: `UPDATE account.auto_recharge SET declines = declines + 1, failure_reason = $3,
      state = CASE WHEN declines + 1 >= $4 THEN 'suspended' ELSE 'idle' END,
      try_at = now() + power(4, declines) * interval '1 hour'
    WHERE account_id = $1 AND environment = $2 RETURNING state`,
}

/**
 * Records the outcome of a recharge. After a decline the next is tried an hour later, then four.
 */
export async function noteRecharge(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
  failureReason: string | null,
): Promise<void> {
  const key = [owner.accountId, owner.environment]
  if (failureReason === null) {
    await tx.query(recordSuccess, key)
    await publish(tx, owner, 'auto_recharge.succeeded', { payment_id: paymentId })
    return suspendIfBlocked(tx, owner, paymentId)
  }
  const values = [...key, failureReason, maxDeclines]
  const [changed] = await tx.query<{ state: AutoRechargeState }>(recordDecline, values)
  const data = { payment_id: paymentId, failure_reason: failureReason }
  await publish(tx, owner, 'auto_recharge.failed', data)
  if (changed?.state === AutoRechargeState.suspended)
    await publish(tx, owner, 'auto_recharge.suspended', data)
  await suspendIfBlocked(tx, owner, paymentId)
}
