import { randomUUID } from 'node:crypto'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError, invalidRequest } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { requireEnabled } from './webhook-delivery.service.ts'
import type {
  ResendWebhookDeliveriesInput,
  ResentWebhookDeliveries,
} from './webhook-delivery.type.ts'
import { notifyDispatchers } from './webhook-fan-out.service.ts'
import { restarted } from './webhook-resend.service.ts'

/** Sends the next slice of a span again. */
const sliceJob = 'ResendWebhookSlice'
/** The limit of one request. */
const maxAtOnce = 10_000
/** A transaction keeps its rows locked, so it restarts few deliveries. */
const sliceSize = 200

/** SQL: whether the job of a span was given up. Until then, no other span of its endpoint begins. */
const isLost = (span: string) => `${span}.moved_at <= now() - interval '1 h'`

/** Nobody waits for a request about the same endpoint: waiting would take connections of others. */
const tryEndpoint: Statement = {
  name: 'webhook-resend-try',
  text: `
    SELECT pg_try_advisory_xact_lock(hashtextextended('webhook-resend/' || $1, 0))
      AND NOT EXISTS (SELECT FROM account.webhook_resend r
        WHERE endpoint_id = $1 AND NOT ${isLost('r')}) AS "isFree"`,
}

// An id is made at most an hour apart from the start of the transaction that stores it.
const addSpan: Statement = {
  name: 'webhook-resend-add',
  text: `
    WITH found AS MATERIALIZED (
      SELECT array_agg(id) AS ids, count(*)::int AS deliveries FROM (
        SELECT id FROM account.webhook_delivery
        WHERE endpoint_id = $1 AND account_id = $2 AND environment = $3 AND id >= $4 AND id < $5
          AND created_at >= $6 AND created_at < $7 AND ($8::text IS NULL OR status = $8)
        ORDER BY id LIMIT ${maxAtOnce + 1}
      ) asked
    ), added AS (
      INSERT INTO account.webhook_resend AS r (endpoint_id, id, account_id, environment, delivery_ids)
      SELECT $1, $9, $2, $3, ids FROM found WHERE deliveries > 0
      ON CONFLICT (endpoint_id) DO UPDATE
      SET id = excluded.id, delivery_ids = excluded.delivery_ids, place = 0, moved_at = now()
      WHERE ${isLost('r')} RETURNING 1
    )
    SELECT deliveries, deliveries > 0 AND NOT EXISTS (TABLE added) AS "isRunning" FROM found`,
}

interface AddedSpan extends ResentWebhookDeliveries {
  readonly isRunning: boolean
}

const hourMs = 3_600_000

/**
 * Has the schedules of all deliveries started anew that were queued for an endpoint in a span of
 * time, as `resend` does for one. The deliveries are those of this moment; a job restarts them in
 * slices. Throws NOT_FOUND for an unknown endpoint, CONFLICT for a disabled one and while another
 * span of the endpoint is being sent, and INVALID_REQUEST if the deliveries are more than one
 * request may have sent again.
 */
export async function resendSpan(
  context: GraphContext,
  { endpointId, from, to, status = null }: ResendWebhookDeliveriesInput,
  once: OnceInput | null,
): Promise<ResentWebhookDeliveries> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const asked = { from: from.toISOString(), to: to.toISOString(), status }
  const change = {
    ...{ owner, action: 'webhook.resend', resourceId: endpointId, once },
    request: { endpointId, ...asked },
    note: ({ deliveries }: ResentWebhookDeliveries) => ({ details: { ...asked, deliveries } }),
  }
  return makeChange(context, change, async (tx) => {
    await requireEnabled(tx, owner, endpointId)
    const [endpoint] = await tx.query<{ isFree: boolean }>(tryEndpoint, [endpointId])
    if (!endpoint?.isFree) throw spanIsRunning()
    const id = randomUUID()
    const ids = [lowestId('whd', from.getTime() - hourMs), lowestId('whd', to.getTime() + hourMs)]
    const values = [endpointId, accountId, environment, ...ids, from, to, status, id]
    const [added] = await tx.query<AddedSpan>(addSpan, values)
    if (!added) throw new Error('A count returned no row.')
    const { deliveries, isRunning } = added
    if (isRunning) throw spanIsRunning()
    if (deliveries > maxAtOnce) {
      const message = `must be earlier: more than ${maxAtOnce} deliveries fit`
      throw invalidRequest([{ field: 'to', in: 'body', message }])
    }
    if (deliveries > 0) await enqueueSlice(tx, { accountId, endpointId, id, place: 0 })
    return { deliveries }
  })
}

function spanIsRunning(): DomainError {
  const message =
    'Deliveries of a span are being sent to this webhook endpoint again. Try again when that is done.'
  return new DomainError('CONFLICT', message, { retryAfterSeconds: 1 })
}

/**
 * The name of one slice of a span. A job that is done again finds the span at another place, and
 * does nothing.
 */
export interface Slice {
  readonly accountId: string
  readonly endpointId: string
  /** The id of the span. */
  readonly id: string
  /** How many deliveries were restarted before this slice. */
  readonly place: number
}

function enqueueSlice(tx: Transaction, slice: Slice): Promise<void> {
  return enqueueJob(tx, sliceJob, slice)
}

const takeSlice: Statement = {
  name: 'webhook-resend-take-slice',
  text: `
    UPDATE account.webhook_resend r SET place = place + ${sliceSize}, moved_at = now()
    WHERE endpoint_id = $1 AND id = $2 AND place = $3
    RETURNING delivery_ids[$3 + 1 : $3 + ${sliceSize}] AS ids,
      place < cardinality(delivery_ids)
        AND EXISTS (SELECT FROM account.webhook_endpoint e WHERE e.id = $1) AS "hasMore"`,
}

interface TakenSlice {
  readonly ids: readonly string[]
  readonly hasMore: boolean
}

const lockSlice: Statement = {
  name: 'webhook-resend-lock-slice',
  text: `SELECT id FROM account.webhook_delivery WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE`,
}

/**
 * The state of the endpoint is that after the wait for the locks. Deliveries are parked while it is
 * disabled, and stay as they are when it was deleted. The sweep handles what changes in this moment.
 */
const restartSlice: Statement = {
  name: 'webhook-resend-restart-slice',
  text: `
    UPDATE account.webhook_delivery d SET ${restarted("e.status = 'enabled'")}
    FROM account.webhook_endpoint e
    WHERE d.id = ANY ($1::text[]) AND e.id = d.endpoint_id RETURNING 1`,
}

const endSpan: Statement = {
  name: 'webhook-resend-end',
  text: 'DELETE FROM account.webhook_resend WHERE endpoint_id = $1 AND id = $2',
}

/**
 * Restarts the schedules of one slice, once, and enqueues the next slice in the same transaction.
 * Returns the number of restarted deliveries.
 */
export function resendSlice(database: Database, slice: Slice): Promise<number> {
  const { accountId, endpointId, id, place } = slice
  return database.as(accountId).transaction(async (tx) => {
    const [taken] = await tx.query<TakenSlice>(takeSlice, [endpointId, id, place])
    if (!taken) return 0
    await tx.query(lockSlice, [taken.ids])
    const sent = await tx.query(restartSlice, [taken.ids])
    if (taken.hasMore) await enqueueSlice(tx, { ...slice, place: place + sliceSize })
    else await tx.query(endSpan, [endpointId, id])
    await tx.query(notifyDispatchers, [])
    return sent.length
  })
}
