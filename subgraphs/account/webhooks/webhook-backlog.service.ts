import type { Database, Statement, Transaction } from '../../shared/database/database.ts'

/**
 * The limit of one change for one endpoint, because the request keeps these rows locked and a connection
 * meanwhile. The sweep handles the rest within half a minute.
 */
const maxAtOnce = 200

/**
 * Pending deliveries of one endpoint. Recording an attempt locks its delivery before the endpoint,
 * so waiting for a locked delivery could be a deadlock: locked deliveries are left to the sweep.
 * The statements make an array of it, for the reason that `forgetRows` states.
 */
const pendingOf = (condition: string) => `
  SELECT id FROM account.webhook_delivery
  WHERE endpoint_id = $1 AND status = 'pending' AND ${condition}
  LIMIT ${maxAtOnce} FOR UPDATE SKIP LOCKED`

const due = pendingOf('due_at IS NOT NULL')
const parked = pendingOf('due_at IS NULL')

const dropDue: Statement = {
  name: 'webhook-endpoint-drop-due',
  text: `DELETE FROM account.webhook_delivery WHERE id = ANY (ARRAY(${due}))`,
}

const dropParked: Statement = {
  name: 'webhook-endpoint-drop-parked',
  text: `DELETE FROM account.webhook_delivery WHERE id = ANY (ARRAY(${parked}))`,
}

/** Deletes the pending deliveries of an endpoint that is deleted. */
export async function dropPending(tx: Transaction, endpointId: string): Promise<void> {
  // Due and parked deliveries have an index each.
  await tx.query(dropDue, [endpointId])
  await tx.query(dropParked, [endpointId])
}

const parkDue: Statement = {
  name: 'webhook-endpoint-park-due',
  text: `UPDATE account.webhook_delivery SET due_at = NULL WHERE id = ANY (ARRAY(${due}))`,
}

/** Hides the deliveries of a disabled endpoint from dispatchers. */
export async function parkPending(tx: Transaction, endpointId: string): Promise<void> {
  await tx.query(parkDue, [endpointId])
}

const reviveParked: Statement = {
  name: 'webhook-endpoint-revive-parked',
  text: `UPDATE account.webhook_delivery SET due_at = greatest(now(), lease_until)
    WHERE id = ANY (ARRAY(${parked}))`,
}

/** Makes parked deliveries due. A delivery that is being tried becomes due when its lease ends. */
export async function revivePending(tx: Transaction, endpointId: string): Promise<void> {
  await tx.query(reviveParked, [endpointId])
}

const dropOrphans: Statement = {
  name: 'webhook-deliveries-drop-orphans',
  text: `
    DELETE FROM account.webhook_delivery WHERE id = ANY (ARRAY(
      SELECT d.id FROM account.webhook_delivery d WHERE d.due_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM account.webhook_endpoint e WHERE e.id = d.endpoint_id)
      LIMIT $1 FOR UPDATE OF d SKIP LOCKED
    )) RETURNING 1`,
}

const parkOfDisabled: Statement = {
  name: 'webhook-deliveries-park',
  text: `
    UPDATE account.webhook_delivery SET due_at = NULL WHERE id = ANY (ARRAY(
      SELECT d.id FROM account.webhook_delivery d
      JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.status = 'disabled'
      WHERE d.due_at IS NOT NULL LIMIT $1 FOR UPDATE OF d SKIP LOCKED
    )) RETURNING 1`,
}

const reviveOfEnabled: Statement = {
  name: 'webhook-deliveries-revive',
  text: `
    UPDATE account.webhook_delivery SET due_at = greatest(now(), lease_until) WHERE id = ANY (ARRAY(
      SELECT d.id FROM account.webhook_delivery d
      JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.status = 'enabled'
      WHERE d.status = 'pending' AND d.due_at IS NULL LIMIT $1 FOR UPDATE OF d SKIP LOCKED
    )) RETURNING 1`,
}

/**
 * Handles deliveries that were queued or tried while their endpoint was deleted, disabled or
 * enabled, and those beyond the limit of one change: up to `limit` of each kind. Returns the
 * largest number of one kind.
 */
export async function sweepBacklog(database: Database, limit: number): Promise<number> {
  const counts: number[] = []
  for (const statement of [dropOrphans, parkOfDisabled, reviveOfEnabled]) {
    counts.push((await database.query(statement, [limit])).length)
  }
  return Math.max(...counts)
}
