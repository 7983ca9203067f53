import type { GraphContext } from '../shared/context.ts'
import type { Statement } from '../shared/database.ts'

/**
 * What nobody can use any more, nor would recognise as a replay: of each kind so many rows at a time. A
 * grant takes along all that was issued for it.
 */
const forgetExpired: readonly Statement[] = [
  {
    name: 'forget-grants',
    text: `
      DELETE FROM oauth.authorization_grant WHERE id IN (
        SELECT id FROM oauth.authorization_grant WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
  },
  {
    name: 'forget-access-tokens',
    text: `
      DELETE FROM oauth.access_token WHERE token_hash IN (
        SELECT token_hash FROM oauth.access_token WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
  },
  {
    // An expired one is refused, whether or not it was used before.
    name: 'forget-refresh-tokens',
    text: `
      DELETE FROM oauth.refresh_token WHERE token_hash IN (
        SELECT token_hash FROM oauth.refresh_token WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
  },
  {
    name: 'forget-sessions',
    text: `
      DELETE FROM oauth.session WHERE id IN (
        SELECT id FROM oauth.session WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
  },
  {
    name: 'forget-consent-tokens',
    text: `
      DELETE FROM oauth.used_consent_token WHERE jti IN (
        SELECT jti FROM oauth.used_consent_token WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
  },
  {
    name: 'forget-done-changes-of-oauth',
    text: `
      DELETE FROM oauth.done_change WHERE (account_id, environment, reference) IN (
        SELECT account_id, environment, reference FROM oauth.done_change WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED
      ) RETURNING 1`,
  },
]

/** Deletes up to `limit` rows of each kind; returns the most that went of one kind. */
export async function forget({ database }: GraphContext, limit: number): Promise<number> {
  let most = 0
  for (const statement of forgetExpired) {
    const gone = await database.query(statement, [limit])
    most = Math.max(most, gone.length)
  }
  return most
}
