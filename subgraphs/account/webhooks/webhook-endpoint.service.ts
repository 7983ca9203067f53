import { createHash } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { deriveKey, open, seal } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { makeChange, type Owner } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement } from '../../shared/database/database.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { AccountContext } from '../settings/account-settings.ts'
import { endpointUrlProblem } from './sender/endpoint-url.ts'
import { newWebhookSecret } from './sender/webhook-secret.ts'
import { dropPending, parkPending, revivePending } from './webhook-backlog.service.ts'
import type {
  ChangeWebhookEndpointInput,
  CreatedWebhookEndpoint,
  CreateWebhookEndpointInput,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointStatus,
} from './webhook-endpoint.type.ts'
import { webhookChannel } from './webhook-fan-out.service.ts'
import { openUrl, sealFormerUrl, sealFormerUrls, sealUrl, unknownUrl } from './webhook-url.ts'

/** Of one account and environment. */
const maxEndpoints = 20

const columns = 'id, url, events, description, status, failing_since, created_at'

/** Instants are text within a transaction. */
interface EndpointRow {
  readonly id: string
  /** Sealed. */
  readonly url: string
  readonly events: string[]
  readonly description: string | null
  readonly status: WebhookEndpointStatus
  readonly failing_since: Date | string | null
  readonly created_at: Date | string
}

function toEndpoint(key: Uint8Array, row: EndpointRow): WebhookEndpoint {
  const { failing_since, created_at, ...endpoint } = row
  return {
    ...endpoint,
    url: openUrl(key, endpoint.url, endpoint.id) ?? unknownUrl,
    failingSince: failing_since === null ? null : new Date(failing_since),
    createdAt: new Date(created_at),
  }
}

const endpointsNewestFirst: Statement = {
  name: 'webhook-endpoints-newest-first',
  text: `SELECT ${columns} FROM account.webhook_endpoint
    WHERE account_id = $1 AND environment = $2 AND ($3::text IS NULL OR id < $3)
    ORDER BY id DESC LIMIT $4`,
}

/** Where an account's events go, newest first. */
export function endpointsOf(
  { database, gatewaySecret }: EndpointContext,
  { accountId, environment }: Owner,
): PagedList<WebhookEndpoint> {
  const key = secretKeyOf(gatewaySecret)
  return {
    name: 'webhooks',
    owner: { accountId, environment },
    positionOf: ({ id }) => id,
    async read({ limit, before }) {
      const values = [accountId, environment, before, limit]
      const rows = await database.query<EndpointRow>(endpointsNewestFirst, values)
      await sealFormerUrls(database, key, rows)
      return rows.map((row) => toEndpoint(key, row))
    },
  }
}

type EndpointContext = Pick<AccountContext, 'database' | 'gatewaySecret'>

/** What is remembered of a change with a reference: no secret. */
interface Changed {
  readonly id: string
}

const noteOf = ({ id }: Changed) => ({ resourceId: id })

/**
 * Creates an endpoint of the caller's account. Throws INVALID_REQUEST for an address that nothing may be
 * sent to, and CONFLICT where there are as many as there may be. With `once`, what an attempt before has
 * left is this one: nobody was shown its secret.
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
    await tx.execute(
      `INSERT INTO account.webhook_endpoint
         (id, account_id, environment, url, events, description, sealed_secret)
       VALUES (?, ?, ?, ?, ?::text[], ?, ?)`,
      [id, accountId, environment, url, toArray(events), description, newSecret(context, id)],
    )
    return { id }
  })
  const { former_until: _, ...created } = await revealed(context, owner, id)
  return created
}

/** What tells one request from another is kept in the clear; an address may hold a secret of its receiver. */
function withoutUrl({ url, ...input }: CreateWebhookEndpointInput): object {
  return { ...input, urlHash: createHash('sha256').update(url).digest('hex') }
}

/** As long as nobody has decided otherwise. */
const strict = { allowsLoopback: false, allowsHttp: false }

function requireUrl({ webhooks }: AccountContext, url: string): void {
  const problem = endpointUrlProblem(url, webhooks ?? strict)
  requireAll([['url', problem === null, problem ?? '']])
}

/** One at a time for each owner, so that the limit holds. */
async function requireRoom(tx: SqlEntityManager, { accountId, environment }: Owner): Promise<void> {
  const lock = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))'
  await tx.execute(lock, [`webhooks/${accountId}/${environment}`])
  const existing = await tx.execute<object[]>(
    'SELECT 1 FROM account.webhook_endpoint WHERE account_id = ? AND environment = ?',
    [accountId, environment],
  )
  if (existing.length < maxEndpoints) return
  throw new DomainError('CONFLICT', `An account has at most ${maxEndpoints} webhook endpoints.`)
}

/** Types of events have neither braces nor commas, quotes or backslashes. */
function toArray(events: readonly string[]): string {
  return `{${[...new Set(events)].join(',')}}`
}

/** Sealed for the endpoint that it is of. */
function newSecret({ gatewaySecret }: AccountContext, endpointId: string): string {
  return seal(secretKeyOf(gatewaySecret), newWebhookSecret(), endpointId)
}

/** What secrets and addresses of endpoints are sealed with. */
export function secretKeyOf(gatewaySecret: string): Uint8Array {
  return deriveKey(gatewaySecret, 'webhook-secret')
}

interface SecretRow extends EndpointRow {
  readonly sealed_secret: string
  readonly former_until: Date | null
}

const endpointWithSecret: Statement = {
  name: 'webhook-endpoint-with-secret',
  text: `SELECT ${columns}, sealed_secret,
      CASE WHEN former_until > now() THEN former_until END AS former_until
    FROM account.webhook_endpoint WHERE id = $1 AND account_id = $2 AND environment = $3`,
}

/** As its owner sees it once. Throws NOT_FOUND where it was deleted meanwhile. */
async function revealed(
  { database, gatewaySecret }: AccountContext,
  { accountId, environment }: Owner,
  id: string,
) {
  const values = [id, accountId, environment]
  const [row] = await database.query<SecretRow>(endpointWithSecret, values)
  if (!row) throw noSuchEndpoint()
  const { sealed_secret, former_until, ...endpoint } = row
  const secret = open(secretKeyOf(gatewaySecret), sealed_secret, id)
  if (secret === null)
    throw new Error(`The secret of ${id} was sealed with another GATEWAY_SECRET.`)
  return Object.assign(toEndpoint(secretKeyOf(gatewaySecret), endpoint), { secret, former_until })
}

export function noSuchEndpoint(): DomainError {
  return new DomainError('NOT_FOUND', 'No webhook endpoint has this id.')
}

/**
 * Changes what is named. Whatever made it fail may be over with another address or by enabling it: it
 * starts as one that never failed. Throws NOT_FOUND for another account's too.
 */
export function changeEndpoint(
  context: AccountContext,
  id: string,
  input: ChangeWebhookEndpointInput,
): Promise<WebhookEndpoint> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  const { url = null, events, description, status = null } = input
  // An address may hold a secret of its receiver.
  const origin = url === null ? undefined : URL.parse(url)?.origin
  const note = () => ({ details: { url: origin, events, description, status } })
  const change = { owner, action: 'webhook.update', resourceId: id, note }
  const key = secretKeyOf(context.gatewaySecret)
  return makeChange(context, change, async (tx) => {
    if (url !== null) requireUrl(context, url)
    const stored = await storedUrl(tx, { owner, id })
    const isMoved = url !== null && url !== openUrl(key, stored, id)
    const sealed = url === null ? sealFormerUrl(key, stored, id) : sealUrl(key, url, id)
    const [row] = await tx.execute<EndpointRow[]>(
      `UPDATE account.webhook_endpoint SET url = ?,
         events = coalesce(?::text[], events),
         description = CASE WHEN ? THEN ? ELSE description END,
         status = coalesce(?, status),
         failing_since = CASE WHEN ? OR ? = 'enabled' THEN NULL ELSE failing_since END
       WHERE id = ? AND account_id = ? AND environment = ? RETURNING ${columns}`,
      [
        ...[sealed, events ? toArray(events) : null],
        ...[description !== undefined, description ?? null],
        ...[status, isMoved, status, id, accountId, environment],
      ],
    )
    if (!row) throw noSuchEndpoint()
    if (status === 'disabled') await parkPending(tx, id)
    if (status === 'enabled') await revivePending(tx, id)
    await tx.execute(`SELECT pg_notify('${webhookChannel}', '')`)
    return toEndpoint(key, row)
  })
}

interface OwnedEndpoint {
  readonly owner: Owner
  readonly id: string
}

/** The address as it is stored; nobody else changes it until this transaction is over. */
async function storedUrl(tx: SqlEntityManager, { owner, id }: OwnedEndpoint): Promise<string> {
  const [row] = await tx.execute<Pick<EndpointRow, 'url'>[]>(
    `SELECT url FROM account.webhook_endpoint WHERE id = ? AND account_id = ? AND environment = ?
     FOR NO KEY UPDATE`,
    [id, owner.accountId, owner.environment],
  )
  if (!row) throw noSuchEndpoint()
  return row.url
}

/** Its deliveries cannot be seen any more, and those that are pending are dropped. */
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
  // What is remembered of it is sealed as well: an address may hold a secret of its receiver.
  const deleted = await makeChange(context, change, async (tx) => {
    const [row] = await tx.execute<EndpointRow[]>(
      `DELETE FROM account.webhook_endpoint WHERE id = ? AND account_id = ? AND environment = ?
       RETURNING ${columns}`,
      [id, accountId, environment],
    )
    if (!row) throw noSuchEndpoint()
    await dropPending(tx, id)
    const { url, ...endpoint } = toEndpoint(key, row)
    return { ...endpoint, url: sealUrl(key, url, id) }
  })
  return Object.assign(deleted, { url: openUrl(key, deleted.url, id) ?? unknownUrl })
}

interface Rotation {
  /** For so long the secret before signs too. */
  readonly overlapSeconds: number
  readonly once: OnceInput | null
}

const maxOverlapSeconds = 7 * 24 * 3600

/** Another secret; of those before only the last may still sign. */
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
    const rotated = await tx.execute<object[]>(
      `UPDATE account.webhook_endpoint SET sealed_secret = ?, former_secret = sealed_secret,
         former_until = now() + make_interval(secs => ?)
       WHERE id = ? AND account_id = ? AND environment = ? RETURNING 1`,
      [newSecret(context, id), overlapSeconds, id, accountId, environment],
    )
    if (rotated.length === 0) throw noSuchEndpoint()
    return { id }
  })
  const { former_until: previousSecretExpiresAt, ...endpoint } = await revealed(context, owner, id)
  return { ...endpoint, previousSecretExpiresAt }
}
