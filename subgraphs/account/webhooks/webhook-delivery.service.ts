import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { makeChange, type Owner } from '../../shared/changes/change.ts'
import { newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { insertEvent } from './event.service.ts'
import type { WebhookDelivery, WebhookDeliveryStatus } from './webhook-delivery.type.ts'
import { noSuchEndpoint } from './webhook-endpoint.service.ts'
import { WebhookEndpointStatus } from './webhook-endpoint.type.ts'
import { queueFor, webhookChannel } from './webhook-fan-out.service.ts'
import type { WebhookQueue, WebhookSummary } from './webhook-summary.type.ts'

/** As it is stored. */
export interface StoredAttempt {
  /** ISO 8601. */
  readonly attemptedAt: string
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly failure: string | null
}

interface DeliveryRow {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: WebhookDeliveryStatus
  readonly attempt_count: number
  readonly attempts: readonly StoredAttempt[]
  readonly next_attempt_at: Date | null
  readonly created_at: Date
}

const columns = `d.id, d.event_id, d.event_type, d.status, d.attempt_count, d.attempts,
  CASE WHEN e.status = 'enabled' THEN d.due_at END AS next_attempt_at, d.created_at`

const fromEndpoint = `FROM account.webhook_delivery d
  JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.account_id = d.account_id
  WHERE d.endpoint_id = $1 AND d.account_id = $2 AND d.environment = $3`

const deliveriesNewestFirst: Statement = {
  name: 'webhook-deliveries-newest-first',
  text: `SELECT ${columns} ${fromEndpoint} AND ($4::text IS NULL OR d.id < $4)
    ORDER BY d.id DESC LIMIT $5`,
}

const deliveryOf: Statement = {
  name: 'webhook-delivery-of',
  text: `SELECT ${columns} ${fromEndpoint} AND d.id = $4`,
}

const isThere: Statement = {
  name: 'webhook-endpoint-is-there',
  text: `SELECT 1 FROM account.webhook_endpoint
    WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    status: row.status,
    attemptCount: row.attempt_count,
    attempts: row.attempts.map(({ attemptedAt, ...attempt }) => ({
      ...attempt,
      attemptedAt: new Date(attemptedAt),
    })),
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  }
}

/** What was sent, or is to be, to one endpoint, newest first. Throws NOT_FOUND for another account's. */
export async function deliveriesOf(
  database: Database,
  { accountId, environment }: Owner,
  endpointId: string,
): Promise<PagedList<WebhookDelivery>> {
  const of = [endpointId, accountId, environment]
  const [found] = await database.query(isThere, of)
  if (!found) throw noSuchEndpoint()
  return {
    name: `webhook-deliveries/${endpointId}`,
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [...of, before, limit]
      const rows = await database.query<DeliveryRow>(deliveriesNewestFirst, values)
      return rows.map(toDelivery)
    },
  }
}

async function getDelivery(
  { database }: GraphContext,
  { accountId, environment }: Owner,
  { endpointId, id }: { readonly endpointId: string; readonly id: string },
): Promise<WebhookDelivery> {
  const values = [endpointId, accountId, environment, id]
  const [row] = await database.query<DeliveryRow>(deliveryOf, values)
  if (!row) throw noSuchDelivery()
  return toDelivery(row)
}

function noSuchDelivery(): DomainError {
  return new DomainError('NOT_FOUND', 'No delivery has this id.')
}

/** Throws NOT_FOUND, and CONFLICT where nothing is sent. */
async function requireEnabled(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  id: string,
): Promise<void> {
  const [endpoint] = await tx.execute<{ status: string }[]>(
    `SELECT status FROM account.webhook_endpoint
     WHERE id = ? AND account_id = ? AND environment = ?`,
    [id, accountId, environment],
  )
  if (!endpoint) throw noSuchEndpoint()
  if (endpoint.status === WebhookEndpointStatus.enabled) return
  throw new DomainError('CONFLICT', 'This webhook endpoint is disabled.')
}

/** Queues `webhook.test` for one endpoint, whatever it wants. Throws NOT_FOUND and CONFLICT as above. */
export async function testEndpoint(
  context: GraphContext,
  endpointId: string,
  once: OnceInput | null,
): Promise<WebhookDelivery> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const change = {
    ...{ owner, action: 'webhook.test', resourceId: endpointId },
    ...{ once, request: { endpointId } },
  }
  const id = await makeChange(context, change, async (tx) => {
    await requireEnabled(tx, owner, endpointId)
    const event = newEvent(owner, 'webhook.test', { endpoint_id: endpointId })
    await insertEvent(tx, event)
    return queueFor(tx, event, endpointId)
  })
  return getDelivery(context, owner, { endpointId, id })
}

/**
 * Has a delivery tried again at once, with the whole schedule before it, whatever became of it; while it
 * is being tried, as soon as that is over. Throws NOT_FOUND and CONFLICT as above.
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
    const [delivery] = await tx.execute<{ endpoint_id: string }[]>(askAgain, [
      id,
      accountId,
      environment,
    ])
    if (!delivery) throw noSuchDelivery()
    await requireEnabled(tx, owner, delivery.endpoint_id)
    await tx.execute(`SELECT pg_notify('${webhookChannel}', '')`)
    return delivery.endpoint_id
  })
  return getDelivery(context, owner, { endpointId, id })
}

/** Whoever is at it at this moment has it until then. */
const askAgain = `
  UPDATE account.webhook_delivery d SET status = 'pending', tries = 0,
    is_asked_again = coalesce(d.lease_until > now(), false),
    due_at = CASE WHEN d.lease_until > now() THEN d.due_at ELSE now() END
  FROM account.webhook_endpoint e
  WHERE d.id = ? AND d.account_id = ? AND d.environment = ? AND e.id = d.endpoint_id
  RETURNING d.endpoint_id`

/** Today, in UTC, and those before. */
const summaryDays = 7

const summaryOf: Statement = {
  name: 'webhook-summary',
  text: `
    SELECT count(DISTINCT e.id) AS endpoints,
      count(DISTINCT e.id) FILTER (WHERE e.status = 'disabled') AS disabled, coalesce(sum(n.tried), 0)::float8 AS tried,
      coalesce(sum(n.arrived), 0)::float8 AS arrived
    FROM account.webhook_endpoint e
    LEFT JOIN account.webhook_day n ON n.endpoint_id = e.id AND n.day > current_date - $3::int
    WHERE e.account_id = $1 AND e.environment = $2`,
}

interface SummaryRow {
  readonly endpoints: number
  readonly disabled: number
  readonly tried: number
  readonly arrived: number
}

/** Of the deliveries to the endpoints that there are, of seven days. */
export async function summarize(
  database: Database,
  { accountId, environment }: Owner,
): Promise<WebhookSummary> {
  const [row] = await database.query<SummaryRow>(summaryOf, [accountId, environment, summaryDays])
  if (!row) throw new Error('A count came back empty.')
  const { endpoints, disabled, tried, arrived } = row
  return { endpoints, disabled, deliveryRate: tried === 0 ? null : arrived / tried }
}

const queueOfAll: Statement = {
  name: 'webhook-queue',
  text: `
    SELECT count(*)::int AS waiting,
      coalesce(extract(epoch FROM now() - min(d.due_at) FILTER (WHERE NOT e.is_suspect)), 0)::float8 AS "oldestSeconds"
    FROM account.webhook_delivery d
    JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.status = 'enabled'
    WHERE d.status = 'pending' AND d.due_at <= now()
      AND coalesce(d.lease_until <= now(), true)`,
}

/** What is due and nobody has taken up, of all accounts; suspect endpoints have one at a time, so theirs waits. */
export async function queueOf(database: Database): Promise<WebhookQueue> {
  const [row] = await database.query<WebhookQueue>(queueOfAll, [])
  if (!row) throw new Error('A count came back empty.')
  return row
}
