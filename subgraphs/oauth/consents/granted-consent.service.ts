import { LockMode, raw } from '@mikro-orm/core'
import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { makeChange } from '../../shared/changes/change.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { AppOrigin } from '../apps/app.type.ts'
import { GrantedConsentEntity } from './granted-consent.entity.ts'
import { type GrantedConsent, GrantedConsentStatus } from './granted-consent.type.ts'

const consentsNewestFirst: Statement = {
  name: 'consents-newest-first',
  text: `
    SELECT c.client_id AS "clientId", coalesce(c.client_name, a.client_name) AS "clientName",
      a.origin, a.document_url AS "documentUrl", array_to_string(c.scopes, ' ') AS scope,
      c.granted_at AS "grantedAt"
    FROM oauth.consent c JOIN oauth.app a USING (client_id)
    WHERE c.account_id = $1 AND c.environment = $2 AND c.revoked_at IS NULL
      AND ($3::timestamptz IS NULL OR (c.granted_at, c.client_id) < ($3, $4))
    ORDER BY c.granted_at DESC, c.client_id DESC LIMIT $5`,
}

type ListedConsent = Pick<GrantedConsent, 'scope' | 'grantedAt' | 'clientId'> & ConsentedApp

/** The consents of an account that are not withdrawn, newest first. */
export function consentsOf(
  database: Database,
  { accountId, environment }: AccountScope,
): PagedList<GrantedConsent> {
  const owner = { accountId, environment }
  return {
    name: 'oauth-consents',
    owner,
    positionOf: ({ grantedAt, clientId }) => `${grantedAt.toISOString()} ${clientId}`,
    async read({ limit, before }) {
      const [grantedAt = null, clientId = null] = before?.split(' ') ?? []
      const values = [accountId, environment, grantedAt, clientId, limit]
      // Apps belong to other accounts.
      const rows = await database.as(allTenants).query<ListedConsent>(consentsNewestFirst, values)
      const status = GrantedConsentStatus.active
      return rows.map((row) => ({ ...row, ...shownOf(row), owner, status, revokedAt: null }))
    },
  }
}

/**
 * Withdraws the consent of the caller's account to an app; a repetition changes nothing. Every
 * grant of the account to the app ends, with its codes and tokens. Its budgets stay for another
 * consent. Throws NOT_FOUND when there never was a consent.
 */
export async function withdrawConsent(
  context: GraphContext,
  clientId: string,
): Promise<GrantedConsent> {
  const caller = requireAccount(context)
  const { accountId, environment } = caller
  const owner = { accountId, environment }
  let isNews = false
  const change = {
    ...{ owner, action: 'consent.withdraw', resourceId: clientId },
    note: () => (isNews ? {} : null),
  }
  const consented = await findConsentedApp(context.database, clientId)
  const consent = await makeChange(context, change, async (tx) => {
    requireUncapped(caller, 'change consents')
    const where = { ...owner, clientId }
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const found = await tx.findOne(GrantedConsentEntity, where, { lockMode })
    if (!found) throw new DomainError('NOT_FOUND', 'No consent has this id.')
    if (found.revokedAt) return found
    isNews = true
    tx.assign(found, { revokedAt: raw('now()') })
    await tx.flush()
    await tx.query(endGrants, [clientId, accountId])
    const app = { client_id: clientId, client_name: found.clientName ?? consented.clientName }
    await announce(tx, [newEvent(owner, 'consent.revoked', { ...app, reason: 'withdrawn' })])
    return found
  })
  return toGrantedConsent(consent, consented)
}

const endGrants: Statement = {
  name: 'end-grants-of-consent',
  text: `
    UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'consent_withdrawn'
    WHERE client_id = $1 AND account_id = $2 AND revoked_at IS NULL`,
}

/** What a consent shows of its app, as it is stored. */
export interface ConsentedApp {
  /** Counts where the consent has no copy: another account's approval changes that of an app with a document. */
  readonly clientName: string
  readonly origin: AppOrigin
  /** The address of the document; null for an app without one. */
  readonly documentUrl: string | null
}

const consentedApp: Statement = {
  name: 'consented-app',
  text: `
    SELECT client_name AS "clientName", origin, document_url AS "documentUrl"
    FROM oauth.app WHERE client_id = $1`,
}

const unknownApp: ConsentedApp = {
  ...{ clientName: '', origin: AppOrigin.account, documentUrl: null },
}

/** Works for apps of other accounts; empty for an unknown app, which has no consents. */
export async function findConsentedApp(
  database: Database,
  clientId: string,
): Promise<ConsentedApp> {
  const [app] = await database.as(allTenants).query<ConsentedApp>(consentedApp, [clientId])
  return app ?? unknownApp
}

/** Only apps that nobody registered by hand have an origin: the others belong to an account. */
function shownOf({ clientName, origin, documentUrl }: ConsentedApp) {
  return {
    clientName,
    origin: origin === AppOrigin.account ? null : origin,
    documentHost: documentUrl === null ? null : new URL(documentUrl).host,
  }
}

export function toGrantedConsent(consent: GrantedConsentEntity, app: ConsentedApp): GrantedConsent {
  const { accountId, environment, clientId, scopes, grantedAt, revokedAt = null } = consent
  const owner = { accountId, environment }
  const { active, revoked } = GrantedConsentStatus
  const status = revokedAt ? revoked : active
  const shown = {
    clientId,
    ...shownOf({ ...app, clientName: consent.clientName ?? app.clientName }),
    scope: scopes.join(' '),
  }
  return { ...shown, status, grantedAt, revokedAt, owner }
}
