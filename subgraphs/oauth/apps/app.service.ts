import { LockMode, raw } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { AccountCaller, Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { WebhookEventData } from '../../../schema/vocabulary/webhook-events.ts'
import { makeChange, type Owner } from '../../shared/changes/change.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database } from '../../shared/database/database.ts'
import { everyone } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { OAuthAppEntity } from './app.entity.ts'
import { type RegisterOAuthAppInput, TokenEndpointAuthMethod } from './app.type.ts'
import { scopesToRegister, toAppDetails } from './app-details.ts'

/** The apps of an account, suspended ones too, newest first. */
export function appsOf(
  database: Database,
  { accountId, environment }: Owner,
): PagedList<OAuthAppEntity> {
  const owned = { accountId, environment }
  return {
    name: 'oauth-apps',
    owner: owned,
    positionOf: ({ clientId }) => clientId,
    read({ limit, before }) {
      const where = before ? { ...owned, clientId: { $lt: before } } : owned
      return database.transaction((tx) =>
        tx.find(OAuthAppEntity, where, { orderBy: { clientId: 'desc' }, limit }),
      )
    },
  }
}

/** An app and the only sight of its secret; a public one has none. */
export interface RegisteredApp {
  readonly app: OAuthAppEntity
  readonly clientSecret: string | null
}

/** What is remembered of a registration with a reference: no secret. */
interface Registration {
  readonly clientId: string
  /** The request that gave the app its secret: ids of requests ascend. */
  readonly requestId: string
}

const registration = 'oauth_app.create'

/**
 * Registers an app of the caller's account; it can ask for nothing that the calling key cannot do. With
 * `once`, what an attempt before has left is this app, with another secret: nobody was shown its first.
 */
export async function registerApp(
  context: GraphContext,
  input: RegisterOAuthAppInput,
  once: OnceInput | null,
): Promise<RegisteredApp> {
  const caller = requireAccount(context)
  const { accountId, environment, requestId } = caller
  const scopes = scopesToRegister(input, caller.scopes)
  const made: RegisteredApp[] = []
  const change = {
    ...{ owner: { accountId, environment }, action: registration, once },
    // Another key of the account may mean other scopes by the same words.
    request: { input, scopes },
    note: ({ clientId }: Registration) => ({
      resourceId: clientId,
      details: { client_name: input.clientName, application_type: input.applicationType, scopes },
    }),
  }
  const { clientId } = await makeChange(context, change, async (tx): Promise<Registration> => {
    const details = toAppDetails(input, scopes, caller.scopes)
    await requireRoom(tx, { accountId, environment })
    const clientSecret = newSecret(context.keyPrefix, details.tokenEndpointAuthMethod)
    const app = tx.create(OAuthAppEntity, {
      ...{ ...details, clientId: newId('app'), accountId, environment },
      secretHash: clientSecret && sha256(clientSecret),
    })
    await tx.flush()
    made.push({ app, clientSecret })
    const { clientId, clientName, applicationType } = app
    const data = { client_id: clientId, client_name: clientName, scope: scopes.join(' ') }
    const event = { ...data, application_type: applicationType }
    await announce(tx, [newEvent(change.owner, 'oauth_app.created', event)])
    return { clientId: app.clientId, requestId }
  })
  return made[0] ?? takeUp(context, caller, { clientId, once })
}

/** Their redirect URIs are what browsers' origins are compared with. */
const maxActiveApps = 100

/** Throws CONFLICT where an account has as many apps as it may; one may be suspended to make room. */
async function requireRoom(tx: SqlEntityManager, owned: Owner): Promise<void> {
  const { accountId, environment } = owned
  await tx.execute('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `oauth-apps/${accountId}/${environment}`,
  ])
  const active = await tx.count(OAuthAppEntity, { ...owned, suspendedAt: null })
  if (active < maxActiveApps) return
  throw new DomainError('CONFLICT', `An account has at most ${maxActiveApps} apps; suspend one.`)
}

function newSecret(keyPrefix: string, method: TokenEndpointAuthMethod): string | null {
  return method === TokenEndpointAuthMethod.none ? null : newOAuthSecret(keyPrefix, 'ocs')
}

interface Attempt {
  readonly clientId: string
  readonly once: OnceInput | null
}

/** Gives the app that an attempt before has left another secret. */
function takeUp(
  context: GraphContext,
  caller: AccountCaller,
  { clientId, once }: Attempt,
): Promise<RegisteredApp> {
  const { accountId, environment } = caller
  const change = { owner: { accountId, environment }, action: registration, resourceId: clientId }
  return makeChange(context, change, async (tx) => {
    await outrunAttempts(tx, caller, once?.reference ?? '')
    const app = await getApp(tx, caller, clientId)
    const clientSecret = newSecret(context.keyPrefix, app.tokenEndpointAuthMethod)
    if (clientSecret) tx.assign(app, { secretHash: sha256(clientSecret) })
    await tx.flush()
    return { app, clientSecret }
  })
}

/**
 * An attempt that stood still, until its hold was over and a retry had its answer, must not change the
 * secret of that answer. Only the ids of requests tell which of them is the later one.
 */
async function outrunAttempts(
  tx: SqlEntityManager,
  { accountId, environment, requestId }: AccountCaller,
  reference: string,
): Promise<void> {
  const outrun = await tx.execute<object[]>(
    `UPDATE oauth.done_change SET result = jsonb_set(result, '{requestId}', to_jsonb(?::text))
     WHERE account_id = ? AND environment = ? AND reference = ?
       AND (result ->> 'requestId') COLLATE "C" <= ? RETURNING 1`,
    [requestId, accountId, environment, reference, requestId],
  )
  if (outrun.length > 0) return
  throw new DomainError(
    'IDEMPOTENCY_CONFLICT',
    'A later attempt with this idempotency key has taken the place of this one.',
  )
}

/** Throws NOT_FOUND for another account's app too, so that ids cannot be probed. */
async function getApp(
  tx: SqlEntityManager,
  { accountId, environment }: Owner,
  clientId: string,
): Promise<OAuthAppEntity> {
  // Whoever approves the app meanwhile refers to its row, and so comes before or after.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const app = await tx.findOne(OAuthAppEntity, { clientId, accountId, environment }, { lockMode })
  if (!app) throw new DomainError('NOT_FOUND', 'No OAuth app has this id.')
  return app
}

/** An app, and whose grants ended with it. */
export interface SuspendedApp {
  readonly app: OAuthAppEntity
  readonly accountIds: readonly string[]
}

/**
 * Suspends an app of the caller's account; suspending again changes nothing. Every consent to it and
 * every grant ends, whoever's it is, and with a grant its codes and tokens.
 */
export function suspendApp(context: GraphContext, clientId: string): Promise<SuspendedApp> {
  const { accountId, environment } = requireAccount(context)
  const owner = { accountId, environment }
  let isNews = false
  const change = {
    ...{ owner, action: 'oauth_app.suspend', resourceId: clientId },
    note: ({ accountIds }: SuspendedApp) =>
      isNews ? { details: { accounts_affected: accountIds.length } } : null,
  }
  // The app is the caller's, but those who approved it are others.
  const wide = { ...context, database: context.database.as(everyone) }
  return makeChange(wide, change, async (tx) => {
    const app = await getApp(tx, owner, clientId)
    if (app.suspendedAt) return { app, accountIds: [] }
    isNews = true
    tx.assign(app, { suspendedAt: raw('now()') })
    await tx.flush()
    const named = { client_id: clientId, client_name: app.clientName }
    await announce(tx, [newEvent(owner, 'oauth_app.suspended', named)])
    return { app, accountIds: await endGrantsOf(tx, named) }
  })
}

interface ConsentRow {
  readonly account_id: string
  readonly environment: Environment
}

/** Consents first, as whoever withdraws one does. Returns the accounts whose grants have ended. */
async function endGrantsOf(
  tx: SqlEntityManager,
  app: Pick<WebhookEventData<'consent.revoked'>, 'client_id' | 'client_name'>,
): Promise<string[]> {
  const clientId = app.client_id
  const consents = await tx.execute<ConsentRow[]>(
    `UPDATE oauth.consent SET revoked_at = now() WHERE client_id = ? AND revoked_at IS NULL
     RETURNING account_id, environment`,
    [clientId],
  )
  const revoked = { ...app, reason: 'app_suspended' } as const
  const events = consents.map(({ account_id: accountId, environment }) =>
    newEvent({ accountId, environment }, 'consent.revoked', revoked),
  )
  await announce(tx, events)
  const ended = await tx.execute<{ account_id: string }[]>(
    `UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'app_suspended'
     WHERE client_id = ? AND revoked_at IS NULL RETURNING account_id`,
    [clientId],
  )
  return [...new Set(ended.map(({ account_id }) => account_id))]
}
