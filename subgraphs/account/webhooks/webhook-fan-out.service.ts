import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Owner } from '../../shared/changes/change.ts'
import type { NewEvent } from '../../shared/changes/events.ts'

/** Announced when something is to be delivered: dispatchers listen to it. */
export const webhookChannel = 'gateway_webhooks'

type DeliveredEvent = Owner & Pick<NewEvent, 'id' | 'type'>

/** Queues an event for every enabled endpoint that wants it, in the transaction of the event. */
export async function fanOut(tx: SqlEntityManager, event: DeliveredEvent): Promise<void> {
  const { accountId, environment, type } = event
  const endpoints = await tx.execute<{ id: string }[]>(
    `SELECT id FROM account.webhook_endpoint WHERE account_id = ? AND environment = ?
       AND status = 'enabled' AND (events = '{}' OR ? = ANY (events))`,
    [accountId, environment, type],
  )
  const endpointIds = endpoints.map(({ id }) => id)
  if (endpointIds.length > 0) await queue(tx, event, endpointIds)
}

/** Queues an event for one endpoint, whatever that wants. Returns the delivery's id. */
export async function queueFor(
  tx: SqlEntityManager,
  event: DeliveredEvent,
  endpointId: string,
): Promise<string> {
  const id = newId('whd')
  await queue(tx, event, [endpointId], [id])
  return id
}

async function queue(
  tx: SqlEntityManager,
  { id, accountId, environment, type }: DeliveredEvent,
  endpointIds: readonly string[],
  ids = endpointIds.map(() => newId('whd')),
): Promise<void> {
  await tx.execute(
    `WITH queued AS (
       INSERT INTO account.webhook_delivery
         (id, endpoint_id, account_id, environment, event_id, event_type)
       SELECT one.id, one.endpoint_id, ?, ?, ?, ?
       FROM unnest(?::text[], ?::text[]) AS one (id, endpoint_id)
       RETURNING 1
     )
     SELECT pg_notify('${webhookChannel}', '') FROM queued LIMIT 1`,
    [accountId, environment, id, type, toArray(ids), toArray(endpointIds)],
  )
}

function toArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`
}
