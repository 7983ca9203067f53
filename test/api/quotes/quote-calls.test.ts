import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { priceVersion } from '../../../schema/catalog/price-version.ts'
import {
  fingerprintDatabase,
  requestTraces,
  restingVariables,
} from '../../support/database/database-dump.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { expectError, expectStandardHeaders } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { plantPage } from '../../support/oauth/sessions.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let contacts: StubBackend
beforeAll(async () => {
  contacts = await startStubBackend()
  gateway = await startTestGateway({
    ...restingVariables,
    BACKEND_CONTACT_FINDER_URL: contacts.url,
  })
})
afterAll(async () => {
  await gateway.close()
  await contacts.close()
})
beforeEach(() => contacts.answer((_, res) => sendBackendJson(res, 200, {})))

const version = priceVersion(loadCatalog())
const reveal = { method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }
const search = { method: 'POST', path: '/v1/contacts/search', body: { query: 'x', limit: 3 } }
const send = {
  method: 'POST',
  path: '/v1/promote/sends',
  body: { subject: 'a', body: 'b', recipients: ['a@acme.example', 'b@acme.example'] },
}
const getContact = { method: 'GET', path: '/v1/contacts/con_1' }

type Listener = 'live' | 'sandbox'

function quote(calls: readonly unknown[], key?: string, on: Listener = 'live') {
  return gateway[on].post('/v1/quotes', { calls }, key)
}

/** The items of a quote that must succeed. */
async function itemsOf(calls: readonly unknown[], key: string, on: Listener = 'live') {
  const { status, body } = await quote(calls, key, on)
  expect([status, body]).toEqual([200, body])
  const items: Record<string, unknown>[] = Object(body).items
  expect(items).toHaveLength(calls.length)
  return items
}

interface Priced {
  readonly method: string
  readonly path: string
}

const unitNames = { items: 'result', recipients: 'recipient' }

function covered(
  { method, path }: Priced,
  min: number,
  max: number,
  unit: keyof typeof unitNames | null = null,
) {
  const unit_name = unit && unitNames[unit]
  return {
    ...{ method, path, min_credits: min, max_credits: max, unit, unit_name },
    ...{ would_succeed: true, refusal: null },
  }
}

function refused({ method, path }: Priced, refusal: object) {
  return {
    ...{ method, path, min_credits: 0, max_credits: 0, unit: null, unit_name: null },
    ...{ would_succeed: false, refusal },
  }
}

describe('POST /v1/quotes', () => {
  test('tells the least and the most that each call costs, and what there is for them', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 1000 })

    const response = await quote([reveal, search, send, getContact], liveKey)

    expect([response.status, response.body]).toEqual([
      200,
      {
        items: [
          covered(reveal, 5, 5),
          covered(search, 0, 3, 'items'),
          covered(send, 2, 2, 'recipients'),
          covered(getContact, 0, 0),
        ],
        total_max_credits: 10,
        available: 1000,
        budget_remaining: null,
        price_version: version,
        as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ])
    expectStandardHeaders(response)
    expect(response.headers.has('x-credits-charged')).toBe(false)
  })

  test('asks no backend, changes nothing and leaves the idempotency key unused', async () => {
    const { liveKey } = await gateway.createAccount()
    const before = await fingerprintDatabase(gateway.database, requestTraces)
    const asked = contacts.received.length
    const headers = { 'idempotency-key': randomUUID() }

    const quoted = await gateway.live.post('/v1/quotes', { calls: [reveal] }, liveKey, headers)

    expect(quoted.status).toBe(200)
    expect(contacts.received).toHaveLength(asked)
    expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
    const real = await gateway.live.post(reveal.path, reveal.body, liveKey, headers)
    expect([real.status, real.headers.get('x-credits-charged')]).toEqual([200, '5'])
    expect(real.headers.has('idempotent-replayed')).toBe(false)
  })

  test('is logged as billing, free of charge', async () => {
    const { liveKey } = await gateway.createAccount()
    const { headers } = await quote([reveal], liveKey)

    const id = headers.get('x-request-id')
    const { body } = await gateway.live.get(`/v1/account/usage/log?request_id=${id}`, liveKey)

    expect(Object(body).items).toMatchObject([
      {
        ...{ request_id: id, method: 'POST', endpoint: '/v1/quotes', service: 'billing' },
        ...{ status: 200, credits: 0, backend_module: 'subgraph:account' },
      },
    ])
  })

  test('has the price version of the OpenAPI document', async () => {
    const { liveKey } = await gateway.createAccount()

    const { body } = await quote([reveal], liveKey)
    const document = await gateway.live.get('/v1/openapi.json')

    expect(Object(document.body).info['x-price-version']).toBe(Object(body).price_version)
  })

  test('quotes 100 calls', async () => {
    const { liveKey } = await gateway.createAccount()

    const items = await itemsOf(Array(100).fill(reveal), liveKey)

    expect(items).toEqual(Array(100).fill(covered(reveal, 5, 5)))
  })
})

describe('who may ask for a quote', () => {
  test.each([
    ['openid'],
    ['openid', 'profile', 'email', 'offline_access', 'account:read', 'usage:read'],
  ])('is no app whose token has no scope of a product: %j', async (...scopes) => {
    const { id } = await gateway.createAccount({ credits: 777 })
    const { accessToken } = await plantGrant(gateway, { ownerId: id, accountId: id, scopes })

    const response = await quote([reveal], accessToken)

    expectError(gateway, response, {
      ...{ status: 403, code: 'FORBIDDEN' },
      message: 'This access token lacks the scope contacts:read, or another one of a product.',
    })
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="${gateway.baseUrl}/v1", error="insufficient_scope"`,
    )
  })

  test('is no key and no role without a scope of a product, and the trail has the refusal', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(account.id, { scopes: ['account:read'] })
    const viewer = await plantPage(gateway, account, { role: 'VIEWER' })

    const byKey = await quote([reveal], plaintext)
    const byPerson = await viewer.send('POST', '/v1/quotes', { calls: [reveal] })

    expectError(gateway, byKey, {
      ...{ status: 403, code: 'FORBIDDEN' },
      message: 'This API key lacks the scope contacts:read, or another one of a product.',
    })
    expectError(gateway, byPerson, {
      ...{ status: 403, code: 'FORBIDDEN' },
      message:
        'The role of this session lacks the scope contacts:read, or another one of a product.',
    })
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT result FROM usage.audit_event WHERE request_id = ANY ($1)`,
        [[byKey, byPerson].map(({ headers }) => headers.get('x-request-id'))],
      )
      expect(lines).toEqual([{ result: 'FORBIDDEN' }, { result: 'FORBIDDEN' }])
    }, patience)
  })

  test.each([
    ['the scope of no quoted call', ['seo:read'], [reveal, getContact], null],
    ['quotes of no product', ['contacts:write'], [{ method: 'GET', path: '/v1/account' }], null],
    ['the scope of one quoted call', ['contacts:write'], [getContact, reveal], 777],
    ['the scope of a call with a wrong body', ['contacts:write'], [{ ...reveal, body: {} }], 777],
    ['account:read', ['seo:read', 'account:read'], [reveal], 777],
  ])(
    'learns the credits and budgets of the account with %s as %j says',
    async (_, scopes, calls, credits) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 777 })
      const budgets = [{ period: 'day', limit_credits: 123 }]
      const set = await gateway.live.request('/v1/account/budgets', {
        ...{ method: 'PUT', key: liveKey, body: { budgets } },
      })
      expect(set.status).toBe(200)
      const { accessToken } = await plantGrant(gateway, {
        ...{ ownerId: id, accountId: id, scopes: ['openid', ...scopes] },
      })
      const { plaintext } = await gateway.createKey(id, { scopes })

      for (const credential of [accessToken, plaintext]) {
        const { status, body } = await quote(calls, credential)

        const { available, budget_remaining } = Object(body)
        expect([status, available, budget_remaining]).toEqual([200, credits, credits && 123])
      }
    },
  )

  test('is any key with a scope of a product; what its scopes do not cover is refused as the call would be', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext: key } = await gateway.createKey(id, { scopes: ['contacts:read'] })

    const items = await itemsOf([reveal, getContact], key)

    const real = await gateway.live.post(reveal.path, reveal.body, key)
    expect(real.status).toBe(403)
    const { code, message } = Object(real.body).error
    expect(items).toEqual([
      refused(reveal, { code, message, details: null }),
      covered(getContact, 0, 0),
    ])
  })

  test('is any access token with a scope of a product, and its refusals are those of tokens', async () => {
    const { id } = await gateway.createAccount()
    const { accessToken } = await plantGrant(gateway, {
      ...{ ownerId: id, accountId: id, scopes: ['openid', 'contacts:write'] },
    })

    const items = await itemsOf([reveal, getContact], accessToken)

    const message = 'This access token lacks the scope contacts:read.'
    expect(items).toEqual([
      covered(reveal, 5, 5),
      refused(getContact, { code: 'FORBIDDEN', message, details: null }),
    ])
  })

  test('is nobody without a key, or with a key from elsewhere', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { ipAllowlist: ['192.0.2.1'] })

    expectError(gateway, await quote([reveal]), { status: 401, code: 'AUTHENTICATION_REQUIRED' })
    expectError(gateway, await quote([reveal], plaintext), { status: 403, code: 'IP_NOT_ALLOWED' })
  })

  test('leaves no refusal in the audit trail for a call that is only quoted', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['seo:read'] })
    await itemsOf([reveal], plaintext)
    // A refused call after it has its line, so that of the quote would be there too.
    const real = await gateway.live.post(reveal.path, reveal.body, plaintext)
    expect(real.status).toBe(403)

    const refusals = await vi.waitUntil(async () => {
      const { body } = await gateway.live.get('/v1/account/audit/events', liveKey)
      const lines: { result: string; request_id: string }[] = Object(body).items
      const found = lines.filter(({ result }) => result === 'FORBIDDEN')
      return found.length > 0 && found
    }, patience)
    const requestIds = refusals.map(({ request_id }) => request_id)
    expect(requestIds).toEqual([real.headers.get('x-request-id')])
  })
})

describe('a call that a quote refuses', () => {
  test.each([
    ['GET', '/v1/account'],
    ['POST', '/v1/quotes'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1/contacts'],
    ['GET', '/v1/contacts/con_1/'],
    ['GET', '/v1/Contacts/con_1'],
    ['GET', '/v1//contacts/con_1'],
    ['GET', '/v1/contacts/%E0%A4%A'],
    ['HEAD', '/v1/contacts/con_1'],
    ['DELETE', '/v1/contacts/con_1'],
    ['POST', '/v1/%63ontacts/search'],
  ])('is NOT_FOUND where %s %s is no product operation', async (method, path) => {
    const { liveKey } = await gateway.createAccount()

    const items = await itemsOf([{ method, path }], liveKey)

    const message = `${method} ${path} is no product operation.`
    expect(items).toEqual([
      refused({ method, path }, { code: 'NOT_FOUND', message, details: null }),
    ])
  })

  test('is INVALID_REQUEST with the fields that the call would name', async () => {
    const { liveKey } = await gateway.createAccount()
    const calls = [
      { ...search, body: { limit: 26, surprise: 1 } },
      { ...search, path: `${search.path}?surprise=1`, body: [1] },
      { method: 'POST', path: search.path },
      { method: 'GET', path: '/v1/reviews/items', query: { limit: 'many' } },
      { method: 'GET', path: `/v1/contacts/${'x'.repeat(65)}` },
    ]

    const items = await itemsOf(calls, liveKey)

    for (const [index, { method, path, ...call }] of calls.entries()) {
      const query = 'query' in call ? `?${new URLSearchParams(Object(call.query))}` : ''
      const body = 'body' in call ? call.body : undefined
      const real = await gateway.live.request(path + query, { method, key: liveKey, body })
      expect([path, real.status]).toEqual([path, 422])
      const { code, message, details } = Object(real.body).error
      expect(items[index]).toEqual(refused({ method, path }, { code, message, details }))
    }
  })

  test('is INSUFFICIENT_CREDITS with its prices, where the credits do not cover that call alone', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 4 })

    const { body } = await quote([reveal, search, search], liveKey)

    const message = 'This request can cost 5 credits; 4 are available.'
    expect(body).toMatchObject({
      items: [
        {
          ...covered(reveal, 5, 5),
          would_succeed: false,
          refusal: { code: 'INSUFFICIENT_CREDITS', message, details: null },
        },
        covered(search, 0, 3, 'items'),
        covered(search, 0, 3, 'items'),
      ],
      ...{ total_max_credits: 11, available: 4 },
    })
    const real = await gateway.live.post(reveal.path, reveal.body, liveKey)
    expect([real.status, Object(real.body).error.message]).toEqual([402, message])
  })
})

describe('the credits that a quote shows', () => {
  test('are the balance less open holds', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 8 })
    const held = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    contacts.answer(async (_, res) => {
      held.resolve()
      await answered.promise
      sendBackendJson(res, 200, {})
    })
    const running = gateway.live.post(reveal.path, reveal.body, liveKey)
    await held.promise

    const { body } = await quote([reveal], liveKey)
    answered.resolve()

    expect(body).toMatchObject({ available: 3, items: [{ would_succeed: false }] })
    expect((await running).status).toBe(200)
  })

  test('are play credits in the sandbox, where the prices are those of the catalog', async () => {
    const { sandboxKey } = await gateway.createAccount({ credits: 0 })

    const { status, body } = await quote([reveal, search], sandboxKey, 'sandbox')

    expect(status).toBe(200)
    expect(body).toMatchObject({
      items: [covered(reveal, 5, 5), covered(search, 0, 3, 'items')],
      ...{ total_max_credits: 8, available: 100_000, price_version: version },
    })
  })
})

describe('the budgets of the caller', () => {
  const daily = (limit: number, more = {}) => [{ period: 'day', limit_credits: limit, ...more }]

  async function issue(key: string, more: object, on: Listener = 'live'): Promise<string> {
    const { status, body } = await gateway[on].post(
      '/v1/account/keys',
      { name: 'Team', ...more },
      key,
    )
    expect({ status, body }).toMatchObject({ status: 201 })
    return Object(body).plaintext
  }

  async function put(path: string, key: string, budgets: readonly object[]): Promise<void> {
    const options = { method: 'PUT', key, body: { budgets } }
    const { status, body } = await gateway.live.request(`/v1/account${path}`, options)
    expect([status, body]).toEqual([200, body])
  }

  test.each(['live', 'sandbox'] as const)(
    'refuse a quoted call as they refuse the call, and its prices stay (%s)',
    async (on) => {
      const { liveKey, sandboxKey } = await gateway.createAccount()
      const budgets = [...daily(7), { period: 'total', limit_credits: 100 }]
      const key = await issue(on === 'live' ? liveKey : sandboxKey, { budgets }, on)
      const before = await quote([reveal, reveal], key, on)
      const first = await gateway[on].post(reveal.path, reveal.body, key)

      const { body } = await quote([reveal, { ...search, body: { query: 'x', limit: 2 } }], key, on)

      expect(before.body).toMatchObject({
        items: [covered(reveal, 5, 5), covered(reveal, 5, 5)],
        ...{ total_max_credits: 10, budget_remaining: 7 },
      })
      expect([first.status, first.headers.get('x-budget-remaining')]).toEqual([200, '2'])
      const real = await gateway[on].post(reveal.path, reveal.body, key)
      expect(real.status).toBe(402)
      const { code, message, details, remedy } = Object(real.body).error
      expect(code).toBe('BUDGET_EXCEEDED')
      expect(body).toMatchObject({
        items: [
          {
            ...covered(reveal, 5, 5),
            ...{ would_succeed: false, refusal: { code, message, details, remedy } },
          },
          covered(search, 0, 2, 'items'),
        ],
        ...{ total_max_credits: 7, budget_remaining: 2 },
      })
    },
  )

  test('are those of the key, of its external id and of the account', async () => {
    const { liveKey } = await gateway.createAccount()
    await put('/budgets', liveKey, daily(3))
    const key = await issue(liveKey, { external_id: 'team-a', budgets: daily(100) })
    await put('/external-ids/team-a/budgets', liveKey, daily(4))

    const { body } = await quote([reveal, getContact], key)

    const [item, free] = Object(body).items
    expect(free).toEqual(covered(getContact, 0, 0))
    const { code, message, details, remedy } = Object(
      (await gateway.live.post(reveal.path, reveal.body, key)).body,
    ).error
    expect(item.refusal).toEqual({ code, message, details, remedy })
    expect(details).toMatchObject([{ of: 'external_id' }, { of: 'account' }])
    expect(Object(body).budget_remaining).toBe(3)
  })

  test('do not refuse where they only report', async () => {
    const { liveKey } = await gateway.createAccount()
    const key = await issue(liveKey, { budgets: daily(3, { enforce: false }) })

    const { body } = await quote([reveal], key)

    expect(body).toMatchObject({ items: [covered(reveal, 5, 5)], budget_remaining: 3 })
  })

  test('come after the balance', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 4 })
    const key = await issue(liveKey, { budgets: daily(3) })

    const [item] = await itemsOf([reveal], key)

    expect(item).toMatchObject({ refusal: { code: 'INSUFFICIENT_CREDITS', details: null } })
  })
})

describe('the query of a quoted call', () => {
  const visitors = '/v1/who-is-searching/visitors'
  const domain = { domain: 'acme.example' }

  test.each([
    [`${visitors}?domain=acme.example&limit=7`, undefined],
    [`${visitors}?domain=acme.example`, { limit: 7 }],
    [visitors, { ...domain, limit: '7' }],
    [visitors, { domain: ['acme.example'], limit: [7] }],
    [`${visitors}?`, { ...domain, limit: 7 }],
  ])('may be in the path %s and in the object %j', async (path, query) => {
    const { liveKey } = await gateway.createAccount()

    const items = await itemsOf([{ method: 'GET', path, query }], liveKey)

    expect(items).toEqual([covered({ method: 'GET', path }, 0, 7, 'items')])
  })

  test('is refused as a repeated parameter is, where both have the same one', async () => {
    const { liveKey } = await gateway.createAccount()
    const path = `${visitors}?domain=acme.example&limit=7`

    const items = await itemsOf([{ method: 'GET', path, query: { limit: 8 } }], liveKey)

    const real = await gateway.live.get(`${path}&limit=8`, liveKey)
    const { code, message, details } = Object(real.body).error
    expect(code).toBe('INVALID_REQUEST')
    expect(items).toEqual([refused({ method: 'GET', path }, { code, message, details })])
  })
})

describe('the body of a quote', () => {
  test('that has mistakes is 422, with every wrong member', async () => {
    const { liveKey } = await gateway.createAccount()
    const calls = [
      reveal,
      7,
      { method: 'BREW', path: 'contacts', query: [], body: null, credits: 5 },
      { path: '/v1/ä', query: { a: null, b: [1, {}], ['__proto__']: null, c: true } },
      { method: 'GET', path: '/v1/contacts/con_1#part' },
    ]

    const response = await gateway.live.post('/v1/quotes', { calls, dry_run: true }, liveKey)

    expect(response.status).toBe(422)
    const { code, details } = Object(response.body).error
    expect(code).toBe('INVALID_REQUEST')
    const fields = details.map(({ field }: { field: string }) => field)
    expect(fields.toSorted()).toEqual([
      'calls.1',
      'calls.2.credits',
      'calls.2.method',
      'calls.2.path',
      'calls.2.query',
      'calls.3.method',
      'calls.3.path',
      'calls.3.query.__proto__',
      'calls.3.query.a',
      'calls.3.query.b.1',
      'calls.4.path',
      'dry_run',
    ])
  })

  test.each([
    ['no call', [], 'must have at least 1 call'],
    ['101 calls', Array(101).fill(reveal), 'must have at most 100 calls'],
    ['calls that are no list', { 0: reveal }, 'must be a list of calls'],
  ])('is 422 with %s', async (_, calls, message) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post('/v1/quotes', { calls }, liveKey)

    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `calls: ${message}` },
      details: [{ field: 'calls', in: 'body', message }],
    })
  })
})

describe('the rate limit', () => {
  test.each([
    [1, 9],
    [10, 9],
    [11, 8],
    [95, 0],
    [100, 0],
  ])(
    'counts a quote of %i calls as one request for every ten begun: %i of 10 are left',
    async (count, left) => {
      const remaining = async () => {
        // A window that nobody has used; the two counts of a quote may fall into two of them.
        const { liveKey } = await createAccountOnTier(gateway, 'STARTER')
        const { status, headers } = await quote(Array(count).fill(getContact), liveKey)
        expect(status).toBe(200)
        return Number(headers.get('x-ratelimit-remaining'))
      }

      await vi.waitUntil(async () => (await remaining()) === left, patience)
    },
  )

  test('refuses a quote that is too large for the rest of the window', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')
    const calls = Array(60).fill(getContact)

    const answers: TestResponse[] = []
    await vi.waitUntil(async () => {
      answers.push(await quote(calls, liveKey), await quote(calls, liveKey))
      return answers.at(-1)?.status === 429
    }, patience)

    const refusal = answers.at(-1)
    if (refusal)
      expectError(gateway, refusal, {
        ...{ status: 429, code: 'RATE_LIMIT_EXCEEDED', page: 'rate-limits' },
        message: 'The limit of 10 requests per second is exceeded.',
      })
    expect(refusal?.headers.get('retry-after')).toBe('1')
  })
})
