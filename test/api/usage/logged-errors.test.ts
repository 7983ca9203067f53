import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { adviceOf } from '../../../schema/vocabulary/error-texts/error-advice.ts'
import { maxDetailsBytes } from '../../../schema/vocabulary/logged-details.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { ask as askMcp, callTool, failureOf } from '../../support/mcp/mcp.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { parseCsv } from '../../support/requests/csv.ts'
import { openRequest } from '../../support/requests/open-request.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const logPath = '/v1/account/usage/log'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer((_, res) =>
    sendBackendJson(res, 422, { error: { message: 'secret words of a module' } }),
  )
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
  readonly error_code?: string | null
  readonly error_message?: string | null
  readonly error_details?: unknown
}

async function logOf(key: string, query: string): Promise<Entry[]> {
  const { status, body } = await gateway.live.get(`${logPath}?${query}`, key)
  expect(status).toBe(200)
  return Object(body).items
}

/** The extended entry of an answer. */
async function entryOf(key: string, answer: TestResponse): Promise<Entry | undefined> {
  const id = answer.headers.get('x-request-id')
  const [entry] = await logOf(key, `extended=true&request_id=${id}`)
  return entry
}

const nothing = { layer: null, limit: null, scope: null, fields: [] }

interface Failure {
  readonly name: string
  readonly code: keyof typeof adviceOf
  readonly details: unknown
  readonly ask: (account: TestAccount) => Promise<TestResponse>
}

const failures: readonly Failure[] = [
  {
    name: 'a wrong query',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: 'limit', rule: 'pattern' }] },
    ask: ({ liveKey }) => gateway.live.get(`${logPath}?limit=many`, liveKey),
  },
  {
    name: 'a number of a query that is too small',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: 'limit', rule: 'minimum' }] },
    ask: ({ liveKey }) => gateway.live.get(`${logPath}?limit=0`, liveKey),
  },
  {
    name: 'a number of a body that is too small',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: 'budgets.limit_credits', rule: 'minimum' }] },
    ask: ({ liveKey }) => {
      const budgets = [{ period: 'day', limit_credits: 0 }]
      return gateway.live.post('/v1/account/keys', { name: 'k', budgets }, liveKey)
    },
  },
  {
    name: 'an unknown parameter',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: '?', rule: 'additionalProperties' }] },
    ask: ({ liveKey }) => gateway.live.get(`${logPath}?my_secret=1`, liveKey),
  },
  {
    name: 'a name of a free map',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: '?', rule: 'custom' }] },
    ask: ({ liveKey }) =>
      gateway.live.post('/v1/account/keys', { name: 'k', metadata: { my_secret: 5 } }, liveKey),
  },
  {
    name: 'a body of a product',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: 'contact_id', rule: 'required' }] },
    ask: ({ liveKey }) => gateway.live.post('/v1/contacts/reveal', {}, liveKey),
  },
  {
    name: 'a wrong header',
    code: 'INVALID_REQUEST',
    details: { ...nothing, fields: [{ name: '?', rule: 'custom' }] },
    ask: ({ liveKey }) => gateway.live.get('/v1/account', liveKey, { 'x-end-user': 'a b' }),
  },
  {
    name: 'a refusal of a module',
    code: 'INVALID_REQUEST',
    details: { ...nothing, layer: 'module' },
    ask: ({ liveKey }) =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey),
  },
  {
    name: 'a missing scope',
    code: 'FORBIDDEN',
    details: { ...nothing, scope: 'account:read' },
    ask: async ({ id }) => {
      const { plaintext } = await gateway.createKey(id, { scopes: ['seo:read'] })
      return gateway.live.get('/v1/account', plaintext)
    },
  },
  {
    name: 'a tool without its scope',
    code: 'FORBIDDEN',
    details: { ...nothing, scope: 'contacts:write' },
    ask: async ({ id }) => {
      const { plaintext } = await gateway.createKey(id, { scopes: ['seo:read'] })
      return callTool(gateway.live, plaintext, 'contacts_search_contacts')
    },
  },
  {
    name: 'an unknown tool',
    code: 'BAD_REQUEST',
    details: null,
    ask: ({ liveKey }) => callTool(gateway.live, liveKey, 'nothing'),
  },
  {
    name: 'an unknown method of the protocol of agents',
    code: 'NOT_FOUND',
    details: null,
    ask: ({ liveKey }) => askMcp(gateway.live, liveKey, 'nothing'),
  },
  {
    name: 'a quote without any product scope',
    code: 'FORBIDDEN',
    details: { ...nothing, scope: 'contacts:read' },
    ask: async ({ id }) => {
      const { plaintext } = await gateway.createKey(id, { scopes: ['account:read'] })
      return gateway.live.post('/v1/quotes', { calls: [] }, plaintext)
    },
  },
  {
    name: 'a key that hands on more than it has',
    code: 'FORBIDDEN',
    details: { ...nothing, scope: '*' },
    ask: async ({ id }) => {
      const { plaintext } = await gateway.createKey(id, { scopes: ['keys:write'] })
      return gateway.live.post('/v1/account/keys', { name: 'k', scopes: ['*'] }, plaintext)
    },
  },
  {
    name: 'an export of the log without its scope',
    code: 'FORBIDDEN',
    details: { ...nothing, scope: 'usage:read' },
    ask: async ({ id }) => {
      const { plaintext } = await gateway.createKey(id, { scopes: ['audit:write'] })
      return gateway.live.post('/v1/account/audit/export', { kind: 'requests' }, plaintext)
    },
  },
  {
    name: 'too few credits',
    code: 'INSUFFICIENT_CREDITS',
    details: { ...nothing, layer: 'balance' },
    ask: ({ liveKey }) =>
      gateway.live.post('/v1/markets/reports', { industry: 'wine', countries: ['DE'] }, liveKey),
  },
  {
    name: 'a missing object',
    code: 'NOT_FOUND',
    details: null,
    ask: ({ liveKey }) => gateway.live.get('/v1/account/keys/key_unknown', liveKey),
  },
  {
    name: 'a media type that is not read',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    details: null,
    ask: ({ liveKey }) =>
      gateway.live.request('/v1/contacts/reveal', {
        ...{ method: 'POST', key: liveKey, body: 'x' },
        headers: { 'content-type': 'text/plain' },
      }),
  },
]

describe('GET /v1/account/usage/log?extended=true', () => {
  test.each(failures)('says why a request failed: $name', async ({ ask, code, details }) => {
    const account = await gateway.createAccount({ credits: 10 })
    const answer = await ask(account)
    const entry = await entryOf(account.liveKey, answer)

    // A refusal of the protocol of agents has a number of its own.
    if (Object(answer.body).jsonrpc === undefined) {
      expect(Object(answer.body).error).toMatchObject({ code })
    }
    expect(entry).toMatchObject({ status: answer.status, error_code: code })
    expect(entry?.error_message).toBe(adviceOf[code].happened)
    expect(entry?.error_details).toEqual(details)
  })

  test('names the budget that refused, and its limit', async () => {
    const { liveKey } = await gateway.createAccount()
    const budgets = [{ period: 'day', limit_credits: 3 }]
    const made = await gateway.live.post('/v1/account/keys', { name: 'k', budgets }, liveKey)
    expect(made.status).toBe(201)
    const { plaintext } = Object(made.body)
    const answer = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      plaintext,
    )

    expect(answer.status).toBe(402)
    expect(await entryOf(liveKey, answer)).toMatchObject({
      error_code: 'BUDGET_EXCEEDED',
      error_details: { layer: 'key', limit: 3, scope: null, fields: [] },
    })
  })

  test('names the max_credits of the call of a tool, if these refused it', async () => {
    const { liveKey } = await gateway.createAccount()
    const input = { contact_id: 'con_1', max_credits: 4 }
    const answer = await callTool(gateway.live, liveKey, 'contacts_reveal_contact', input)

    expect(failureOf(answer)).toMatchObject({ status: 402, code: 'BUDGET_EXCEEDED' })
    expect(await entryOf(liveKey, answer)).toMatchObject({
      error_code: 'BUDGET_EXCEEDED',
      error_details: { layer: 'max_credits', limit: 4, scope: null, fields: [] },
    })
  })

  test('has nulls for a success, and the ten members of the specification without it', async () => {
    const { liveKey } = await gateway.createAccount()
    const answer = await gateway.live.get('/v1/account', liveKey)
    await gateway.live.get(`${logPath}?limit=0`, liveKey)

    expect(await entryOf(liveKey, answer)).toMatchObject({
      ...{ error_code: null, error_message: null, error_details: null },
    })
    for (const entry of await logOf(liveKey, 'limit=3')) expect(Object.keys(entry)).toHaveLength(10)
  })

  test('cuts details at whole fields, so that they have at most 256 bytes', async () => {
    const { liveKey } = await gateway.createAccount()
    const unknown = Array.from({ length: 40 }, (_, index) => `x${index}=1`).join('&')
    const answer = await gateway.live.get(`${logPath}?${unknown}`, liveKey)
    const details = Object((await entryOf(liveKey, answer))?.error_details)

    expect(answer.status).toBe(422)
    expect(details.fields.length).toBeGreaterThan(2)
    for (const one of details.fields) {
      expect(one).toEqual({ name: '?', rule: 'additionalProperties' })
    }
    expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThanOrEqual(maxDetailsBytes)
  })

  test('keeps no word of a request, whatever its names and values', async () => {
    const word = fc.string({ minLength: 8, maxLength: 40 }).map((text) => `Zq7${text}`)
    const inputs = fc.sample(fc.tuple(word, word, fc.jsonValue({ maxDepth: 2 })), 12)
    const answers: TestResponse[] = []
    const entries: Entry[] = []
    for (const [name, value, json] of inputs) {
      const { liveKey } = await gateway.createAccount()
      const ask = (path: string, body: unknown) => gateway.live.post(path, body, liveKey)
      const at = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
      answers.push(
        await gateway.live.get(`${logPath}?${at}&service=${encodeURIComponent(value)}`, liveKey),
        await ask('/v1/account/keys', { [name]: json, scopes: [value] }),
        await ask('/v1/contacts/search', { [name]: value, limit: value }),
        await ask('/v1/account/keys', { name: 'k', metadata: { [name]: { [value]: json } } }),
      )
      entries.push(...(await logOf(liveKey, 'extended=true&status_class=4xx')))
    }
    expect(answers.every(({ status }) => status === 422)).toBe(true)

    const stored = await gateway.database.query<{ details: string | null }>(
      'SELECT error_details AS details FROM usage.usage_log WHERE request_id = ANY ($1)',
      [answers.map(({ headers }) => headers.get('x-request-id'))],
    )
    expect(entries).toHaveLength(answers.length)
    for (const { error_details: details } of entries) {
      const { fields, ...rest } = Object(details)
      expect(rest).toEqual({ layer: null, limit: null, scope: null })
      for (const { name, rule } of fields) {
        expect(['?', 'name', 'scopes', 'service', 'limit', 'query']).toContain(name)
        expect(rule).toMatch(/^[a-zA-Z]{4,24}$/)
      }
    }
    for (const { details } of stored) {
      expect(details).not.toContain('Zq7')
      expect(Buffer.byteLength(details ?? '')).toBeLessThanOrEqual(maxDetailsBytes)
    }
  })

  test('error_code finds the failures with this code, with any other filter', async () => {
    const { liveKey } = await gateway.createAccount()
    const other = await gateway.createAccount()
    for (const key of [liveKey, liveKey, other.liveKey]) {
      await gateway.live.get(`${logPath}?limit=0`, key)
      await gateway.live.get('/v1/account/keys/key_unknown', key)
      await gateway.live.get('/v1/account', key)
    }

    const found = await logOf(liveKey, 'error_code=NOT_FOUND')
    const ofService = await logOf(liveKey, 'error_code=INVALID_REQUEST&service=usage&source=key')
    const none = await logOf(liveKey, 'error_code=INVALID_REQUEST&service=keys')

    expect(found.map(({ endpoint }) => endpoint)).toEqual([
      ...['/v1/account/keys/key_unknown', '/v1/account/keys/key_unknown'],
    ])
    expect(ofService).toHaveLength(2)
    expect(none).toEqual([])
  })

  test('refuses an error_code that does not exist, and names those that do', async () => {
    const { liveKey } = await gateway.createAccount()
    const answer = await gateway.live.get(`${logPath}?error_code=NO_CODE`, liveKey)
    const message = `must be one of ${Object.keys(adviceOf).toSorted().join(', ')}`
    expect(answer.status).toBe(422)
    const said = String(Object(answer.body).error.details[0].message)
    expect(said.split(', ').length).toBe(message.split(', ').length)
  })

  test('401 is in no log', async () => {
    const { liveKey } = await gateway.createAccount()
    const other = liveKey.endsWith('x') ? 'y' : 'x'
    const wrong = await gateway.live.get('/v1/account', liveKey.slice(0, -1) + other)
    expectError(gateway, wrong, { status: 401, code: 'INVALID_API_KEY' })
    expect(await logOf(liveKey, 'limit=5')).toEqual([])
  })

  test('401 of a token, where only keys are taken, is in no log, and names no entry of one', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const scopes = ['account:read', 'usage:read']
    const { accessToken } = await plantGrant(gateway, { ownerId: id, accountId: id, scopes })

    const answer = await gateway.live.get('/v1/account/keys', accessToken)

    expectError(gateway, answer, { status: 401, code: 'INVALID_API_KEY' })
    expect(Object(answer.body).error).not.toHaveProperty('request_log_url')
    expect(await logOf(liveKey, 'limit=5')).toEqual([])
  })

  test('a key that is revoked while its body is on its way is in no log', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(id)
    const body = JSON.stringify({ contact_id: 'con_1' })
    // The gateway remembers the key.
    expect((await gateway.live.get('/v1/account', plaintext)).status).toBe(200)
    const slow = await openRequest(`${gateway.live.url}/v1/contacts/reveal`, {
      ...{ method: 'POST', body },
      headers: { authorization: `Bearer ${plaintext}`, 'content-type': 'application/json' },
    })
    const path = `/v1/account/keys/${keyId}`
    const revoked = await gateway.live.request(path, { method: 'DELETE', key: liveKey })
    expect(revoked.status).toBe(200)

    expect(await slow.send()).toMatchObject({ status: 401 })

    const entries = await logOf(liveKey, 'limit=5')
    expect(entries.map(({ endpoint }) => endpoint)).toEqual([
      `/v1/account/keys/${keyId}`,
      '/v1/account',
    ])
  })
})

describe('GET /v1/account/usage/errors', () => {
  test('tells codes apart with extended, merges them without, and error_code chooses', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 1 })
    const { plaintext } = await gateway.createKey(id, { scopes: ['account:read'] })
    const reveal = (key: string) =>
      gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
    expect((await reveal(liveKey)).status).toBe(402)
    expect((await reveal(plaintext)).status).toBe(403)
    // The same status of one endpoint, with two codes.
    const budgets = [{ period: 'day', limit_credits: 1 }]
    const made = await gateway.live.post('/v1/account/keys', { name: 'k', budgets }, liveKey)
    expect(made.status).toBe(201)
    await gateway.graphql(
      'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }',
      { input: { accountId: id, credits: 100, reason: 'test', idempotencyKey: 'granted' } },
    )
    expect((await reveal(Object(made.body).plaintext)).status).toBe(402)

    const ask = async (query: string) => {
      const { status, body } = await gateway.live.get(`/v1/account/usage/errors?${query}`, liveKey)
      expect(status).toBe(200)
      return Object(body).items
    }
    const apart = await ask('extended=true')
    const merged = await ask('')
    const chosen = await ask('error_code=BUDGET_EXCEEDED')

    const seen = (items: Record<string, unknown>[]) =>
      items
        .map(({ status, error_code, requests }) => [status, error_code, requests])
        .toSorted((one, other) => (String(one) < String(other) ? -1 : 1))
    expect(seen(apart)).toEqual([
      [402, 'BUDGET_EXCEEDED', 1],
      [402, 'INSUFFICIENT_CREDITS', 1],
      [403, 'FORBIDDEN', 1],
    ])
    expect(apart[0].error_message).toBe(adviceOf[apart[0].error_code as 'FORBIDDEN'].happened)
    expect(seen(merged)).toEqual([
      [402, undefined, 2],
      [403, undefined, 1],
    ])
    expect(merged[0]).not.toHaveProperty('error_message')
    expect(seen(chosen)).toEqual([[402, undefined, 1]])
  })
})

describe('POST /v1/account/audit/export', () => {
  test('extended rows have all columns of the extended log, and error_code chooses', async () => {
    const { liveKey } = await gateway.createAccount()
    const answer = await gateway.live.get(`${logPath}?limit=0`, liveKey)
    await gateway.live.get('/v1/account/keys/key_unknown', liveKey)
    const filters = { kind: 'requests', extended: true, error_code: 'INVALID_REQUEST' }
    const begun = await gateway.live.post('/v1/account/audit/export', filters, liveKey)
    expect(begun.status).toBe(202)
    expect(Object(begun.body).filters).toMatchObject(filters)
    const path = `/v1/account/audit/export/${Object(begun.body).id}`
    const job = await vi.waitUntil(async () => {
      const { body } = await gateway.live.get(path, liveKey)
      return Object(body).status === 'completed' && Object(body)
    }, patience)
    const file = await fetch(job.result_url)
    const [header, ...rows] = parseCsv(await file.text())

    expect(header?.slice(10)).toEqual([
      ...['key_id', 'client_id', 'external_id', 'end_user', 'source'],
      ...['error_code', 'error_message', 'error_details'],
    ])
    expect(rows).toHaveLength(1)
    expect(rows[0]?.[0]).toBe(answer.headers.get('x-request-id'))
    expect(rows[0]?.slice(14, 17)).toEqual([
      ...['key', 'INVALID_REQUEST', adviceOf.INVALID_REQUEST.happened],
    ])
    expect(JSON.parse(rows[0]?.[17] ?? '')).toEqual({
      ...nothing,
      fields: [{ name: 'limit', rule: 'minimum' }],
    })
  })

  test('extended and error_code need the kind requests', async () => {
    const { liveKey } = await gateway.createAccount()
    const filters = { kind: 'activity', extended: true, error_code: 'INVALID_REQUEST' }
    const answer = await gateway.live.post('/v1/account/audit/export', filters, liveKey)
    const message = 'filters requests: it needs the kind requests'
    expectError(gateway, answer, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [
        { field: 'error_code', in: 'body', message },
        { field: 'extended', in: 'body', message },
      ],
    })
  })
})
