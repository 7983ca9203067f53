import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { NewEvent } from '../../shared/changes/events.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'

/** The channel on which dispatchers learn that a delivery may be due. */
export const webhookChannel = 'gateway_webhooks'

type DeliveredEvent = AccountScope & Pick<NewEvent, 'id' | 'type'>

const receiversOf: Statement = {
  name: 'webhook-endpoints-of-event',
  text: `SELECT id FROM account.webhook_endpoint WHERE account_id = $1 AND environment = $2
      AND status = 'enabled' AND (events = '{}' OR $3 = ANY (events))`,
}

/**
 * Queues an event for every enabled endpoint that receives its type, in the event's transaction.
 */
export async function fanOut(tx: Transaction, event: DeliveredEvent): Promise<void> {
  const { accountId, environment, type } = event
  const endpoints = await tx.query<{ id: string }>(receiversOf, [accountId, environment, type])
  const endpointIds = endpoints.map(({ id }) => id)
  if (endpointIds.length > 0) await queue(tx, event, endpointIds)
}

/** Queues an event for one endpoint, which need not receive its type. Returns the delivery's id. */
export async function queueFor(
  tx: Transaction,
  event: DeliveredEvent,
  endpointId: string,
): Promise<string> {
  const id = newId('whd')
  await queue(tx, event, [endpointId], [id])
  return id
}

const queueDeliveries: Statement = {
  name: 'webhook-deliveries-queue',
  text: `
    WITH queued AS (
      INSERT INTO account.webhook_delivery
        (id, endpoint_id, account_id, environment, event_id, event_type)
      SELECT one.id, one.endpoint_id, $1, $2, $3, $4
      FROM unnest($5::text[], $6::text[]) AS one (id, endpoint_id)
      RETURNING 1
    )
    SELECT pg_notify('${webhookChannel}', '') FROM queued LIMIT 1`,
}

async function queue(
  tx: Transaction,
  { id, accountId, environment, type }: DeliveredEvent,
  endpointIds: readonly string[],
  ids = endpointIds.map(() => newId('whd')),
): Promise<void> {
  await tx.query(queueDeliveries, [accountId, environment, id, type, ids, endpointIds])
}

/** Wakes dispatchers at the end of the transaction. */
export const notifyDispatchers: Statement = {
  name: 'webhook-notify',
  text: `SELECT pg_notify('${webhookChannel}', '')`,
}
