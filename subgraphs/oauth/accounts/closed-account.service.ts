import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'

const endAllOfAccount: readonly Statement[] = [
  {
    name: 'end-consents-of-account',
    text: `
      UPDATE oauth.consent SET revoked_at = now()
      WHERE account_id = $1 AND revoked_at IS NULL`,
  },
  {
    name: 'end-grants-of-account',
    text: `
      UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'account_closed'
      WHERE account_id = $1 AND revoked_at IS NULL`,
  },
  {
    name: 'end-sessions-of-account',
    text: `
      UPDATE oauth.session SET ended_at = now()
      WHERE account_id = $1 AND ended_at IS NULL`,
  },
]

/**
 * Ends the consents, grants and sessions of a closed account in both environments. They do not return when
 * the account is opened again (docs/oauth-rules.md 71). No `consent.revoked` event tells of each: while the
 * account is closed, none of them is accepted anyway.
 */
export async function endGrantsOfAccount(
  { database }: GraphContext,
  accountId: string,
): Promise<void> {
  await database.as(accountId).transaction(async (tx) => {
    for (const statement of endAllOfAccount) await tx.query(statement, [accountId])
  })
}
