import { makeChange } from '../../../shared/changes/change.ts'
import type { Statement } from '../../../shared/database/database.ts'
import type { GraphContext } from '../../../shared/graph/context.ts'

const revokeGrant: Statement = {
  name: 'revoke-replayed-grant',
  text: `
    UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = $1
    WHERE id = $2 AND revoked_at IS NULL RETURNING id`,
}

/**
 * A code or refresh token came twice: a thief may have it. So the whole grant ends before the answer says
 * that the request failed (RFC 6749 §10.5, RFC 9700 §4.14.2).
 */
export async function revokeReplayed(
  context: GraphContext,
  { grantId, accountId }: { readonly grantId: string; readonly accountId: string },
  reason: 'code_replay' | 'refresh_reuse',
): Promise<void> {
  const { caller, invalidate } = context
  const change = {
    owner: { accountId, environment: caller.environment },
    action: `oauth.${reason}`,
    resourceId: grantId,
    note: (isNews: boolean) => (isNews ? {} : null),
  }
  await makeChange(context, change, async (tx) => {
    return (await tx.query(revokeGrant, [reason, grantId])).length > 0
  })
  invalidate({ accountId })
}
