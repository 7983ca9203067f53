import { createHash } from 'node:crypto'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { deriveKey, open, seal } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { endpointUrlProblem } from '../../shared/outgoing/endpoint-url.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { newWebhookSecret } from './sender/webhook-secret.ts'
import { dropPending, parkPending, revivePending } from './webhook-backlog.service.ts'
import {
  type ChangeWebhookEndpointInput,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpointInput,
  type RotatedWebhookEndpoint,
  type WebhookDay,
  type WebhookEndpoint,
  WebhookEndpointStatus,
} from './webhook-endpoint.type.ts'
import { notifyDispatchers } from './webhook-fan-out.service.ts'
import { summaryDays } from './webhook-summary.type.ts'
import { openUrl, sealUrl, unknownUrl } from './webhook-url.ts'

/** The limit of one account in one environment. */
const maxEndpoints = 20

/** The days of an endpoint, oldest first: today in UTC, and the six before, where anything was tried. */
const days = `coalesce((SELECT jsonb_agg(jsonb_build_object(
      'day', to_char(n.day, 'YYYY-MM-DD'), 'tried', n.tried, 'arrived', n.arrived) ORDER BY n.day)
    FROM account.webhook_day n WHERE n.endpoint_id = webhook_endpoint.id
      AND n.day > (now() AT TIME ZONE 'UTC')::date - ${summaryDays}), '[]')`

const columns = `id, url, events, description, status, failing_since AS "failingSince",
  created_at AS "createdAt", ${days} AS "deliveryDays"`

/** A row of an endpoint, whose address is sealed. */
type StoredEndpoint = Omit<WebhookEndpoint, 'deliveryRate'>

/** Opens the stored address, and counts. */
function toEndpoint<Endpoint extends StoredEndpoint>(
  key: Uint8Array,
  stored: Endpoint,
): Endpoint & Pick<WebhookEndpoint, 'deliveryRate'> {
  const { deliveryDays } = stored
  const [tried, arrived] = [sumOf(deliveryDays, 'tried'), sumOf(deliveryDays, 'arrived')]
  const url = openUrl(key, stored.url, stored.id) ?? unknownUrl
  return { ...stored, url, deliveryRate: tried === 0 ? null : arrived / tried }
}

function sumOf(days: readonly WebhookDay[], name: 'tried' | 'arrived'): number {
  return days.reduce((sum, day) => sum + day[name], 0)
}

const endpointsNewestFirst: Statement = {
  name: 'webhook-endpoints-newest-first',
  text: `SELECT ${columns} FROM account.webhook_endpoint
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

/** The endpoints of an account, newest first. */
export function endpointsOf(
  { database, gatewaySecret }: EndpointContext,
  { accountId, environment }: AccountScope,
): PagedList<WebhookEndpoint> {
  const key = secretKeyOf(gatewaySecret)
  return {
    name: 'webhooks',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [accountId, environment, before, limit]
      const stored = await database.query<StoredEndpoint>(endpointsNewestFirst, values)
      return stored.map((endpoint) => toEndpoint(key, endpoint))
    },
  }
}

type EndpointContext = Pick<AccountContext, 'database' | 'gatewaySecret'>

/** The stored result of a change that may be repeated. It contains no secret. */
interface Changed {
  readonly id: string
}

const noteOf = ({ id }: Changed) => ({ resourceId: id })

const addEndpoint: Statement = {
  name: 'webhook-endpoint-add',
  text: `INSERT INTO account.webhook_endpoint
      (id, account_id, environment, url, events, description, sealed_secret)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
}

/**
 * Creates an endpoint of the caller's account. Throws INVALID_REQUEST for a forbidden address, and
 * CONFLICT if the account has the maximal number. With `once`, a retry returns the endpoint of the
 * first attempt, whose secret was not shown yet.
 */
export async function createEndpoint(
  context: AccountContext,
  input: CreateWebhookEndpointInput,
  once: OnceInput | null,
): Promise<CreatedWebhookEndpoint> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const change = { owner, action: 'webhook.create', once, request: withoutUrl(input), note: noteOf }
  const { id } = await makeChange(context, change, async (tx): Promise<Changed> => {
    requireUrl(context, input.url)
    await requireRoom(tx, owner)
    const id = newId('whe')
    const { events, description = null } = input
    const url = sealUrl(secretKeyOf(context.gatewaySecret), input.url, id)
    const secret = newSecret(context, id)
    const values = [id, accountId, environment, url, distinct(events), description, secret]
    await tx.query(addEndpoint, values)
    return { id }
  })
  const { previousSecretExpiresAt: _, ...created } = await revealed(context, owner, id)
  return created
}

/**
 * The stored request is not sealed, so it has a hash of the address, which may contain a secret.
 */
function withoutUrl({ url, ...input }: CreateWebhookEndpointInput): object {
  return { ...input, urlHash: createHash('sha256').update(url).digest('hex') }
}

/** The rules without settings of an operator. */
const strict = { allowsLoopback: false }

function requireUrl({ webhooks }: AccountContext, url: string): void {
  const problem = endpointUrlProblem(url, webhooks ?? strict)
  requireAll([['url', problem === null, problem ?? '']])
}

const lockEndpoints: Statement = {
  name: 'webhook-endpoints-lock',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
}

const endpointIds: Statement = {
  name: 'webhook-endpoint-ids',
  text: 'SELECT id FROM account.webhook_endpoint WHERE account_id = $1 AND environment = $2',
}

/** The endpoints of an account are created sequentially, so that the limit holds. */
async function requireRoom(
  tx: Transaction,
  { accountId, environment }: AccountScope,
): Promise<void> {
  await tx.query(lockEndpoints, [`webhooks/${accountId}/${environment}`])
  const existing = await tx.query(endpointIds, [accountId, environment])
  if (existing.length < maxEndpoints) return
  throw new DomainError('CONFLICT', `An account has at most ${maxEndpoints} webhook endpoints.`)
}

function distinct(events: readonly string[]): string[] {
  return [...new Set(events)]
}

/** A new secret, sealed for its endpoint. */
function newSecret({ gatewaySecret }: AccountContext, endpointId: string): string {
  return seal(secretKeyOf(gatewaySecret), newWebhookSecret(), endpointId)
}

/** The key that seals secrets and addresses of endpoints. */
export function secretKeyOf(gatewaySecret: string): Uint8Array {
  return deriveKey(gatewaySecret, 'webhook-secret')
}

interface EndpointWithSecret extends StoredEndpoint {
  readonly sealedSecret: string
  readonly previousSecretExpiresAt: Date | null
}

const endpointWithSecret: Statement = {
  name: 'webhook-endpoint-with-secret',
  text: `SELECT ${columns}, sealed_secret AS "sealedSecret",
      CASE WHEN former_until > now() THEN former_until END AS "previousSecretExpiresAt"
    FROM account.webhook_endpoint WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

/**
 * The endpoint with its secret, which is shown once. Throws NOT_FOUND if it was deleted meanwhile.
 */
async function revealed(
  { database, gatewaySecret }: AccountContext,
  { accountId, environment }: AccountScope,
  id: string,
): Promise<RotatedWebhookEndpoint> {
  const values = [id, accountId, environment]
  const [stored] = await database.query<EndpointWithSecret>(endpointWithSecret, values)
  if (!stored) throw noSuchEndpoint()
  const { sealedSecret, ...endpoint } = stored
  const key = secretKeyOf(gatewaySecret)
  const secret = open(key, sealedSecret, id)
  if (secret === null) {
    throw new Error(`The secret of ${id} was sealed with another GATEWAY_SECRET.`)
  }
  return { ...toEndpoint(key, endpoint), secret }
}

export function noSuchEndpoint(): DomainError {
  return new DomainError('NOT_FOUND', 'No webhook endpoint has this id.')
}

const updateEndpoint: Statement = {
  name: 'webhook-endpoint-update',
  text: `UPDATE account.webhook_endpoint SET url = $4,
      events = coalesce($5, events),
      description = CASE WHEN $6 THEN $7 ELSE description END,
      status = coalesce($8, status),
      failing_since = CASE WHEN $9 OR $8 = 'enabled' THEN NULL ELSE failing_since END
    WHERE id = $1 AND account_id = $2 AND environment = $3 RETURNING ${columns}`,
}

/**
 * Changes the given members. A new address, or enabling the endpoint, may have solved its problem,
 * so it then counts as one that never failed. Throws NOT_FOUND for another account's endpoint too.
 */
export function changeEndpoint(
  context: AccountContext,
  id: string,
  input: ChangeWebhookEndpointInput,
): Promise<WebhookEndpoint> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const { url = null, events, description, status = null } = input
  // An address may contain a secret of its receiver, so the audit trail has its origin only.
  const origin = url === null ? undefined : URL.parse(url)?.origin
  const note = () => ({ details: { url: origin, events, description, status } })
  const change = { owner, action: 'webhook.update', resourceId: id, note }
  const key = secretKeyOf(context.gatewaySecret)
  return makeChange(context, change, async (tx) => {
    if (url !== null) requireUrl(context, url)
    const stored = await storedUrl(tx, { owner, id })
    const isMoved = url !== null && url !== openUrl(key, stored, id)
    const sealed = url === null ? stored : sealUrl(key, url, id)
    const [changed] = await tx.query<StoredEndpoint>(updateEndpoint, [
      ...[id, accountId, environment, sealed, events ? distinct(events) : null],
      ...[description !== undefined, description ?? null, status, isMoved],
    ])
    if (!changed) throw noSuchEndpoint()
    if (status === WebhookEndpointStatus.disabled) await parkPending(tx, id)
    if (status === WebhookEndpointStatus.enabled) await revivePending(tx, id)
    await tx.query(notifyDispatchers, [])
    return toEndpoint(key, changed)
  })
}

interface OwnedEndpoint {
  readonly owner: AccountScope
  readonly id: string
}

const lockUrl: Statement = {
  name: 'webhook-endpoint-lock-url',
  text: `SELECT url FROM account.webhook_endpoint
    WHERE id = $1 AND account_id = $2 AND environment = $3 FOR NO KEY UPDATE`,
}

/** The stored address. The lock keeps it unchanged until this transaction ends. */
async function storedUrl(tx: Transaction, { owner, id }: OwnedEndpoint): Promise<string> {
  const values = [id, owner.accountId, owner.environment]
  const [stored] = await tx.query<{ url: string }>(lockUrl, values)
  if (!stored) throw noSuchEndpoint()
  return stored.url
}

const removeEndpoint: Statement = {
  name: 'webhook-endpoint-delete',
  text: `DELETE FROM account.webhook_endpoint
    WHERE id = $1 AND account_id = $2 AND environment = $3 RETURNING ${columns}`,
}

/** Deletes an endpoint and its pending deliveries. Its other deliveries are no longer visible. */
export async function deleteEndpoint(
  context: AccountContext,
  id: string,
  once: OnceInput | null,
): Promise<WebhookEndpoint> {
  const { accountId, environment } = requireAccount(context)
  const change = {
    ...{ owner: { accountId, environment }, action: 'webhook.delete', resourceId: id },
    ...{ once, request: { id } },
  }
  const key = secretKeyOf(context.gatewaySecret)
  // The address in the stored result is sealed too, because it may contain a secret of its
  // receiver.
  const deleted = await makeChange(context, change, async (tx) => {
    const [removed] = await tx.query<StoredEndpoint>(removeEndpoint, [id, accountId, environment])
    if (!removed) throw noSuchEndpoint()
    await dropPending(tx, id)
    return { ...removed, url: sealUrl(key, toEndpoint(key, removed).url, id) }
  })
  return toEndpoint(key, deleted)
}

interface Rotation {
  /** The time for which the previous secret signs too. */
  readonly overlapSeconds: number
  readonly once: OnceInput | null
}

const maxOverlapSeconds = 7 * 24 * 3600

const replaceSecret: Statement = {
  name: 'webhook-endpoint-replace-secret',
  text: `UPDATE account.webhook_endpoint SET sealed_secret = $4, former_secret = sealed_secret,
      former_until = now() + make_interval(secs => $5)
    WHERE id = $1 AND account_id = $2 AND environment = $3 RETURNING 1`,
}

/** Replaces the secret. Only the last of the previous secrets may still sign. */
export async function rotateSecret(
  context: AccountContext,
  id: string,
  { overlapSeconds, once }: Rotation,
): Promise<RotatedWebhookEndpoint> {
  const isPossible = overlapSeconds >= 0 && overlapSeconds <= maxOverlapSeconds
  requireAll([['overlap_seconds', isPossible, `must be an integer from 0 to ${maxOverlapSeconds}`]])
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const change = {
    ...{ owner, action: 'webhook.rotate', resourceId: id, once },
    ...{ request: { id, overlapSeconds }, note: () => ({ details: { overlapSeconds } }) },
  }
  await makeChange(context, change, async (tx): Promise<Changed> => {
    const values = [id, accountId, environment, newSecret(context, id), overlapSeconds]
    const rotated = await tx.query(replaceSecret, values)
    if (rotated.length === 0) throw noSuchEndpoint()
    return { id }
  })
  return revealed(context, owner, id)
}
