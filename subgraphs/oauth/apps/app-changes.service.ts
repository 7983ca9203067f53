import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { OnceInput } from '../../shared/changes/once.type.ts'
import type { Statement } from '../../shared/database/statement.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { OAuthAppEntity } from './app.entity.ts'
import { type EndedGrants, endGrantsOf, lockApp, readApp, scopeOf } from './app.service.ts'
import type { ChangeOAuthAppInput, RotatedOAuthApp } from './app.type.ts'
import { toChangedDetails } from './app-details.ts'
import { isWider } from './checks/reach.ts'

/**
 * Changes the given members of an app of the caller's account. A new redirect host, or another scope, ends every consent
 * to it and the grants of all accounts: nobody has agreed to that. Throws NOT_FOUND for another account's app too,
 * CONFLICT for a suspended one, INVALID_REQUEST that names every wrong member.
 */
export function changeApp(
  context: GraphContext,
  clientId: string,
  input: ChangeOAuthAppInput,
): Promise<EndedGrants> {
  const caller = requireAccount(context)
  const owner = scopeOf(caller)
  const { baseUrls } = context
  let changed: readonly string[] = []
  const change = {
    ...{ owner, action: 'oauth_app.update', resourceId: clientId },
    // Redirect URIs may be longer than the details of a line.
    note: ({ app: { clientName, scopes }, accountIds }: EndedGrants) => {
      const is = (name: string) => changed.includes(name)
      const values = { ...(is('client_name') && { clientName }), ...(is('scope') && { scopes }) }
      const accounts_affected = accountIds.length
      return changed.length === 0 ? null : { details: { changed, ...values, accounts_affected } }
    },
  }
  // The app is the caller's, but those who approved it are others.
  const wide = { ...context, database: context.database.as(allTenants) }
  return makeChange(wide, change, async (tx) => {
    const app = await lockActiveApp(tx, owner, clientId)
    const details = toChangedDetails(input, app, { held: caller.scopes, baseUrls })
    const { redirectUris, scopes } = app
    changed = changesOf(app, details)
    tx.assign(app, details)
    await tx.flush()
    const named = { client_id: clientId, client_name: app.clientName }
    const isEnding = isWider({ redirectUris, scopes }, app)
    return { app, accountIds: isEnding ? await endGrantsOf(tx, named, 'app_changed') : [] }
  })
}

async function lockActiveApp(...[tx, owner, clientId]: Parameters<typeof lockApp>) {
  const app = await lockApp(tx, owner, clientId)
  if (app.suspendedAt) throw new DomainError('CONFLICT', 'This app is suspended.')
  return app
}

const membersOf = {
  ...{ clientName: 'client_name', redirectUris: 'redirect_uris', scopes: 'scope' },
  ...{ logoUri: 'logo_uri', clientUri: 'client_uri', policyUri: 'policy_uri', tosUri: 'tos_uri' },
} as const

/** The members that get another value, by their names in the API. */
function changesOf(app: OAuthAppEntity, details: ReturnType<typeof toChangedDetails>): string[] {
  const columns = Object.keys(membersOf) as (keyof typeof membersOf)[]
  const isNew = (column: keyof typeof membersOf) =>
    details[column] !== undefined &&
    JSON.stringify(app[column] ?? null) !== JSON.stringify(details[column])
  return columns.filter(isNew).map((column) => membersOf[column])
}

interface Rotation {
  /** The time for which the secret before this one is accepted too. */
  readonly overlapSeconds: number
  readonly once: OnceInput | null
}

const maxOverlapSeconds = 7 * 24 * 3600

/** Only the newest of the former secrets stays: a second rotation ends the first overlap. */
const replaceSecret: Statement = {
  name: 'replace-app-secret',
  text: `UPDATE oauth.app SET secret_hash = $2,
      previous_secret_hash = CASE WHEN $3 > 0 THEN secret_hash END,
      previous_secret_expires_at = CASE WHEN $3 > 0 THEN now() + make_interval(secs => $3) END
    WHERE client_id = $1`,
}

/**
 * Gives an app of the caller's account another secret; the one before is accepted too for `overlapSeconds`, at most 7
 * days. Tokens and consents stay. Throws NOT_FOUND for another account's app too, CONFLICT for one that is suspended or
 * has no secret.
 */
export async function rotateAppSecret(
  context: GraphContext,
  clientId: string,
  { overlapSeconds, once }: Rotation,
): Promise<RotatedOAuthApp> {
  const isPossible = overlapSeconds >= 0 && overlapSeconds <= maxOverlapSeconds
  requireAll([['overlap_seconds', isPossible, `must be an integer from 0 to ${maxOverlapSeconds}`]])
  const owner = scopeOf(requireAccount(context))
  const change = {
    ...{ owner, action: 'oauth_app.rotate', resourceId: clientId, once, isSecret: true },
    request: { clientId, overlapSeconds },
    note: () => ({ details: { overlap_seconds: overlapSeconds } }),
  }
  const clientSecret = await makeChange(context, change, async (tx): Promise<string> => {
    const app = await lockActiveApp(tx, owner, clientId)
    if (!app.secretHash) throw new DomainError('CONFLICT', 'This app is public: it has no secret.')
    const secret = newOAuthSecret(context.keyPrefix, 'ocs')
    await tx.query(replaceSecret, [clientId, sha256(secret), overlapSeconds])
    return secret
  })
  const app = await readApp(context, owner, clientId)
  return Object.assign(app, { clientSecret, clientSecretExpiresAt: 0 })
}
