import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import type { Queryable } from '../../shared/database/statement.ts'
import { publish } from '../webhooks/event.service.ts'

/** The reason that suspended recharging and a payment with a barred card have. */
export const disputedReason = 'disputed'

/** The message for somebody who wants to use a barred card. */
export const barredRule = 'is barred, because a payment with it was disputed'

const openBlock: Statement = {
  name: 'payment-block-open',
  text: `SELECT FROM account.payment_block
    WHERE account_id = $1 AND environment = $2 AND lifted_at IS NULL LIMIT 1`,
}

/** Whether a dispute blocks recharging and the renewal of the subscription. */
export async function isBlocked(
  database: Queryable,
  { accountId, environment }: AccountScope,
): Promise<boolean> {
  return (await database.query(openBlock, [accountId, environment])).length > 0
}

const barredCard: Statement = {
  name: 'payment-block-card',
  text: `SELECT FROM account.payment_block b
    LEFT JOIN account.payment_dispute d ON d.id = b.dispute_id
    LEFT JOIN account.payment p ON p.id = d.payment_id
    WHERE b.account_id = $1 AND b.environment = $2 AND b.lifted_at IS NULL
      AND (b.payment_method = $3 OR p.card ->> 'fingerprint' = coalesce($4, (
        SELECT m.fingerprint FROM account.payment_method m WHERE m.account_id = $1
          AND m.environment = $2 AND m.reference = $3 AND m.provider = p.provider)))
    LIMIT 1`,
}

/**
 * Whether a payment with this card was disputed, and no operator has lifted the block. A card that is entered
 * again has another id, but the same fingerprint, which is needed of a card that is not stored yet.
 */
export async function isBarred(
  database: Queryable,
  { accountId, environment }: AccountScope,
  paymentMethod: string,
  fingerprint: string | null = null,
): Promise<boolean> {
  const values = [accountId, environment, paymentMethod, fingerprint]
  return (await database.query(barredCard, values)).length > 0
}

const addBlock: Statement = {
  name: 'payment-block-add',
  text: `INSERT INTO account.payment_block
      (dispute_id, account_id, environment, payment_method)
    VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING dispute_id`,
}

/** A dispute of a payment, and the card that had paid. */
interface DisputedPayment {
  readonly disputeId: string
  readonly paymentId: string
  /** The card that has paid; null if it is not known. */
  readonly paymentMethod: string | null
}

/**
 * Blocks, once for each dispute, what the disputed card could pay: the card is barred, recharging is
 * suspended, and a subscription that the card has paid ends with its period. The caller does this
 * before it locks the balance, because a renewal locks the subscription first.
 */
export async function blockPayments(
  tx: Transaction,
  owner: AccountScope,
  { disputeId, paymentId, paymentMethod }: DisputedPayment,
): Promise<void> {
  const { accountId, environment } = owner
  const added = await tx.query(addBlock, [disputeId, accountId, environment, paymentMethod])
  if (added.length === 0) return
  await endSubscription(tx, owner, { paymentId, paymentMethod })
}

const scheduleEnd: Statement = {
  name: 'payment-block-end-subscription',
  text: `UPDATE account.subscription s SET status = 'scheduled_to_cancel', canceled_at = now()
    WHERE s.account_id = $1 AND s.environment = $2 AND s.status = 'active'
      -- The subscription was not paid by an upgrade: its plan goes down when the money is withdrawn.
      AND NOT EXISTS (SELECT FROM account.payment p WHERE p.id = $3 AND p.from_plan IS NOT NULL)
      AND (EXISTS (SELECT FROM account.payment p WHERE p.id = $3 AND p.kind IN ('subscription', 'plan'))
        OR coalesce(
          (SELECT p.payment_method FROM account.payment p
            WHERE p.account_id = $1 AND p.environment = $2 AND (p.kind = 'subscription'
              OR p.kind = 'plan' AND p.status = 'paid' AND p.from_plan IS NULL)
            ORDER BY p.id DESC LIMIT 1),
          (SELECT r.payment_method FROM account.auto_recharge r
            WHERE r.account_id = $1 AND r.environment = $2)) = $4)
    RETURNING tier, current_period_start AS "currentPeriodStart",
      current_period_end AS "currentPeriodEnd"`,
}

interface EndingSubscription {
  readonly tier: string
  readonly currentPeriodStart: Date
  readonly currentPeriodEnd: Date
}

/** The card has paid the newest period, or would pay the first one. */
async function endSubscription(
  tx: Transaction,
  owner: AccountScope,
  { paymentId, paymentMethod }: Omit<DisputedPayment, 'disputeId'>,
): Promise<void> {
  const values = [owner.accountId, owner.environment, paymentId, paymentMethod]
  const [ending] = await tx.query<EndingSubscription>(scheduleEnd, values)
  if (!ending) return
  await publish(tx, owner, 'subscription.cancel_scheduled', {
    tier: ending.tier,
    status: 'scheduled_to_cancel',
    current_period_start: ending.currentPeriodStart.toISOString(),
    current_period_end: ending.currentPeriodEnd.toISOString(),
    failure_reason: disputedReason,
  })
}

const barCard: Statement = {
  name: 'payment-block-bar-late-card',
  text: `UPDATE account.payment_block b SET payment_method = $2
    FROM account.payment_dispute d
    WHERE d.id = b.dispute_id AND d.payment_id = $1
      AND b.payment_method IS NULL AND b.lifted_at IS NULL
    RETURNING b.dispute_id`,
}

/** Bars a card that was not known yet when its payment was disputed. */
export async function barLateCard(
  tx: Transaction,
  owner: AccountScope,
  { paymentId, paymentMethod }: Omit<DisputedPayment, 'disputeId'>,
): Promise<void> {
  const barred = await tx.query(barCard, [paymentId, paymentMethod])
  if (barred.length > 0) await endSubscription(tx, owner, { paymentId, paymentMethod })
}

const lockRecharge: Statement = {
  name: 'payment-block-lock-recharge',
  text: `SELECT enabled AND state <> 'suspended' AS "isWorking" FROM account.auto_recharge
    WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

const suspend: Statement = {
  name: 'payment-block-suspend-recharge',
  text: `
    INSERT INTO account.auto_recharge AS r (account_id, environment, state, failure_reason)
    VALUES ($1, $2, 'suspended', $3)
    ON CONFLICT (account_id, environment) DO UPDATE
      SET state = 'suspended', failure_reason = excluded.failure_reason
      -- A recharge that is under way is decided first; then this statement runs again.
      WHERE r.state IN ('idle', 'suspended') AND r.failure_reason IS DISTINCT FROM $3
    RETURNING state`,
}

/**
 * Suspends recharging while a dispute blocks it. Called when the block begins, and after a recharge
 * that was under way then. The caller has locked the balance, or needs it no more.
 */
export async function suspendIfBlocked(
  tx: Transaction,
  owner: AccountScope,
  paymentId: string,
): Promise<void> {
  if (!(await isBlocked(tx, owner))) return
  const key = [owner.accountId, owner.environment]
  const [recharge] = await tx.query<{ isWorking: boolean }>(lockRecharge, key)
  const suspended = await tx.query(suspend, [...key, disputedReason])
  if (suspended.length === 0 || !recharge?.isWorking) return
  const data = { payment_id: paymentId, failure_reason: disputedReason }
  await publish(tx, owner, 'auto_recharge.suspended', data)
}

const liftBlocks: Statement = {
  name: 'payment-block-lift',
  text: `UPDATE account.payment_block SET lifted_at = now()
    WHERE account_id = $1 AND environment = $2 AND lifted_at IS NULL RETURNING dispute_id`,
}

const resumeRecharge: Statement = {
  name: 'payment-block-resume-recharge',
  text: `UPDATE account.auto_recharge
    SET state = 'idle', failure_reason = NULL, declines = 0, try_at = now()
    WHERE account_id = $1 AND environment = $2 AND state = 'suspended' AND failure_reason = $3`,
}

/**
 * Permits payments again: the cards may be used, and recharging works as it was set up. A
 * subscription that is scheduled to end can be resumed. Returns how many disputes had blocked.
 */
export async function liftBlock(
  tx: Transaction,
  { accountId, environment }: AccountScope,
): Promise<number> {
  const lifted = await tx.query(liftBlocks, [accountId, environment])
  await tx.query(resumeRecharge, [accountId, environment, disputedReason])
  return lifted.length
}
