import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { getDelivery, noSuchDelivery, requireEnabled } from './webhook-delivery.service.ts'
import type { WebhookDelivery } from './webhook-delivery.type.ts'
import { notifyDispatchers } from './webhook-fan-out.service.ts'

/**
 * SQL: starts the schedule of the delivery `d` anew, and parks it unless its endpoint is enabled. A
 * dispatcher that is trying it keeps it until its lease ends.
 */
export const restarted = (isEnabled: string) => `status = 'pending', tries = 0,
      is_asked_again = coalesce(d.lease_until > now(), false),
      due_at = CASE WHEN NOT (${isEnabled}) THEN NULL
        WHEN d.lease_until > now() THEN d.due_at ELSE now() END`

const restartSchedule: Statement = {
  name: 'webhook-delivery-restart',
  text: `
    UPDATE account.webhook_delivery d SET ${restarted("e.status = 'enabled'")}
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
