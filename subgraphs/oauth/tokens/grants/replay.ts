import { makeChange } from '../../../shared/changes/change.ts'
import type { GraphContext } from '../../../shared/graph/context.ts'

/**
 * A code or refresh token came twice: somebody else may have it, so the whole grant ends, before the
 * answer says that anything failed (RFC 6749 §10.5, RFC 9700 §4.14.2).
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
    const revoked = await tx.execute<object[]>(
      `UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = ?
       WHERE id = ? AND revoked_at IS NULL RETURNING 1`,
      [reason, grantId],
    )
    return revoked.length > 0
  })
  invalidate({ accountId })
}
