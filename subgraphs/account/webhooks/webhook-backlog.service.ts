import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database, Statement } from '../../shared/database/database.ts'

/** Of one endpoint, within one change; the sweep has the rest. */
const maxAtOnce = 10_000

/**
 * Deliveries of one endpoint. Whoever records an attempt locks its delivery before the endpoint, so
 * those that are locked are left to the sweep: waiting for them could be a deadlock.
 */
const pendingOf = (condition: string) => `
  SELECT id FROM account.webhook_delivery WHERE endpoint_id = ? AND status = 'pending' AND ${condition}
  LIMIT ${maxAtOnce} FOR UPDATE SKIP LOCKED`

/** What an endpoint that is deleted was still to be sent. */
export async function dropPending(tx: SqlEntityManager, endpointId: string): Promise<void> {
  // Each has an index of its own.
  for (const pending of [pendingOf('due_at IS NOT NULL'), pendingOf('due_at IS NULL')]) {
    await tx.execute(`DELETE FROM account.webhook_delivery WHERE id IN (${pending})`, [endpointId])
  }
}

/** Takes what waits for a disabled endpoint out of the way of dispatchers. */
export async function parkPending(tx: SqlEntityManager, endpointId: string): Promise<void> {
  const due = pendingOf('due_at IS NOT NULL')
  await tx.execute(`UPDATE account.webhook_delivery SET due_at = NULL WHERE id IN (${due})`, [
    endpointId,
  ])
}

/** Makes what was parked due; what is being tried, once that is over. */
export async function revivePending(tx: SqlEntityManager, endpointId: string): Promise<void> {
  const parked = pendingOf('due_at IS NULL')
  await tx.execute(
    `UPDATE account.webhook_delivery SET due_at = greatest(now(), lease_until)
     WHERE id IN (${parked})`,
    [endpointId],
  )
}

const dropOrphans: Statement = {
  name: 'webhook-deliveries-drop-orphans',
  text: `
    DELETE FROM account.webhook_delivery WHERE id IN (
      SELECT d.id FROM account.webhook_delivery d WHERE d.due_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM account.webhook_endpoint e WHERE e.id = d.endpoint_id)
      LIMIT $1 FOR UPDATE OF d SKIP LOCKED
    ) RETURNING 1`,
}

const parkOfDisabled: Statement = {
  name: 'webhook-deliveries-park',
  text: `
    UPDATE account.webhook_delivery SET due_at = NULL WHERE id IN (
      SELECT d.id FROM account.webhook_delivery d
      JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.status = 'disabled'
      WHERE d.due_at IS NOT NULL LIMIT $1 FOR UPDATE OF d SKIP LOCKED
    ) RETURNING 1`,
}

const reviveOfEnabled: Statement = {
  name: 'webhook-deliveries-revive',
  text: `
    UPDATE account.webhook_delivery SET due_at = greatest(now(), lease_until) WHERE id IN (
      SELECT d.id FROM account.webhook_delivery d
      JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.status = 'enabled'
      WHERE d.status = 'pending' AND d.due_at IS NULL LIMIT $1 FOR UPDATE OF d SKIP LOCKED
    ) RETURNING 1`,
}

/**
 * What was queued or tried while its endpoint was deleted, disabled or enabled, and what was more than
 * one change takes: up to `limit` of each kind. Returns the most of one.
 */
export async function sweepBacklog(database: Database, limit: number): Promise<number> {
  const counts: number[] = []
  for (const statement of [dropOrphans, parkOfDisabled, reviveOfEnabled]) {
    counts.push((await database.query(statement, [limit])).length)
  }
  return Math.max(...counts)
}
