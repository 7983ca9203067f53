import { lowestId } from '../../../schema/vocabulary/ids.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { getDelivery, noSuchDelivery, requireEnabled } from './webhook-delivery.service.ts'
import type {
  ResendWebhookDeliveriesInput,
  ResentWebhookDeliveries,
  WebhookDelivery,
} from './webhook-delivery.type.ts'
import { notifyDispatchers } from './webhook-fan-out.service.ts'

// A dispatcher that is trying the delivery keeps it until its lease ends.
const restarted = `status = 'pending', tries = 0,
      is_asked_again = coalesce(d.lease_until > now(), false),
      due_at = CASE WHEN d.lease_until > now() THEN d.due_at ELSE now() END`

const restartSchedule: Statement = {
  name: 'webhook-delivery-restart',
  text: `
    UPDATE account.webhook_delivery d SET ${restarted}
    FROM account.webhook_endpoint e
    WHERE d.id = $1 AND d.account_id = $2 AND d.environment = $3 AND e.id = d.endpoint_id
    RETURNING d.endpoint_id AS "endpointId"`,
}

/**
 * Starts the schedule of a delivery anew, whatever its status. If it is being tried, the new
 * schedule starts after that attempt. Throws NOT_FOUND for an unknown delivery, and
 * CONFLICT if its endpoint is disabled.
 */
export async function resend(
  context: GraphContext,
  id: string,
  once: OnceInput | null,
): Promise<WebhookDelivery> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const change = { owner, action: 'webhook.resend', resourceId: id, once, request: { id } }
  const endpointId = await makeChange(context, change, async (tx) => {
    const values = [id, accountId, environment]
    const [delivery] = await tx.query<{ endpointId: string }>(restartSchedule, values)
    if (!delivery) throw noSuchDelivery()
    await requireEnabled(tx, owner, delivery.endpointId)
    await tx.query(notifyDispatchers, [])
    return delivery.endpointId
  })
  return getDelivery(context, owner, { endpointId, id })
}

/** The limit of one request. */
const maxAtOnce = 10_000

// An id is made at most an hour apart from the start of the transaction that stores it.
const restartSchedules: Statement = {
  name: 'webhook-deliveries-restart',
  text: `
    WITH asked AS (
      SELECT id FROM account.webhook_delivery
      WHERE endpoint_id = $1 AND account_id = $2 AND environment = $3 AND id >= $4 AND id < $5
        AND created_at >= $6 AND created_at < $7 AND ($8::text IS NULL OR status = $8)
      ORDER BY id LIMIT ${maxAtOnce + 1} FOR UPDATE
    ), restarted AS (
      UPDATE account.webhook_delivery d SET ${restarted}
      FROM asked WHERE d.id = asked.id RETURNING 1
    )
    SELECT count(*)::int AS deliveries FROM restarted`,
}

const hourMs = 3_600_000

/**
 * Starts the schedules of all deliveries anew that were queued for an endpoint in a span of time,
 * as `resend` does for one. Throws NOT_FOUND for an unknown endpoint, CONFLICT for a disabled one,
 * and INVALID_REQUEST if the deliveries are more than one request may have sent again.
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
    const ids = [lowestId('whd', from.getTime() - hourMs), lowestId('whd', to.getTime() + hourMs)]
    const values = [endpointId, accountId, environment, ...ids, from, to, status]
    const [resent] = await tx.query<ResentWebhookDeliveries>(restartSchedules, values)
    if (!resent) throw new Error('A count returned no row.')
    if (resent.deliveries > maxAtOnce) {
      const message = `must be earlier: more than ${maxAtOnce} deliveries fit`
      throw invalidRequest([{ field: 'to', in: 'body', message }])
    }
    await tx.query(notifyDispatchers, [])
    return resent
  })
}
