import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../../support/database/graph.ts'
import { plantGrant } from '../../../support/oauth/oauth.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

const kept = [
  ['authorization_grant', 'id'],
  ['access_token', 'grant_id'],
  ['refresh_token', 'grant_id'],
] as const

function plant() {
  const of = { ownerId: newId('acct'), accountId: newId('acct'), scopes: ['openid'] }
  return plantGrant(graph, of)
}

async function rowsOf(grantId: string): Promise<number[]> {
  const counts = kept.map(async ([table, column]) => {
    const [row] = await graph.database.query<{ count: string }>(
      `SELECT count(*) FROM oauth.${table} WHERE ${column} = $1`,
      [grantId],
    )
    return Number(row?.count)
  })
  return Promise.all(counts)
}

test('a grant is kept until all its tokens have ended, then it is deleted with them (docs/oauth-rules.md 64)', async () => {
  const expired = await plant()
  const current = await plant()
  await graph.database.query(
    'UPDATE oauth.authorization_grant SET expires_at = now() WHERE id = $1',
    [expired.grantId],
  )
  await graph.database.query(
    `UPDATE oauth.refresh_token SET consumed_at = now() WHERE grant_id = $1`,
    [current.grantId],
  )
  expect(await rowsOf(expired.grantId)).toEqual([1, 1, 1])

  expect(await graph.asService('ForgetExpiredGrants', { limit: 500 })).toBe(1)

  expect(await rowsOf(expired.grantId)).toEqual([0, 0, 0])
  // Consumed, it still tells a replay.
  expect(await rowsOf(current.grantId)).toEqual([1, 1, 1])
})

test('a used refresh token is kept after its expiry for the lifetime of one (docs/oauth-rules.md 64)', async () => {
  const [recent, old] = [await plant(), await plant()]
  const age = (grantId: string, days: number) =>
    graph.database.query(
      `UPDATE oauth.refresh_token SET consumed_at = now() - make_interval(days => $2),
         expires_at = now() - make_interval(days => $2) WHERE grant_id = $1`,
      [grantId, days],
    )
  await age(recent.grantId, 13)
  await age(old.grantId, 14)

  expect(await graph.asService('ForgetExpiredGrants', { limit: 500 })).toBe(1)

  expect(await rowsOf(recent.grantId)).toEqual([1, 1, 1])
  expect(await rowsOf(old.grantId)).toEqual([1, 1, 0])
})

test('sessions, consent tokens and access tokens are deleted in batches when they have expired', async () => {
  const { grantId } = await plant()
  const accountId = newId('acct')
  await graph.database.query(
    `INSERT INTO oauth.session (id, secret_hash, account_id, environment, key_id, expires_at)
     SELECT 'ses_' || n, 'hash_' || n, $1, 'live', 'key_x', now() + make_interval(secs => n)
     FROM unnest('{-3,-2,-1,600}'::int[]) AS n`,
    [accountId],
  )
  await graph.database.query(
    `INSERT INTO oauth.used_consent_token (jti, account_id, expires_at)
     VALUES ('old', $1, now()), ('new', $1, now() + interval '1 hour')`,
    [accountId],
  )
  await graph.database.query(
    'UPDATE oauth.access_token SET expires_at = now() WHERE grant_id = $1',
    [grantId],
  )

  expect(await graph.asService('ForgetExpiredGrants', { limit: 2 })).toBe(2)
  expect(await graph.asService('ForgetExpiredGrants', { limit: 2 })).toBe(1)

  const left = await graph.database.query(
    `SELECT id AS name FROM oauth.session UNION ALL SELECT jti FROM oauth.used_consent_token
     ORDER BY name`,
  )
  expect(left).toEqual([{ name: 'new' }, { name: 'ses_600' }])
  expect(await rowsOf(grantId)).toEqual([1, 0, 1])
})
