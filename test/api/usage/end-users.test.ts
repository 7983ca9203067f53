import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { signIn } from '../../support/oauth/asking.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { redirectUri, registerApp } from '../../support/oauth/oauth-flow.ts'
import { csvRecords } from '../../support/requests/csv.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const logPath = '/v1/account/usage/log'
const exportPath = '/v1/account/audit/export'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

interface Entry {
  readonly request_id: string
  readonly endpoint: string
  readonly status: number
  readonly key_id?: string | null
  readonly client_id?: string | null
  readonly external_id?: string | null
  readonly end_user?: string | null
  readonly source?: string
}

async function logOf(key: string, query: string): Promise<Entry[]> {
  const { status, body } = await gateway.live.get(`${logPath}?${query}`, key)
  expect(status).toBe(200)
  return Object(body).items
}

const reveal = (key: string, headers: Record<string, string> = {}) =>
  gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key, headers)

describe('X-End-User', () => {
  test('is in the extended entry of the call, found by end_user, and not passed on', async () => {
    const { liveKey } = await gateway.createAccount()
    const said = `!${'~'.repeat(127)}`
    const answers = [
      await reveal(liveKey, { 'x-end-user': said }),
      await reveal(liveKey),
      await gateway.live.get('/v1/account', liveKey, { 'x-end-user': 'user-2' }),
    ]
    const requestId = answers[0]?.headers.get('x-request-id')

    const plain = await logOf(liveKey, 'limit=3')
    const extended = await logOf(liveKey, 'limit=4&extended=true')
    const found = await logOf(liveKey, `end_user=${encodeURIComponent(said)}`)

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const entry of plain) expect(Object.keys(entry)).toHaveLength(10)
    const none = {
      ...{ client_id: null, external_id: null, end_user: null },
      ...{ error_code: null, error_message: null, error_details: null },
    }
    const key_id = expect.stringMatching(/^key_/)
    expect(extended).toEqual([
      expect.objectContaining({ endpoint: logPath, key_id, ...none }),
      ...plain.map((entry, index) => ({
        ...{ ...entry, ...none, key_id, source: 'key' },
        end_user: ['user-2', null, said][index],
      })),
    ])
    expect(found.map(({ request_id }) => request_id)).toEqual([requestId])
    const sent = backend.received.find(({ headers }) => headers['x-request-id'] === requestId)
    expect(sent?.headers).not.toHaveProperty('x-end-user')
    expect(JSON.stringify(sent)).not.toContain(said)
  })

  test.each([
    ['nothing', ''],
    ['129 characters', 'x'.repeat(129)],
    ['a space', 'a b'],
    ['a character that is not of ASCII', 'müller'],
  ])('with %s is refused on any call, at no cost', async (_, said) => {
    const { liveKey } = await gateway.createAccount({ credits: 5 })
    const sentBefore = backend.received.length
    const headers = { 'x-end-user': said }

    const refused = [
      await reveal(liveKey, headers),
      await gateway.live.get('/v1/account/keys', liveKey, headers),
    ]

    for (const response of refused) {
      const message = 'must be 1 to 128 characters from ! to ~, without spaces'
      expectError(gateway, response, {
        ...{ status: 422, code: 'INVALID_REQUEST' },
        details: [{ field: 'X-End-User', in: 'header', message }],
      })
    }
    expect(backend.received).toHaveLength(sentBefore)
    expect((await reveal(liveKey)).status).toBe(200)
    const entries = await logOf(liveKey, 'status_class=4xx&extended=true')
    expect(entries.map(({ status, end_user }) => [status, end_user])).toEqual(
      refused.map(({ status }) => [status, null]).toReversed(),
    )
  })

  test('of a refused call is in its entry; an anonymous caller is refused as ever', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['usage:read'] })

    const forbidden = await gateway.live.get('/v1/account/keys', plaintext, {
      'x-end-user': 'user-3',
    })
    const anonymous = await gateway.live.get('/v1/account/keys', undefined, { 'x-end-user': 'a b' })

    expect([forbidden.status, anonymous.status]).toEqual([403, 401])
    const found = await logOf(plaintext, 'end_user=user-3&extended=true')
    expect(found).toMatchObject([{ status: 403, end_user: 'user-3' }])
  })

  test('may be sent by a page of any origin', async () => {
    const { status, headers } = await gateway.live.request('/v1/contacts/reveal', {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' },
    })

    expect(status).toBe(204)
    expect(headers.get('access-control-allow-headers')?.split(', ')).toContain('X-End-User')
  })

  test('is in the entry that is written for a process that died', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { accessToken, clientId } = await plantGrant(gateway, {
      ...{ ownerId: id, accountId: id, scopes: ['contacts:write'] },
    })
    const entries = () =>
      gateway.database.query<{ client_id: string; end_user: string; key_id: string | null }>(
        `SELECT client_id, end_user, key_id FROM usage.usage_log
         WHERE account_id = $1 AND endpoint = '/v1/contacts/reveal'`,
        [id],
      )
    const charged = await reveal(accessToken, { 'x-end-user': 'user-4' })
    expect(charged.status).toBe(200)
    const logged = await vi.waitUntil(async () => {
      const rows = await entries()
      return rows.length === 1 && rows
    }, patience)
    await gateway.database.query(
      `DELETE FROM usage.usage_log WHERE account_id = $1 AND endpoint = '/v1/contacts/reveal'`,
      [id],
    )
    const processId = newId('proc')
    await gateway.database.query(
      `UPDATE account.ledger_entry SET call = jsonb_set(call::jsonb, '{0}', to_jsonb($2::text))::text
       WHERE account_id = $1 AND kind = 'charge'`,
      [id, processId],
    )
    await gateway.database.query(
      `INSERT INTO account.facade_process (id, seen_at, recorded_until)
       VALUES ($1, now() - interval '1 day', now() - interval '1 day')`,
      [processId],
    )

    await vi.waitFor(async () => expect(await entries()).toEqual(logged), patience)
    expect(logged).toEqual([{ client_id: clientId, end_user: 'user-4', key_id: null }])
    expect(await logOf(liveKey, 'end_user=user-4')).toHaveLength(1)
  })
})

describe('GET /v1/account/usage/log', () => {
  test('tells calls with a key, a token and a session apart', async () => {
    const account = await gateway.createAccount()
    const { plaintext, id: keyId } = await gateway.createKey(account.id, { scopes: ['*'] })
    const app = await registerApp(gateway)
    const token = await plantGrant(gateway, {
      ...{ ownerId: app.developer.id, accountId: account.id, scopes: ['account:read'] },
    })
    const { cookie } = await signIn(gateway.live, plaintext)
    const asked = { client_id: app.clientId, redirect_uri: redirectUri, scope: 'openid' }
    const screen = `/v1/oauth/authorize?${new URLSearchParams(asked)}`
    const answers = [
      await gateway.live.get('/v1/account/credits', plaintext),
      await gateway.live.get('/v1/account', token.accessToken),
      await gateway.live.get(screen, undefined, { cookie }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const endpoints = async (query: string) =>
      (await logOf(account.liveKey, `extended=true&service=${query}`)).map(
        ({ endpoint, key_id, client_id, source }) => [endpoint, key_id, client_id, source],
      )

    const byKey = ['/v1/account/credits', keyId, null, 'key']
    const byToken = ['/v1/account', null, token.clientId, 'token']
    const bySession = ['/v1/oauth/authorize', keyId, null, 'session']
    const signedIn = ['/v1/oauth/session', keyId, null, 'key']
    expect(await endpoints('account&source=key')).toEqual([byKey])
    expect(await endpoints('account&source=key,token')).toEqual([byToken, byKey])
    expect(await endpoints('oauth&source=session')).toEqual([bySession])
    expect(await endpoints('oauth&source=token,session')).toEqual([bySession])
    expect(await endpoints(`oauth&key_id=${keyId}`)).toEqual([bySession, signedIn])
    expect(await endpoints(`account&client_id=${token.clientId}`)).toEqual([byToken])
    expect(await endpoints('account&external_id=team')).toEqual([])
  })

  test.each([
    ['key_id=key_1', 'key_id', 'must be the id of an API key, key_…'],
    [`client_id=${newId('key')}`, 'client_id', 'must be the id of an app, app_…'],
    ['external_id=', 'external_id', 'must have at least 1 character'],
    [
      `end_user=${encodeURIComponent('a b')}`,
      'end_user',
      'must be 1 to 128 characters from ! to ~, without spaces',
    ],
    ['source=', 'source', 'must be some of key, token, session, with commas between them'],
    ['source=key,app', 'source', 'must be some of key, token, session, with commas between them'],
    ['extended=1', 'extended', 'must be true or false'],
  ])('refuses %s', async (query, field, message) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`${logPath}?${query}`, liveKey)

    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [{ field, in: 'query', message }],
    })
  })
})

describe('GET /v1/account/usage/summary', () => {
  test('has a line of each key, and of the calls without one', async () => {
    const account = await gateway.createAccount()
    const { plaintext, id: keyId } = await gateway.createKey(account.id, { scopes: ['*'] })
    const token = await plantGrant(gateway, {
      ...{ ownerId: account.id, accountId: account.id, scopes: ['account:read'] },
    })
    const answers = [
      await reveal(plaintext),
      await gateway.live.get('/v1/account/keys/key_1', plaintext),
      await gateway.live.get('/v1/account', token.accessToken),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200])

    const path = '/v1/account/usage/summary'
    const { status, body } = await gateway.live.get(`${path}?group_by=key`, account.liveKey)
    const ofKey = await gateway.live.get(
      `${path}?group_by=service&interval=hour&key_id=${keyId}`,
      account.liveKey,
    )

    const { items, ...rest } = Object(body)
    expect([status, ofKey.status]).toEqual([200, 200])
    expect(rest).toMatchObject({ interval: 'day', group_by: 'key' })
    // Thirty days, today, and perhaps tomorrow by now.
    expect([62, 64]).toContain(items.length)
    const used = items.filter(({ requests }: { requests: number }) => requests > 0)
    const point = { service: null, endpoint: null, latency_p50_ms: null, latency_p95_ms: null }
    const start = expect.stringMatching(/T00:00:00\.000Z$/)
    expect(used).toEqual([
      { ...point, start, key_id: keyId, requests: 2, credits: 5, success_rate: 0.5 },
      { ...point, start, key_id: null, requests: 1, credits: 0, success_rate: 1 },
    ])
    const services = new Map<string, number>()
    for (const { service, requests } of Object(ofKey.body).items) {
      services.set(service, (services.get(service) ?? 0) + requests)
    }
    expect(services).toEqual(
      new Map([
        ['contacts', 1],
        ['keys', 1],
      ]),
    )
  })
})

describe('POST /v1/account/audit/export', () => {
  async function exported(key: string, body: object) {
    const begun = await gateway.live.post(exportPath, body, key)
    expect(begun.status).toBe(202)
    const job = await vi.waitUntil(async () => {
      const answer = await gateway.live.get(`${exportPath}/${Object(begun.body).id}`, key)
      const { status } = Object(answer.body)
      return status === 'completed' || status === 'failed' ? Object(answer.body) : null
    }, patience)
    const file = await fetch(job.result_url)
    expect(file.status).toBe(200)
    return { job, rows: csvRecords(await file.text()) }
  }

  test('takes requests of one key and one end user, also when it is repeated', async () => {
    const account = await gateway.createAccount()
    const { plaintext, id: key_id } = await gateway.createKey(account.id, { scopes: ['*'] })
    const wanted = await reveal(plaintext, { 'x-end-user': 'user-5' })
    const others = [
      await reveal(plaintext, { 'x-end-user': 'user-6' }),
      await reveal(plaintext),
      await reveal(account.liveKey, { 'x-end-user': 'user-5' }),
    ]
    expect([wanted, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const filters = { kind: 'requests', key_id, end_user: 'user-5' }

    const { job, rows } = await exported(account.liveKey, filters)
    const again = await gateway.live.post(`${exportPath}/${job.id}/re-export`, {}, account.liveKey)

    const shown = {
      ...filters,
      from: null,
      to: null,
      service: null,
      status_class: null,
      actor: null,
    }
    expect(job.filters).toEqual(shown)
    expect(Object(again.body).filters).toEqual(shown)
    expect(rows.map(({ request_id }) => request_id)).toEqual([wanted.headers.get('x-request-id')])
    expect(Object.keys(rows[0] ?? {})).toEqual([
      ...['request_id', 'ts', 'method', 'endpoint', 'service', 'status', 'credits', 'latency_ms'],
      ...['trace_id', 'backend_module'],
    ])
  })

  test('takes requests of some sources, and says of which one each is', async () => {
    const account = await gateway.createAccount()
    const wanted = await reveal(account.liveKey)
    const { cookie } = await signIn(gateway.live, account.liveKey)
    const app = await registerApp(gateway)
    const asked = { client_id: app.clientId, redirect_uri: redirectUri, scope: 'openid' }
    const screen = `/v1/oauth/authorize?${new URLSearchParams(asked)}`
    const shown = await gateway.live.get(screen, undefined, { cookie })
    expect([wanted.status, shown.status]).toEqual([200, 200])
    const filters = { kind: 'requests', service: 'contacts', source: 'key,token' }

    const { job, rows } = await exported(account.liveKey, filters)
    const again = await gateway.live.post(`${exportPath}/${job.id}/re-export`, {}, account.liveKey)
    const ofSessions = await exported(account.liveKey, { kind: 'requests', source: 'session' })

    expect([job.filters.source, Object(again.body).filters.source]).toEqual([
      'key,token',
      'key,token',
    ])
    expect(rows.map(({ request_id, source }) => [request_id, source])).toEqual([
      [wanted.headers.get('x-request-id'), 'key'],
    ])
    expect(ofSessions.rows.map(({ endpoint, source }) => [endpoint, source])).toEqual([
      ['/v1/oauth/authorize', 'session'],
    ])
  })

  test('refuses them for activity, each by its name', async () => {
    const { liveKey } = await gateway.createAccount()
    const filters = { client_id: newId('app'), external_id: 'team', end_user: 'user-7' }

    const response = await gateway.live.post(exportPath, filters, liveKey)

    const message = 'filters requests: it needs the kind requests'
    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: Object.keys(filters).map((field) => ({ field, in: 'body', message })),
    })
  })
})
