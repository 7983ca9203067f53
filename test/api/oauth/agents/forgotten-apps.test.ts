import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

async function plant(days: number, isApproved: boolean): Promise<string> {
  const clientId = newId('app')
  await graph.database.query(
    `INSERT INTO oauth.app (client_id, environment, origin, client_name, application_type,
       token_endpoint_auth_method, redirect_uris, grant_types, scopes, require_pkce, created_at,
       approved_at)
     VALUES ($1, 'live', 'registration', 'Agent', 'native', 'none', '{https://agent.example/cb}',
       '{authorization_code}', '{openid}', true, now() - make_interval(days => $2),
       CASE WHEN $3 THEN now() END)`,
    [clientId, days, isApproved],
  )
  return clientId
}

test('an app that registered itself is deleted after 30 days, unless it was approved (docs/oauth-rules.md 134)', async () => {
  const [, recent, approved] = [
    await plant(31, false),
    await plant(29, false),
    await plant(31, true),
  ]

  expect(await graph.asService('ForgetExpiredGrants', { limit: 500 })).toBe(1)

  const rows = await graph.database.query('SELECT client_id FROM oauth.app ORDER BY client_id')
  expect(rows).toEqual([recent, approved].sort().map((client_id) => ({ client_id })))
})
