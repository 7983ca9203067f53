import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { open } from '../../../schema/credentials/secrets.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { makeChange } from '../../shared/changes/change.ts'
import { newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Statement, Transaction } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { insertEvent, messageOf } from './event.service.ts'
import { keptAnswerDays } from './webhook-answers.ts'
import type {
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEvent,
} from './webhook-delivery.type.ts'
import { noSuchEndpoint, secretKeyOf } from './webhook-endpoint.service.ts'
import { WebhookEndpointStatus } from './webhook-endpoint.type.ts'
import { queueFor } from './webhook-fan-out.service.ts'
import { summaryDays, type WebhookQueue, type WebhookSummary } from './webhook-summary.type.ts'

/** The stored form of an attempt. */
export interface StoredAttempt {
  /** ISO 8601. */
  readonly attemptedAt: string
  readonly statusCode: number | null
  readonly latencyMs: number
  readonly failure: string | null
  /** Without the signature; null: the request was not sent. */
  readonly requestHeaders: Readonly<Record<string, string>> | null
}

interface DeliveryRow extends Omit<WebhookDelivery, 'attempts' | 'payload'> {
  readonly attempts: readonly StoredAttempt[]
  /** The event of the delivery; null once it is forgotten. */
  readonly event: { readonly happenedAt: string; readonly data: object } | null
  /** Sealed texts of answers, by the number of their attempt. */
  readonly answers: Readonly<Record<string, string>> | null
}

const columns = `d.id, d.event_id AS "eventId", d.event_type AS "eventType", d.status,
  d.attempt_count AS "attemptCount", d.attempts,
  CASE WHEN e.status = 'enabled' THEN d.due_at END AS "nextAttemptAt", d.created_at AS "createdAt",
  CASE WHEN v.id IS NOT NULL THEN
    jsonb_build_object('happenedAt', v.created_at, 'data', v.data) END AS event,
  (SELECT jsonb_object_agg(a.attempt, a.sealed_text) FROM account.webhook_answer a
    WHERE a.account_id = d.account_id AND a.delivery_id = d.id
      AND a.created_at > now() - interval '${keptAnswerDays} days') AS answers`

const fromEndpoint = `FROM account.webhook_delivery d
  JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.account_id = d.account_id
  LEFT JOIN account.event v ON v.id = d.event_id AND v.account_id = d.account_id
  WHERE d.endpoint_id = $1 AND d.account_id = $2 AND d.environment = $3`

/** Which deliveries of an endpoint; a null filter has no effect. */
interface AskedDeliveries {
  readonly endpointId: string
  readonly status: WebhookDeliveryStatus | null
  readonly eventType: string | null
}

/**
 * Reads deliveries, newest first. Each combination of filters has a statement, because failed deliveries, and those of
 * a type, have an index of their own.
 */
const deliveriesNewestFirst = ({ status, eventType }: AskedDeliveries): Statement => ({
  name: `webhook-deliveries ${status ?? ''} ${eventType === null ? '' : 'of a type'}`.trim(),
  text: `SELECT ${columns} ${fromEndpoint} AND ($4::text IS NULL OR d.id < $4)
    ${status === null ? '' : `AND d.status = '${status}'`}
    ${eventType === null ? '' : 'AND d.event_type = $6'}
    ORDER BY d.id DESC LIMIT $5`,
})

const deliveryOf: Statement = {
  name: 'webhook-delivery-of',
  text: `SELECT ${columns} ${fromEndpoint} AND d.id = $4`,
}

const eventWithDeliveries: Statement = {
  name: 'webhook-event-with-deliveries',
  text: `SELECT v.id, v.type, v.created_at AS "createdAt",
      (SELECT coalesce(jsonb_agg(to_jsonb(f)), '[]') FROM (
        SELECT d.id, d.endpoint_id AS "endpointId", d.status FROM account.webhook_delivery d
          JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.account_id = d.account_id
        WHERE d.event_id = v.id AND d.account_id = v.account_id ORDER BY d.id DESC LIMIT 20) f) AS deliveries
    FROM account.event v WHERE v.id = $1 AND v.account_id = $2 AND v.environment = $3`,
}

/** An event with its deliveries. Throws NOT_FOUND for one that is forgotten, or of another account. */
export async function readEvent(
  database: Database,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<WebhookEvent> {
  const key = [id, accountId, environment]
  const [event] = await database.query<WebhookEvent>(eventWithDeliveries, key)
  if (!event) throw new DomainError('NOT_FOUND', 'No event has this id.')
  return event
}

const endpointExists: Statement = {
  name: 'webhook-endpoint-is-there',
  text: `SELECT 1 FROM account.webhook_endpoint
    WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

/** Reads deliveries for the caller: only who may change webhooks sees what their receivers answer. */
function toDelivery(
  { caller, gatewaySecret }: GraphContext,
  accountId: string,
  { event, answers, ...row }: DeliveryRow,
): WebhookDelivery {
  const mayRead = caller.kind === 'account' && coversScope(caller.scopes, 'webhooks:write')
  const key = secretKeyOf(gatewaySecret)
  const { id, eventId, eventType: type, attemptCount } = row
  const attempts = row.attempts.map((attempt, index) => {
    const sealed = mayRead ? answers?.[attemptCount - index] : undefined
    const responseText = sealed === undefined ? null : open(key, sealed, id)
    return { ...attempt, attemptedAt: new Date(attempt.attemptedAt), responseText }
  })
  const payload = event && messageOf({ ...event, eventId, type, accountId })
  return { ...row, attempts, payload }
}

async function requireEndpoint(
  database: Pick<Database, 'query'>,
  of: readonly string[],
): Promise<void> {
  const [found] = await database.query(endpointExists, of)
  if (!found) throw noSuchEndpoint()
}

/**
 * The deliveries to one endpoint, newest first. Throws NOT_FOUND for another account's endpoint.
 */
export async function deliveriesOf(
  context: GraphContext,
  { accountId, environment }: AccountScope,
  asked: AskedDeliveries,
): Promise<PagedList<WebhookDelivery>> {
  const { database } = context
  const { endpointId, eventType } = asked
  const of = [endpointId, accountId, environment]
  await requireEndpoint(database, of)
  return {
    name: `webhook-deliveries/${endpointId}`,
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [...of, before, limit, ...(eventType === null ? [] : [eventType])]
      const rows = await database.query<DeliveryRow>(deliveriesNewestFirst(asked), values)
      return rows.map((row) => toDelivery(context, accountId, row))
    },
  }
}

/** One delivery to an endpoint. Throws NOT_FOUND for that of another endpoint, and for another account's endpoint. */
export async function getDelivery(
  context: GraphContext,
  { accountId, environment }: AccountScope,
  { endpointId, id }: { readonly endpointId: string; readonly id: string },
): Promise<WebhookDelivery> {
  const { database } = context
  const of = [endpointId, accountId, environment]
  const [row] = await database.query<DeliveryRow>(deliveryOf, [...of, id])
  if (row) return toDelivery(context, accountId, row)
  await requireEndpoint(database, of)
  throw noSuchDelivery()
}

export function noSuchDelivery(): DomainError {
  return new DomainError('NOT_FOUND', 'No delivery has this id.')
}

const endpointStatus: Statement = {
  name: 'webhook-endpoint-status',
  text: `SELECT status FROM account.webhook_endpoint
    WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

/** Throws NOT_FOUND for an unknown endpoint, and CONFLICT for a disabled one. */
export async function requireEnabled(
  tx: Transaction,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<void> {
  const values = [id, accountId, environment]
  const [endpoint] = await tx.query<{ status: string }>(endpointStatus, values)
  if (!endpoint) throw noSuchEndpoint()
  if (endpoint.status === WebhookEndpointStatus.enabled) return
  throw new DomainError('CONFLICT', 'This webhook endpoint is disabled.')
}

/** Queues `webhook.test` for one endpoint, of any types. Throws NOT_FOUND and CONFLICT as above. */
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

const summaryOf: Statement = {
  name: 'webhook-summary',
  text: `
    SELECT count(DISTINCT e.id) AS endpoints,
      count(DISTINCT e.id) FILTER (WHERE e.status = 'disabled') AS disabled,
      coalesce(sum(n.tried), 0)::float8 AS tried,
      coalesce(sum(n.arrived), 0)::float8 AS arrived
    FROM account.webhook_endpoint e
    LEFT JOIN account.webhook_day n ON n.endpoint_id = e.id AND n.day > current_date - $3::int
    WHERE e.account_id = $1 AND e.environment = $2`,
}

interface DeliveryCounts extends Omit<WebhookSummary, 'deliveryRate'> {
  readonly tried: number
  readonly arrived: number
}

/** Counts the endpoints, and their deliveries of seven days. */
export async function summarize(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<WebhookSummary> {
  const values = [accountId, environment, summaryDays]
  const [counts] = await database.query<DeliveryCounts>(summaryOf, values)
  if (!counts) throw new Error('A count returned no row.')
  const { tried, arrived, ...endpoints } = counts
  return { ...endpoints, deliveryRate: tried === 0 ? null : arrived / tried }
}

const queueOfAll: Statement = {
  name: 'webhook-queue',
  text: `
    SELECT count(*)::int AS waiting,
      coalesce(extract(epoch FROM now() - min(d.due_at) FILTER (WHERE NOT e.is_suspect)), 0)::float8
        AS "oldestSeconds"
    FROM account.webhook_delivery d
    JOIN account.webhook_endpoint e ON e.id = d.endpoint_id AND e.status = 'enabled'
    WHERE d.status = 'pending' AND d.due_at <= now()
      AND coalesce(d.lease_until <= now(), true)`,
}

/**
 * Counts the due deliveries of all accounts that no dispatcher has. The age covers endpoints that
 * are not suspect: the others get one attempt at a time, so their deliveries wait.
 */
export async function queueOf(database: Database): Promise<WebhookQueue> {
  const [row] = await database.query<WebhookQueue>(queueOfAll, [])
  if (!row) throw new Error('A count returned no row.')
  return row
}
