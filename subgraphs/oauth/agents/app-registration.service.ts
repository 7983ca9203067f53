import { sha256 } from '../../../schema/credentials/secrets.ts'
import { clientBlock } from '../../../schema/vocabulary/client-block.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { recordChange } from '../../shared/changes/change.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { OAuthAppEntity } from '../apps/app.entity.ts'
import { ApplicationType, AppOrigin, TokenEndpointAuthMethod } from '../apps/app.type.ts'
import {
  type AgentMetadata,
  isMetadataProblem,
  readAgentMetadata,
} from '../apps/checks/agent-metadata.ts'
import { hostsOfApp } from '../apps/checks/app-hosts.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { OAuthFailure } from '../tokens/grants/oauth-failure.ts'
import { isDenied } from './app-hosts.service.ts'

const maxUnapproved = 10_000
const maxPerDay = 60

/**
 * Registers an app that describes itself (RFC 7591 §3.1): public, with the scopes of agents at most, of no account.
 * Throws NOT_FOUND where the operator does not permit it, and RATE_LIMIT_EXCEEDED.
 */
export async function registerItself(
  context: OAuthContext,
  members: Readonly<Record<string, unknown>>,
): Promise<OAuthAppEntity | OAuthFailure> {
  if (!context.oauth.agents?.mayRegister) {
    throw new DomainError('NOT_FOUND', 'Apps cannot register themselves here.')
  }
  const read = readAgentMetadata(named(members), { baseUrls: context.baseUrls, linkHost: null })
  if (isMetadataProblem(read)) return new OAuthFailure(read.error, read.description)
  const hosts = hostsOfApp(null, read.redirectUris)
  if (await isDenied(context.database, hosts)) {
    return new OAuthFailure('invalid_redirect_uri', 'The operator denies a host of redirect_uris.')
  }
  return context.database.as(allTenants).transaction((tx) => store(tx, context, read, hosts))
}

/** Without a name, the app has that of the place that the code goes to (RFC 7591 §2: the name is optional). */
function named(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { client_name: name, redirect_uris: uris } = members
  if (name !== undefined && name !== null) return members
  const [first = ''] = Array.isArray(uris) ? uris : []
  const { host = '', protocol = 'an app' } = URL.parse(String(first)) ?? {}
  return { ...members, client_name: host || protocol }
}

const lockRegistrations: Statement = {
  name: 'lock-registrations',
  text: "SELECT pg_advisory_xact_lock(hashtextextended('oauth-registrations/' || $1, 0))",
}

const countOfDay: Statement = {
  name: 'registrations-of-day',
  text: `
    SELECT count(*)::int AS registered,
      greatest(1, ceil(extract(epoch FROM min(created_at) + interval '1 day' - now())))::int AS wait
    FROM oauth.app WHERE registered_by = $1 AND created_at > now() - interval '1 day'`,
}

/** Keeps the newest `$2` unapproved apps; one that is approved at this moment stays. */
const forgetOldest: Statement = {
  name: 'forget-oldest-registrations',
  text: `
    DELETE FROM oauth.app WHERE approved_at IS NULL AND client_id = ANY (ARRAY(
      SELECT client_id FROM oauth.app
      WHERE environment = $1 AND origin = 'registration' AND approved_at IS NULL
      ORDER BY created_at DESC OFFSET $2))`,
}

async function store(
  tx: Transaction,
  context: OAuthContext,
  { clientName, redirectUris, grantTypes, scopes }: AgentMetadata,
  hosts: readonly string[],
): Promise<OAuthAppEntity> {
  const { environment, address = '' } = context.caller
  const registeredBy = sha256(clientBlock(address ?? ''))
  await tx.query(lockRegistrations, [environment])
  const [counted] = await tx.query<{ registered: number; wait: number }>(countOfDay, [registeredBy])
  if (counted && counted.registered >= maxPerDay) {
    const message = `At most ${maxPerDay} apps can register from an address in a day.`
    throw new DomainError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: counted.wait })
  }
  await tx.query(forgetOldest, [environment, maxUnapproved - 1])
  const app = tx.create(OAuthAppEntity, {
    ...{ clientId: newId('app'), accountId: null, environment, origin: AppOrigin.registration },
    ...{ clientName, hosts: [...hosts], registeredBy },
    ...{ redirectUris: [...redirectUris], grantTypes: [...grantTypes], scopes: [...scopes] },
    applicationType: ApplicationType.native,
    tokenEndpointAuthMethod: TokenEndpointAuthMethod.none,
    requirePkce: true,
  })
  await tx.flush()
  const { clientId } = app
  const change = { owner: null, action: 'oauth_app.create', resourceId: clientId }
  await recordChange(tx, context, change, { details: { client_name: clientName, hosts } })
  return app
}
