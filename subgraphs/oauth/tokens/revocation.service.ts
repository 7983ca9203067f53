import { makeChange } from '../../shared/changes/change.ts'
import type { Statement } from '../../shared/database/database.ts'
import { type GraphContext, requireClient } from '../../shared/graph/context.ts'

interface Revoked {
  readonly accountId: string
  readonly grantId: string
}

const revokeAccessToken: Statement = {
  name: 'revoke-access-token',
  text: `
    UPDATE oauth.access_token t SET revoked_at = now()
    FROM oauth.authorization_grant g
    WHERE t.token_hash = $1 AND g.id = t.grant_id AND g.client_id = $2 AND g.environment = $3
      AND t.revoked_at IS NULL
    RETURNING t.account_id AS "accountId", t.grant_id AS "grantId"`,
}

const revokeGrantOfRefreshToken: Statement = {
  name: 'revoke-grant-of-refresh-token',
  text: `
    UPDATE oauth.authorization_grant g
    SET revoked_at = now(), revoked_because = 'token_revoked'
    FROM oauth.refresh_token r
    WHERE r.token_hash = $1 AND g.id = r.grant_id AND g.client_id = $2 AND g.environment = $3
      AND g.revoked_at IS NULL
    RETURNING g.account_id AS "accountId", g.id AS "grantId"`,
}

/**
 * RFC 7009 §2.1: an access token ends alone, a refresh token ends with its whole grant. A token that is
 * unknown, has ended or belongs to another app changes nothing, and the answer is the same.
 */
export async function revokeToken(context: GraphContext, tokenHash: string): Promise<void> {
  const { clientId, environment } = requireClient(context)
  const note = (revoked: Revoked | null) =>
    revoked && {
      owner: { accountId: revoked.accountId, environment },
      resourceId: revoked.grantId,
    }
  const change = { owner: null, action: 'oauth.revoke_token', note }
  const revoked = await makeChange(context, change, async (tx): Promise<Revoked | null> => {
    const values = [tokenHash, clientId, environment]
    const [one] = await tx.query<Revoked>(revokeAccessToken, values)
    if (one) return one
    const [all] = await tx.query<Revoked>(revokeGrantOfRefreshToken, values)
    return all ?? null
  })
  if (revoked) context.invalidate({ accountId: revoked.accountId })
}
