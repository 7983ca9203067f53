import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../schema/ids.ts'
import type { Owner } from '../shared/change.ts'
import type { NewEvent } from '../shared/events.ts'

/** Of one account and environment. */
export const maxEndpoints = 20

/** Announced when something is to be delivered: dispatchers listen to it. */
export const webhookChannel = 'gateway_webhooks'

type DeliveredEvent = Owner & Pick<NewEvent, 'id' | 'type'>

/** Queues an event for every enabled endpoint that wants it, in the transaction of the event. */
export function fanOut(tx: SqlEntityManager, event: DeliveredEvent): Promise<void> {
  return queue(tx, event, `e.status = 'enabled' AND (e.events = '{}' OR ? = ANY (e.events))`, [
    event.type,
  ])
}

/** Queues an event for one endpoint, whatever that wants. Returns the delivery's id. */
export async function queueFor(
  tx: SqlEntityManager,
  event: DeliveredEvent,
  endpointId: string,
): Promise<string> {
  const id = newId('whd')
  await queue(tx, event, 'e.id = ?', [endpointId], [id])
  return id
}

async function queue(
  tx: SqlEntityManager,
  { id, accountId, environment, type }: DeliveredEvent,
  condition: string,
  values: readonly string[],
  ids: readonly string[] = Array.from({ length: maxEndpoints }, () => newId('whd')),
): Promise<void> {
  await tx.execute(
    `WITH queued AS (
       INSERT INTO account.webhook_delivery
         (id, account_id, environment, endpoint_id, event_id, event_type)
       SELECT (?::text[])[row_number() OVER (ORDER BY e.id)], e.account_id, e.environment, e.id, ?, ?
       FROM account.webhook_endpoint e
       WHERE e.account_id = ? AND e.environment = ? AND ${condition}
       RETURNING 1
     )
     SELECT pg_notify('${webhookChannel}', '') FROM queued LIMIT 1`,
    [`{${ids.join(',')}}`, id, type, accountId, environment, ...values],
  )
}
