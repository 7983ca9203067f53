import { LockMode, raw } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { makerOf } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { WebhookEventData } from '../../../schema/vocabulary/webhook-events.ts'
import { makeChange } from '../../shared/changes/change.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import type { Statement } from '../../shared/database/statement.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { OAuthAppEntity } from './app.entity.ts'
import { type RegisterOAuthAppInput, TokenEndpointAuthMethod } from './app.type.ts'
import { scopesToRegister, toAppDetails } from './app-details.ts'

/** The apps of an account, suspended ones too, newest first. */
export function appsOf(
  database: Database,
  { accountId, environment }: AccountScope,
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

/** The stored result that answers a repeated registration; it is sealed. */
interface Registration {
  readonly clientId: string
  readonly clientSecret: string | null
}

/**
 * Registers an app of the caller's account; it can ask for nothing that the calling key cannot do. With
 * `once`, a repetition is shown the app that the first request registered, and its secret.
 */
export async function registerApp(
  context: GraphContext,
  input: RegisterOAuthAppInput,
  once: OnceInput | null,
): Promise<RegisteredApp> {
  const caller = requireAccount(context)
  const { accountId, environment } = caller
  const scopes = scopesToRegister(input, caller.scopes)
  const made: RegisteredApp[] = []
  const change = {
    ...{ owner: { accountId, environment }, action: 'oauth_app.create', once },
    isSecret: true,
    // Another key of the account may mean other scopes by the same words.
    request: { input, scopes },
    note: ({ clientId }: Registration) => ({
      resourceId: clientId,
      details: { client_name: input.clientName, application_type: input.applicationType, scopes },
    }),
  }
  const registered = await makeChange(context, change, async (tx): Promise<Registration> => {
    const details = toAppDetails(input, scopes, {
      held: caller.scopes,
      baseUrls: context.baseUrls,
    })
    await requireRoom(tx, { accountId, environment })
    const clientSecret = newSecret(context.keyPrefix, details.tokenEndpointAuthMethod)
    const app = tx.create(OAuthAppEntity, {
      ...{ ...details, clientId: newId('app'), accountId, environment },
      secretHash: clientSecret && sha256(clientSecret),
      createdBy: makerOf(caller),
    })
    await tx.flush()
    made.push({ app, clientSecret })
    const { clientId, clientName, applicationType } = app
    const data = { client_id: clientId, client_name: clientName, scope: scopes.join(' ') }
    const event = { ...data, application_type: applicationType }
    await announce(tx, [newEvent(change.owner, 'oauth_app.created', event)])
    return { clientId, clientSecret }
  })
  const { clientId, clientSecret } = registered
  return made[0] ?? { app: await readApp(context, caller, clientId), clientSecret }
}

/**
 * The most active apps of an account. The origin of a browser is compared with the redirect URIs of all of
 * them.
 */
const maxActiveApps = 100

const lockApps: Statement = {
  name: 'lock-apps',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
}

/** Throws CONFLICT when the account has as many active apps as it may have. */
async function requireRoom(tx: Transaction, owned: AccountScope): Promise<void> {
  const { accountId, environment } = owned
  await tx.query(lockApps, [`oauth-apps/${accountId}/${environment}`])
  const active = await tx.count(OAuthAppEntity, { ...owned, suspendedAt: null })
  if (active < maxActiveApps) return
  throw new DomainError('CONFLICT', `An account has at most ${maxActiveApps} apps; suspend one.`)
}

function newSecret(keyPrefix: string, method: TokenEndpointAuthMethod): string | null {
  return method === TokenEndpointAuthMethod.none ? null : newOAuthSecret(keyPrefix, 'ocs')
}

/** An app of the account. Throws NOT_FOUND for another account's app too. */
export function readApp(
  { database }: Pick<GraphContext, 'database'>,
  owner: AccountScope,
  clientId: string,
): Promise<OAuthAppEntity> {
  return database.transaction(async (tx) => {
    const app = await tx.findOne(OAuthAppEntity, { ...scopeOf(owner), clientId })
    if (!app) throw noSuchApp()
    return app
  })
}

function noSuchApp(): DomainError {
  return new DomainError('NOT_FOUND', 'No OAuth app has this id.')
}

/**
 * Locks an app against other changes and approvals until the transaction ends. Throws NOT_FOUND for another account's
 * app too, so that ids cannot be probed. Without an owner, any app is found.
 */
export async function lockApp(
  tx: Transaction,
  owner: AccountScope | null,
  clientId: string,
): Promise<OAuthAppEntity> {
  // A concurrent approval of the app refers to its row, so it commits before or after this.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const app = await tx.findOne(OAuthAppEntity, { ...owner, clientId }, { lockMode })
  if (!app) throw noSuchApp()
  return app
}

/** An app, and whose grants a change of it has ended. */
export interface EndedGrants {
  readonly app: OAuthAppEntity
  readonly accountIds: readonly string[]
}

/**
 * Suspends an app of the caller's account, or for an operator any app; suspending again changes nothing. Every consent to it
 * and the grants of all accounts end, and with each grant its codes and tokens.
 */
export function suspendApp(context: GraphContext, clientId: string): Promise<EndedGrants> {
  const owner = context.caller.kind === 'internal' ? null : scopeOf(requireAccount(context))
  let isNews = false
  const change = {
    ...{ owner, action: 'oauth_app.suspend', resourceId: clientId },
    note: ({ app, accountIds }: EndedGrants) =>
      isNews
        ? { owner: ownerOf(app) ?? undefined, details: { accounts_affected: accountIds.length } }
        : null,
  }
  // The app is the caller's, but those who approved it are others.
  const wide = { ...context, database: context.database.as(allTenants) }
  return makeChange(wide, change, async (tx) => {
    const app = await lockApp(tx, owner, clientId)
    if (app.suspendedAt) return { app, accountIds: [] }
    isNews = true
    tx.assign(app, { suspendedAt: raw('now()'), isSuspendedByOperator: owner === null })
    await tx.flush()
    const named = { client_id: clientId, client_name: app.clientName }
    const registrant = ownerOf(app)
    if (registrant) await announce(tx, [newEvent(registrant, 'oauth_app.suspended', named)])
    return { app, accountIds: await endGrantsOf(tx, named, 'app_suspended') }
  })
}

export function scopeOf({ accountId, environment }: AccountScope): AccountScope {
  return { accountId, environment }
}

/** The account that registered the app; null: nobody has, by hand. */
function ownerOf({ accountId, environment }: OAuthAppEntity): AccountScope | null {
  return accountId ? { accountId, environment } : null
}

const revokeConsents: Statement = {
  name: 'revoke-consents-of-app',
  text: `UPDATE oauth.consent SET revoked_at = now() WHERE client_id = $1 AND revoked_at IS NULL
    RETURNING account_id AS "accountId", environment, coalesce(client_name, $2) AS "clientName"`,
}

const endGrants: Statement = {
  name: 'end-grants-of-app',
  text: `UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = $2
    WHERE client_id = $1 AND revoked_at IS NULL RETURNING account_id AS "accountId"`,
}

/**
 * Revokes consents before grants, in the same order as the withdrawal of one consent. Returns the accounts
 * whose grants have ended.
 */
export async function endGrantsOf(
  tx: Transaction,
  app: Pick<WebhookEventData<'consent.revoked'>, 'client_id' | 'client_name'>,
  reason: Exclude<WebhookEventData<'consent.revoked'>['reason'], 'withdrawn'>,
): Promise<string[]> {
  const consents = await tx.query<AccountScope & { readonly clientName: string }>(revokeConsents, [
    ...[app.client_id, app.client_name],
  ])
  await announce(
    tx,
    // Each account is told the name that it has approved.
    consents.map(({ clientName, ...owner }) =>
      newEvent(owner, 'consent.revoked', { ...app, client_name: clientName, reason }),
    ),
  )
  const ended = await tx.query<Pick<AccountScope, 'accountId'>>(endGrants, [app.client_id, reason])
  return [...new Set(ended.map(({ accountId }) => accountId))]
}
