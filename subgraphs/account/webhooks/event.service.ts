import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type {
  WebhookEventData,
  WebhookEventType,
} from '../../../schema/vocabulary/webhook-events.ts'
import type { Owner } from '../../shared/changes/change.ts'
import { type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { AccountEvent } from './event.type.ts'
import { sweepBacklog } from './webhook-backlog.service.ts'
import { fanOut } from './webhook-fan-out.service.ts'

/** Makes an event known, in the transaction of what it tells about. */
export function publish<Type extends WebhookEventType>(
  tx: SqlEntityManager,
  owner: Owner,
  type: Type,
  data: WebhookEventData<Type>,
): Promise<void> {
  return store(tx, newEvent(owner, type, data))
}

/** Those of other subgraphs: each counts once, however often it comes. */
export function publishEvents(database: Database, events: readonly NewEvent[]): Promise<void> {
  return database.transaction(async (tx) => {
    for (const event of events) await store(tx, event)
  })
}

async function store(tx: SqlEntityManager, event: NewEvent): Promise<void> {
  if (await insertEvent(tx, event)) await fanOut(tx, event)
}

/** Whether it is new. */
export async function insertEvent(tx: SqlEntityManager, event: NewEvent): Promise<boolean> {
  const { id, accountId, environment, type, data, createdAt } = event
  const inserted = await tx.execute<object[]>(
    `INSERT INTO account.event (id, account_id, environment, type, data, created_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [id, accountId, environment, type, JSON.stringify(data), createdAt],
  )
  return inserted.length > 0
}

interface EventRow {
  readonly id: string
  readonly type: string
  readonly data: Record<string, unknown>
  readonly created_at: Date
}

const eventsNewestFirst: Statement = {
  name: 'events-newest-first',
  text: `SELECT id, type, data, created_at FROM account.event
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

/** What was made known, newest first. */
export function eventsOf(
  database: Database,
  { accountId, environment }: Owner,
): PagedList<AccountEvent> {
  return {
    name: 'events',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [accountId, environment, before, limit]
      const rows = await database.query<EventRow>(eventsNewestFirst, values)
      return rows.map(({ created_at, ...event }) => ({ ...event, createdAt: created_at }))
    },
  }
}

/** Ids ascend, so the oldest are found by theirs. What is still tried is kept until that is over. */
const forgetOldDeliveries: Statement = {
  name: 'webhook-deliveries-forget',
  text: `
    DELETE FROM account.webhook_delivery WHERE id IN (
      SELECT d.id FROM account.webhook_delivery d WHERE d.id < $1
        AND NOT (d.status = 'pending' AND EXISTS (
          SELECT FROM account.webhook_endpoint e WHERE e.id = d.endpoint_id AND e.status = 'enabled'))
      ORDER BY d.id LIMIT $2 FOR UPDATE OF d SKIP LOCKED
    ) RETURNING 1`,
}

/**
 * What is still to be delivered, or may be asked for again, is kept as long as that is. No row is locked
 * first: that would take the right to change events, which nobody has.
 */
const forgetOldEvents: Statement = {
  name: 'events-forget',
  text: `
    DELETE FROM account.event WHERE id IN (
      SELECT v.id FROM account.event v WHERE v.id < $1
        AND NOT EXISTS (SELECT FROM account.webhook_delivery d WHERE d.event_id = v.id)
      ORDER BY v.id LIMIT $2
    ) RETURNING 1`,
}

const forgetOldDays: Statement = {
  name: 'webhook-days-forget',
  text: `
    DELETE FROM account.webhook_day WHERE (endpoint_id, day) IN (
      SELECT endpoint_id, day FROM account.webhook_day WHERE day < $1::timestamptz::date
      ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING 1`,
}

const dayMs = 86_400_000
const usualRetentionDays = 30

/**
 * Deletes events, deliveries and their counts that were kept long enough, and sweeps what no endpoint
 * waits for, up to `limit` of each; returns the most that went of one.
 */
export async function forgetEvents(
  database: Database,
  limit: number,
  retentionDays = usualRetentionDays,
): Promise<number> {
  const untilMs = Date.now() - retentionDays * dayMs
  const deliveries = await database.query(forgetOldDeliveries, [lowestId('whd', untilMs), limit])
  const events = await database.query(forgetOldEvents, [lowestId('evt', untilMs), limit])
  const days = await database.query(forgetOldDays, [new Date(untilMs), limit])
  const swept = await sweepBacklog(database, limit)
  return Math.max(deliveries.length, events.length, days.length, swept)
}
