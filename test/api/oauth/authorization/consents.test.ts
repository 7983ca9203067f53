import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { whileHeld } from '../../../support/database/held-transaction.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'register=0' })
})
afterAll(() => gateway.close())

const path = '/v1/oauth/consents'
const instant = expect.stringMatching(/^\d{4}-.*Z$/)
const noConsent = { status: 404, code: 'NOT_FOUND', message: 'No consent has this id.' } as const

type Environment = 'live' | 'sandbox'

const keyOf = ({ liveKey, sandboxKey }: TestAccount, environment: Environment) =>
  environment === 'live' ? liveKey : sandboxKey

/** Creates an app of another account. Returns its id. */
async function registerApp(client_name: string, environment: Environment = 'live') {
  const owner = await gateway.createAccount()
  const app = { client_name, redirect_uris: ['https://app.example/cb'] }
  const client = gateway[environment]
  const { status, body } = await client.post('/v1/oauth/apps', app, keyOf(owner, environment))
  expect(status).toBe(201)
  return String(Object(body).client_id)
}

interface Approval {
  readonly accountId: string
  readonly clientId: string
  readonly scopes?: string
  readonly grantedAt?: string
}

/** Stores what an approval stores: a remembered consent, and two grants of two times. */
async function approve({
  accountId,
  clientId,
  scopes = '{openid,seo:read}',
  grantedAt = 'now',
}: Approval): Promise<void> {
  await gateway.database.query(
    `WITH c AS (
       INSERT INTO oauth.consent (account_id, environment, client_id, scopes, key_id, granted_at)
       SELECT $1, environment, client_id, $3, 'key_x', $4 FROM oauth.app WHERE client_id = $2
       RETURNING environment, scopes
     )
     INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes,
       approved_by_key_id, auth_time, expires_at)
     SELECT 'grant_' || gen_random_uuid(), $1, environment, $2, scopes, 'key_x', now(), now() + interval '1 day'
     FROM c, generate_series(1, 2)`,
    [accountId, clientId, scopes, grantedAt],
  )
}

/** Why the grants of an account to an app ended; null: they live. */
async function endsOf(accountId: string, clientId: string): Promise<(string | null)[]> {
  const rows = await gateway.database.query<{ because: string | null }>(
    `SELECT revoked_because AS because FROM oauth.authorization_grant
     WHERE account_id = $1 AND client_id = $2`,
    [accountId, clientId],
  )
  return rows.map(({ because }) => because)
}

function withdraw(key: string, clientId: string, environment: Environment = 'live') {
  return gateway[environment].request(`${path}/${clientId}`, { method: 'DELETE', key })
}

async function list(account: TestAccount, environment: Environment = 'live'): Promise<object[]> {
  const { status, body } = await gateway[environment].get(path, keyOf(account, environment))
  expect(status).toBe(200)
  return Object(body).items
}

describe('GET /v1/oauth/consents', () => {
  test('lists the consents of the account, newest first, with the names of the apps (docs/oauth-rules.md 47)', async () => {
    const account = await gateway.createAccount()
    const [old, recent] = [await registerApp('Old'), await registerApp('Recent')]
    await approve({ accountId: account.id, clientId: recent })
    await approve({ accountId: account.id, clientId: old, grantedAt: '2026-01-01T00:00:00Z' })

    const { status, body } = await gateway.live.get(path, account.liveKey)

    const consent = { scope: 'openid seo:read', status: 'active', budgets: [] }
    expect(status).toBe(200)
    expect(body).toEqual({
      items: [
        { client_id: recent, client_name: 'Recent', ...consent, granted_at: instant },
        { client_id: old, client_name: 'Old', ...consent, granted_at: '2026-01-01T00:00:00.000Z' },
      ],
      next_cursor: null,
    })
  })

  test('is paged, also for consents of one instant (docs/oauth-rules.md 47)', async () => {
    const account = await gateway.createAccount()
    const grantedAt = '2026-01-01T00:00:00.123Z'
    const ids: string[] = []
    for (const name of ['A', 'B', 'C', 'D', 'E']) {
      const clientId = await registerApp(name)
      await approve({ accountId: account.id, clientId, grantedAt })
      ids.unshift(clientId)
    }

    const seen: string[] = []
    let query = '?limit=2'
    while (query !== '') {
      const { body } = await gateway.live.get(path + query, account.liveKey)
      const { items, next_cursor: next } = Object(body)
      seen.push(...items.map((item: { client_id: string }) => item.client_id))
      query = next === null ? '' : `?limit=2&cursor=${next}`
    }

    expect(seen).toEqual(ids)
  })

  test('shows none of another account or environment, and no withdrawn one (docs/oauth-rules.md 47)', async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const [live, withdrawn] = [await registerApp('Live'), await registerApp('Withdrawn')]
    const play = await registerApp('Play', 'sandbox')
    await approve({ accountId: own.id, clientId: live })
    await approve({ accountId: own.id, clientId: withdrawn })
    await approve({ accountId: own.id, clientId: play })
    await approve({ accountId: foreign.id, clientId: withdrawn })
    expect((await withdraw(own.liveKey, withdrawn)).status).toBe(200)

    expect(await list(own)).toMatchObject([{ client_id: live }])
    expect(await list(own, 'sandbox')).toMatchObject([{ client_id: play }])
    expect(await list(foreign)).toMatchObject([{ client_id: withdrawn }])
    expect(await list(foreign, 'sandbox')).toEqual([])
  })

  test('shows nothing of an app that was suspended (docs/oauth-rules.md 18)', async () => {
    const owner = await gateway.createAccount()
    const app = { client_name: 'Gone', redirect_uris: ['https://app.example/cb'] }
    const { body } = await gateway.live.post('/v1/oauth/apps', app, owner.liveKey)
    const clientId = Object(body).client_id
    const account = await gateway.createAccount()
    await approve({ accountId: account.id, clientId })
    expect(await list(account)).toHaveLength(1)

    await gateway.live.request(`/v1/oauth/apps/${clientId}`, {
      ...{ method: 'DELETE', key: owner.liveKey },
    })

    expect(await list(account)).toEqual([])
  })
})

describe('DELETE /v1/oauth/consents/{client_id}', () => {
  test('ends every grant of the account to the app, and no other grant (docs/oauth-rules.md 47, 71)', async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const [clientId, other] = [await registerApp('App'), await registerApp('Other')]
    await approve({ accountId: own.id, clientId })
    await approve({ accountId: own.id, clientId: other })
    await approve({ accountId: foreign.id, clientId })

    const response = await withdraw(own.liveKey, clientId)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      ...{ client_id: clientId, client_name: 'App', scope: 'openid seo:read', status: 'revoked' },
      ...{ granted_at: instant, revoked_at: instant, budgets: [] },
    })
    const withdrawn = 'consent_withdrawn'
    expect(await endsOf(own.id, clientId)).toEqual([withdrawn, withdrawn])
    expect(await endsOf(own.id, other)).toEqual([null, null])
    expect(await endsOf(foreign.id, clientId)).toEqual([null, null])
    expect(await list(own)).toMatchObject([{ client_id: other }])
  })

  test('changes nothing the second time, and called twenty times at once leaves one line (docs/oauth-rules.md 47, 118)', async () => {
    const account = await gateway.createAccount()
    const clientId = await registerApp('App')
    await approve({ accountId: account.id, clientId })

    // All have begun before one of them gets on.
    const hold = 'SELECT 1 FROM oauth.consent WHERE client_id = $1 FOR UPDATE'
    const responses = await whileHeld(gateway.database, [hold, [clientId]], {
      waiting: 2,
      started: () =>
        Promise.all(Array.from({ length: 20 }, () => withdraw(account.liveKey, clientId))),
    })

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ body }) => Object(body).revoked_at)).size).toBe(1)
    await vi.waitFor(async () => {
      const [jobs] = await gateway.database.query(
        `SELECT count(*)::int AS open FROM jobs.job
         WHERE name = 'RecordAuditEvents' AND state < 'completed'`,
      )
      expect(jobs).toEqual({ open: 0 })
    }, patience)
    const lines = await gateway.database.query(
      `SELECT action, result, actor_kind, resource_id FROM usage.audit_event
       WHERE account_id = $1 AND action LIKE 'consent.%'`,
      [account.id],
    )
    const line = { action: 'consent.withdraw', result: 'succeeded', actor_kind: 'key' }
    expect(lines).toEqual([{ ...line, resource_id: clientId }])
  })

  test('answers NOT_FOUND for a consent of another account or environment, and for one never given (docs/oauth-rules.md 47)', async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const clientId = await registerApp('App')
    const play = await registerApp('Play', 'sandbox')
    await approve({ accountId: foreign.id, clientId })
    await approve({ accountId: own.id, clientId: play })

    for (const id of [clientId, play, newId('app'), foreign.id, 'nonsense']) {
      expectError(gateway, await withdraw(own.liveKey, id), noConsent)
    }
    expect(await endsOf(foreign.id, clientId)).toEqual([null, null])
    expect(await endsOf(own.id, play)).toEqual([null, null])
    expect((await withdraw(own.sandboxKey, play, 'sandbox')).status).toBe(200)
  })
})

describe('the consents of an account', () => {
  test('are shown to internal tools (docs/oauth-rules.md 47)', async () => {
    const { id } = await gateway.createAccount()
    const clientId = await registerApp('App')
    await approve({ accountId: id, clientId })

    const { account } = Object(
      await gateway.graphql(
        `query ($id: ID!) {
          account(id: $id) {
            consents { nodes { clientId clientName scope status } pageInfo { hasNextPage } }
          }
        }`,
        { id },
      ),
    )

    expect(account.consents).toEqual({
      nodes: [{ clientId, clientName: 'App', scope: 'openid seo:read', status: 'active' }],
      pageInfo: { hasNextPage: false },
    })
  })
})
