import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { lowestId } from '../../../schema/vocabulary/ids.ts'
import type {
  WebhookEventData,
  WebhookEventType,
} from '../../../schema/vocabulary/webhook-events.ts'
import { type NewEvent, newEvent } from '../../shared/changes/events.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { queueEventMails } from '../notifications/mail-outbox.service.ts'
import type { AccountEvent } from './event.type.ts'
import { keptAnswerDays } from './webhook-answers.ts'
import { sweepBacklog } from './webhook-backlog.service.ts'
import { fanOut } from './webhook-fan-out.service.ts'

interface Message {
  readonly eventId: string
  readonly type: string
  /** ISO 8601. */
  readonly happenedAt: string
  readonly accountId: string
  readonly data: object
}

/**
 * The message that receivers of an event get, with its members in order. `timestamp` is the name of Standard
 * Webhooks for the time of the event, `created_at` that of this API.
 */
export function messageOf({ eventId, type, happenedAt, accountId, data }: Message) {
  const at = new Date(happenedAt).toISOString()
  return { id: eventId, type, timestamp: at, created_at: at, account_id: accountId, data }
}

/** Publishes an event in the transaction of the change that it reports. */
export function publish<Type extends WebhookEventType>(
  tx: Transaction,
  owner: AccountScope,
  type: Type,
  data: WebhookEventData<Type>,
): Promise<void> {
  return store(tx, newEvent(owner, type, data))
}

/** Publishes events of other subgraphs. An event that comes repeatedly counts once. */
export function publishEvents(database: Database, events: readonly NewEvent[]): Promise<void> {
  return database.transaction(async (tx) => {
    for (const event of events) await store(tx, event)
  })
}

async function store(tx: Transaction, event: NewEvent): Promise<void> {
  if (!(await insertEvent(tx, event))) return
  await fanOut(tx, event)
  if (event.isMailed !== false) await queueEventMails(tx, event)
}

const addEvent: Statement = {
  name: 'event-add',
  text: `INSERT INTO account.event (id, account_id, environment, type, data, created_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING RETURNING 1`,
}

/** Stores the event, and returns whether it is new. */
export async function insertEvent(tx: Transaction, event: NewEvent): Promise<boolean> {
  const { id, accountId, environment, type, data, createdAt } = event
  const values = [id, accountId, environment, type, JSON.stringify(data), createdAt]
  return (await tx.query(addEvent, values)).length > 0
}

const eventsNewestFirst: Statement = {
  name: 'events-newest-first',
  text: `SELECT id, type, data, created_at AS "createdAt" FROM account.event
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

/** The published events of an account, newest first. */
export function eventsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<AccountEvent> {
  return {
    name: 'events',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    read: ({ limit, before }) =>
      database.query(eventsNewestFirst, [accountId, environment, before, limit]),
  }
}

/** Ids ascend, so an id finds the oldest deliveries. Deliveries that are still tried are kept. */
const forgetOldDeliveries: Statement = {
  name: 'webhook-deliveries-forget',
  text: `
    DELETE FROM account.webhook_delivery WHERE id = ANY (ARRAY(
      SELECT d.id FROM account.webhook_delivery d WHERE d.id < $1
        AND NOT (d.status = 'pending' AND EXISTS (
          SELECT FROM account.webhook_endpoint e WHERE e.id = d.endpoint_id AND e.status = 'enabled'))
      ORDER BY d.id LIMIT $2 FOR UPDATE OF d SKIP LOCKED
    )) RETURNING 1`,
}

/**
 * An event is kept while it has deliveries. The statement locks no row first: this would need the
 * right to change events, which no role has.
 */
const forgetOldEvents: Statement = {
  name: 'events-forget',
  text: `
    DELETE FROM account.event WHERE id = ANY (ARRAY(
      SELECT v.id FROM account.event v WHERE v.id < $1
        AND NOT EXISTS (SELECT FROM account.webhook_delivery d WHERE d.event_id = v.id)
      ORDER BY v.id LIMIT $2
    )) RETURNING 1`,
}

const forgetOldDays: Statement = {
  name: 'webhook-days-forget',
  text: `
    DELETE FROM account.webhook_day WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM account.webhook_day WHERE day < $1::timestamptz::date
      ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
}

const forgetOldAnswers: Statement = {
  name: 'webhook-answers-forget',
  text: `
    DELETE FROM account.webhook_answer WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM account.webhook_answer
      WHERE created_at <= now() - interval '${keptAnswerDays} days'
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
    )) RETURNING 1`,
}

const dayMs = 86_400_000
const usualRetentionDays = 30

/**
 * Deletes events, deliveries and their counts after the retention time, answers after seven days, and sweeps deliveries
 * that no endpoint receives, up to `limit` of each kind. Returns the largest number of one kind.
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
  const answers = await database.query(forgetOldAnswers, [limit])
  const swept = await sweepBacklog(database, limit)
  return Math.max(deliveries.length, events.length, days.length, answers.length, swept)
}
