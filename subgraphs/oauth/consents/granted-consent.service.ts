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
import { GrantedConsentEntity } from './granted-consent.entity.ts'
import { type GrantedConsent, GrantedConsentStatus } from './granted-consent.type.ts'

const consentsNewestFirst: Statement = {
  name: 'consents-newest-first',
  text: `
    SELECT c.client_id AS "clientId", coalesce(c.client_name, a.client_name) AS "clientName",
      array_to_string(c.scopes, ' ') AS scope, c.granted_at AS "grantedAt"
    FROM oauth.consent c JOIN oauth.app a USING (client_id)
    WHERE c.account_id = $1 AND c.environment = $2 AND c.revoked_at IS NULL
      AND ($3::timestamptz IS NULL OR (c.granted_at, c.client_id) < ($3, $4))
    ORDER BY c.granted_at DESC, c.client_id DESC LIMIT $5`,
}

type ListedConsent = Omit<GrantedConsent, 'status' | 'revokedAt' | 'owner'>

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
      return rows.map((row) => ({ ...row, owner, status, revokedAt: null }))
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
  const clientName = await findClientName(context.database, clientId)
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
    const app = { client_id: clientId, client_name: clientName }
    await announce(tx, [newEvent(owner, 'consent.revoked', { ...app, reason: 'withdrawn' })])
    return found
  })
  return toGrantedConsent(consent, clientName)
}

const endGrants: Statement = {
  name: 'end-grants-of-consent',
  text: `
    UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'consent_withdrawn'
    WHERE client_id = $1 AND account_id = $2 AND revoked_at IS NULL`,
}

const clientNameOf: Statement = {
  name: 'client-name',
  text: 'SELECT client_name AS "clientName" FROM oauth.app WHERE client_id = $1',
}

/** Works for apps of other accounts; empty for an unknown app, which has no consents. */
export async function findClientName(database: Database, clientId: string): Promise<string> {
  const [app] = await database
    .as(allTenants)
    .query<Pick<GrantedConsent, 'clientName'>>(clientNameOf, [clientId])
  return app?.clientName ?? ''
}

export function toGrantedConsent(
  { accountId, environment, clientId, scopes, grantedAt, revokedAt = null }: GrantedConsentEntity,
  name: string,
): GrantedConsent {
  const owner = { accountId, environment }
  const { active, revoked } = GrantedConsentStatus
  const status = revokedAt ? revoked : active
  const shown = { clientId, clientName: name, scope: scopes.join(' ') }
  return { ...shown, status, grantedAt, revokedAt, owner }
}
