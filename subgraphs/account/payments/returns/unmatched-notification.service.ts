import type { Environment } from '../../../../schema/credentials/caller.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { recordChange } from '../../../shared/changes/change.ts'
import type { Database, Statement, Transaction } from '../../../shared/database/database.ts'
import type { GraphContext } from '../../../shared/graph/context.ts'
import type { PagedList } from '../../../shared/lists/pagination.ts'
import type { ReturnNotification } from '../providers/returns/return-notification.ts'
import type { UnmatchedPaymentNotification } from './unmatched-notification.type.ts'

/** A notification that contradicts the stored payment. */
interface Unmatched {
  readonly environment: Environment
  readonly provider: string
  readonly notification: ReturnNotification
  /** `pay_…`, as the provider says. */
  readonly paymentId: string | null
  /** The account of the payment; null if the payment is unknown. */
  readonly accountId: string | null
  /** What contradicts, in words for operators. */
  readonly reason: string
}

const addOrCount: Statement = {
  name: 'unmatched-notification-add',
  text: `INSERT INTO account.unmatched_payment_notification AS n (id, account_id, environment, provider,
      kind, reference, payment_id, payment_reference, amount_cents, currency, reason)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (provider, environment, kind, reference) DO UPDATE
      SET times_seen = n.times_seen + 1, last_seen_at = now(), reason = excluded.reason
    RETURNING id, times_seen = 1 AS "isNew"`,
}

/** Keeps the notification for operators, once for each refund or dispute. */
export async function noteUnmatched(
  tx: Transaction,
  { caller }: Pick<GraphContext, 'caller'>,
  { environment, provider, notification, paymentId, accountId, reason }: Unmatched,
): Promise<void> {
  const { kind, paymentReference, currency = null } = notification
  const { reference, amountCents } = subjectOf(notification)
  const [noted] = await tx.query<{ id: string; isNew: boolean }>(addOrCount, [
    ...[newId('unm'), accountId, environment, provider, kind, reference, paymentId],
    ...[paymentReference, amountCents, currency, reason],
  ])
  if (!noted?.isNew) return
  const owner = accountId === null ? null : { accountId, environment }
  await recordChange(
    tx,
    { caller },
    { owner, action: 'payment_notification.unmatched' },
    { resourceId: noted.id, details: { provider, kind, payment_id: paymentId, reason } },
    'CONFLICT',
  )
}

/** The id of the refund or dispute. A sum of refunds is identified by its payment. */
function subjectOf(notification: ReturnNotification) {
  if (notification.kind === 'dispute') return notification.dispute
  const { refund, paymentId, paymentReference, returnedCents = null } = notification
  const reference = `sum:${paymentReference ?? paymentId}`
  return refund ?? { reference, amountCents: returnedCents }
}

const newestFirst: Statement = {
  name: 'unmatched-notifications-newest-first',
  text: `SELECT id, account_id AS "accountId", environment, provider, kind,
      reference, payment_id AS "paymentId", payment_reference AS "paymentReference",
      amount_cents AS "amountCents", currency, reason, times_seen AS "timesSeen",
      created_at AS "createdAt", last_seen_at AS "lastSeenAt"
    FROM account.unmatched_payment_notification
    WHERE ($1::text IS NULL OR id < $1) ORDER BY id DESC LIMIT $2`,
}

/** The unmatched notifications of all providers, newest first. */
export function unmatchedNotifications(
  database: Database,
): PagedList<UnmatchedPaymentNotification> {
  return {
    name: 'unmatched-payment-notifications',
    owner: null,
    positionOf: ({ id }) => id,
    read: ({ limit, before }) => database.query(newestFirst, [before, limit]),
  }
}
