import type { AccountScope } from '../../../../schema/credentials/account-scope.ts'
import type { Statement, Transaction } from '../../../shared/database/database.ts'
import type { Queryable } from '../../../shared/database/statement.ts'
import { DomainError, invalidRequest } from '../../../shared/graph/errors.ts'
import { tierRank } from '../../prices/price-list.ts'
import type { SubscriptionTier } from '../../prices/tiers.ts'
import { PlanChangeKind, PlanChangeTime } from './plan-change.type.ts'

/** The subscription of an account as far as a change of its plan depends on it. */
interface LiveSubscription {
  readonly tier: SubscriptionTier
  readonly nextTier: SubscriptionTier | null
  readonly isEnding: boolean
  readonly isOver: boolean
  readonly upgrades: number
  readonly periodStart: Date
  readonly periodEnd: Date
  /** Whether the present period has an open invoice. */
  readonly isUnpaid: boolean
}

/** A change that waits for its payment. */
export interface PendingPayment {
  readonly paymentId: string
  readonly tier: SubscriptionTier
  readonly actionUrl: string | null
}

export interface PlanState {
  /** Now, by the database's clock, to the second. */
  readonly asOf: Date
  /** When a period that begins now ends. */
  readonly firstPeriodEnd: Date
  /** Null: there is none, or it has ended. */
  readonly subscription: LiveSubscription | null
  readonly pending: PendingPayment | null
  /** Whether a dispute blocks payments. */
  readonly isBlocked: boolean
}

const lockSubscription: Statement = {
  name: 'plan-state-lock',
  text: `SELECT FROM account.subscription WHERE account_id = $1 AND environment = $2 FOR UPDATE`,
}

const times: Statement = {
  name: 'plan-state-times',
  text: `SELECT date_trunc('second', now()) AS "asOf",
      date_trunc('second', now()) + $3::interval AS "firstPeriodEnd",
      EXISTS (SELECT FROM account.payment_block WHERE account_id = $1 AND environment = $2
        AND lifted_at IS NULL) AS "isBlocked"`,
}

const liveSubscription: Statement = {
  name: 'plan-state-subscription',
  text: `SELECT s.tier, s.next_tier AS "nextTier", s.status <> 'active' AS "isEnding", s.upgrades,
      s.current_period_end <= now() AS "isOver", s.current_period_start AS "periodStart",
      s.current_period_end AS "periodEnd", EXISTS (
        SELECT FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
        WHERE i.account_id = s.account_id AND i.environment = s.environment
          AND i.status = 'open' AND p.period_start = s.current_period_start) AS "isUnpaid"
    FROM account.subscription s
    WHERE s.account_id = $1 AND s.environment = $2 AND s.status <> 'canceled'
      AND (s.status = 'active' OR s.current_period_end > now())`,
}

const pendingPayment: Statement = {
  name: 'plan-state-pending',
  text: `SELECT id AS "paymentId", package_id AS tier, action_url AS "actionUrl"
    FROM account.payment
    WHERE account_id = $1 AND environment = $2 AND kind = 'plan' AND settled_at IS NULL`,
}

type Times = Pick<PlanState, 'asOf' | 'firstPeriodEnd' | 'isBlocked'>

/** `period` is the length of new periods, an ISO 8601 duration. */
export async function planStateOf(
  database: Queryable,
  { accountId, environment }: AccountScope,
  period: string,
): Promise<PlanState> {
  const key = [accountId, environment]
  const [now] = await database.query<Times>(times, [...key, period])
  // In this order: a start that settles between the two is seen as one or the other.
  const [pending = null] = await database.query<PendingPayment>(pendingPayment, key)
  const [subscription = null] = await database.query<LiveSubscription>(liveSubscription, key)
  if (!now) throw new Error('A query of the time has no row.')
  return { ...now, subscription, pending }
}

/** The state that no other transaction changes until this one ends. */
export async function lockPlanState(
  tx: Transaction,
  owner: AccountScope,
  period: string,
): Promise<PlanState> {
  await tx.query(lockSubscription, [owner.accountId, owner.environment])
  return planStateOf(tx, owner, period)
}

/** The most upgrades of one period. */
const maxUpgrades = 3

export interface WantedPlan {
  readonly tier: SubscriptionTier
  readonly when?: PlanChangeTime | null
}

/**
 * What the change does. Throws INVALID_REQUEST for a change at a time at which it cannot be, and CONFLICT if the
 * state does not permit it.
 */
export function judgeChange(state: PlanState, { tier, when }: WantedPlan): PlanChangeKind {
  const kind = kindOf(state, tier)
  // To keep the plan is neither: nothing begins, now or later.
  if (when && when !== timeOf(kind) && kind !== PlanChangeKind.keep) {
    const message =
      kind === PlanChangeKind.downgrade
        ? 'must be period_end: a lower plan begins with the next period'
        : `must be now: the plan ${kind === PlanChangeKind.start ? 'begins' : 'rises'} once it is paid`
    throw invalidRequest([{ field: 'when', in: 'body', message }])
  }
  const reason = obstacleOf(state, tier, kind)
  if (reason !== null) throw new DomainError('CONFLICT', reason)
  return kind
}

/** When a change takes effect. */
export function timeOf(kind: PlanChangeKind): PlanChangeTime {
  return kind === PlanChangeKind.downgrade ? PlanChangeTime.period_end : PlanChangeTime.now
}

function kindOf({ subscription }: PlanState, tier: SubscriptionTier): PlanChangeKind {
  if (!subscription) return PlanChangeKind.start
  if (subscription.tier === tier) return PlanChangeKind.keep
  const isHigher = tierRank(tier) > tierRank(subscription.tier)
  return isHigher ? PlanChangeKind.upgrade : PlanChangeKind.downgrade
}

/** Why the change is not possible now; null if it is. */
function obstacleOf(state: PlanState, tier: SubscriptionTier, kind: PlanChangeKind): string | null {
  const { subscription, pending, isBlocked } = state
  if (pending) return 'A change of the plan waits for its payment.'
  if (isBlocked && kind !== PlanChangeKind.keep) {
    return 'A payment was disputed: the plan cannot be changed until we lift the block.'
  }
  if (!subscription) return null
  const { isOver, isEnding, nextTier, isUnpaid, upgrades, periodEnd } = subscription
  if (isOver) return 'A period is about to begin: try again in a moment.'
  if (kind === PlanChangeKind.keep && isEnding) {
    return `The subscription of this plan ends at ${periodEnd.toISOString()}: resume it.`
  }
  if (kind === PlanChangeKind.keep && nextTier === null) return 'This is the plan of the account.'
  if (kind === PlanChangeKind.downgrade && nextTier === tier && !isEnding) {
    return 'This plan is chosen for the next period already.'
  }
  // A lower plan takes a cancellation back, and so would collect the whole present period unseen.
  if (kind === PlanChangeKind.downgrade && isEnding && isUnpaid) {
    return 'The present period is not paid yet: resume the subscription first.'
  }
  if (kind !== PlanChangeKind.upgrade) return null
  if (isEnding) return 'The subscription is scheduled to be cancelled: resume it first.'
  if (nextTier !== null) return 'A change for the next period is scheduled: keep the plan first.'
  if (isUnpaid) return 'The present period is not paid yet.'
  return upgrades >= maxUpgrades
    ? `The plan has risen ${maxUpgrades} times in this period: that is the most.`
    : null
}
