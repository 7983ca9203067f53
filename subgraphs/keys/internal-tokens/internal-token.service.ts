import { internalRoles } from '../../../schema/credentials/caller.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { type Check, requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import type { PagedList } from '../../shared/lists/pagination.ts'
import type { InternalToken, InternalTokenInput } from './internal-token.type.ts'

/** The longest life of a token, whatever is configured. A revocation is kept at least for this time. */
const maxDays = 30
const maxMs = maxDays * 86_400_000

const columns = `id, role, minted_at AS "mintedAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt"`

const insertToken: Statement = {
  name: 'insert-internal-token',
  text: `
    INSERT INTO keys.internal_token (id, role, minted_at, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING`,
}

/** Stores a token, so that it is listed. */
export function recordInternalToken(
  context: GraphContext,
  { id, role, mintedAt, expiresAt }: InternalTokenInput,
): Promise<InternalToken> {
  const lifeMs = expiresAt.getTime() - mintedAt.getTime()
  requireAll([
    isTokenId(id),
    ['role', internalRoles.some((name) => name === role), 'must be a role'],
    [
      'expiresAt',
      lifeMs > 0 && lifeMs <= maxMs && expiresAt.getTime() > Date.now(),
      `must be in the future, and at most ${maxDays} days after mintedAt`,
    ],
  ])
  const note = () => ({ details: { role, expires_at: expiresAt } })
  const change = { owner: null, resourceId: id, action: 'internal_token.mint', note }
  return makeChange(context, change, async (tx) => {
    await tx.query(insertToken, [id, role, mintedAt, expiresAt])
    return { id, role, mintedAt, expiresAt, revokedAt: null }
  })
}

/**
 * One statement, so that the row is not deleted in between. A token that was not recorded gets the longest
 * life that a token can have.
 */
const insertRevoked: Statement = {
  name: 'revoke-internal-token',
  text: `
    INSERT INTO keys.internal_token AS t (id, expires_at, revoked_at)
    VALUES ($1, now() + make_interval(days => ${maxDays}), now())
    ON CONFLICT (id) DO UPDATE SET revoked_at = excluded.revoked_at,
      expires_at = greatest(t.expires_at, excluded.expires_at)
    WHERE t.revoked_at IS NULL RETURNING id`,
}

/**
 * Revokes a token, which is refused from now on. An unknown token is revoked too: a restored database lacks
 * those that were minted since its backup.
 */
export async function revokeInternalToken(
  context: GraphContext,
  id: string,
): Promise<InternalToken> {
  requireAll([isTokenId(id)])
  let isNews = false
  const note = () => (isNews ? {} : null)
  const change = { owner: null, resourceId: id, action: 'internal_token.revoke', note }
  await makeChange(context, change, async (tx) => {
    const revoked = await tx.query(insertRevoked, [id])
    isNews = revoked.length > 0
  })
  const [token] = await context.database.query<InternalToken>(one, [id])
  if (!token) throw new Error('The token was forgotten while it was revoked.')
  return token
}

const one: Statement = {
  name: 'internal-token',
  text: `SELECT ${columns} FROM keys.internal_token WHERE id = $1`,
}

function isTokenId(id: string): Check {
  return ['id', isId('tok', id), 'must be the id of an internal token: tok_…']
}

const isRevoked: Statement = {
  name: 'is-internal-token-revoked',
  text: `SELECT EXISTS (
    SELECT FROM keys.internal_token WHERE id = $1 AND revoked_at IS NOT NULL
  ) AS "isRevoked"`,
}

export async function isInternalTokenRevoked(database: Database, id: string): Promise<boolean> {
  const [row] = await database.query<{ isRevoked: boolean }>(isRevoked, [id])
  return row?.isRevoked !== false
}

const page: Statement = {
  name: 'internal-tokens',
  text: `SELECT ${columns} FROM keys.internal_token
    WHERE expires_at > now() AND ($1::text IS NULL OR id < $1) ORDER BY id DESC LIMIT $2`,
}

/** The tokens that have not expired, newest first. */
export function internalTokensOf(database: Database): PagedList<InternalToken> {
  return {
    name: 'internal-tokens',
    owner: null,
    positionOf: ({ id }) => id,
    read: ({ limit, before }) => database.query<InternalToken>(page, [before, limit]),
  }
}
