import type { GraphContext } from '../../shared/graph/context.ts'

/**
 * What an account has granted ends with it, in both environments, and does not come back when it is
 * opened again (docs/oauth-rules.md 71). While it is closed nothing of it is accepted anyway, so no
 * `consent.revoked` tells of each: whoever closes an account ends everything.
 */
export async function endGrantsOfAccount(
  { database }: GraphContext,
  accountId: string,
): Promise<void> {
  await database.as(accountId).transaction(async (tx) => {
    await tx.execute(
      'UPDATE oauth.consent SET revoked_at = now() WHERE account_id = ? AND revoked_at IS NULL',
      [accountId],
    )
    await tx.execute(
      `UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'account_closed'
       WHERE account_id = ? AND revoked_at IS NULL`,
      [accountId],
    )
    await tx.execute(
      'UPDATE oauth.session SET ended_at = now() WHERE account_id = ? AND ended_at IS NULL',
      [accountId],
    )
  })
}
