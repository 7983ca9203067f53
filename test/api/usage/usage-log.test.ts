import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const logPath = '/v1/account/usage/log'

async function readLog(key: string, query = '') {
  const response = await gateway.live.get(logPath + query, key)
  expect(response.status).toBe(200)
  const { items, next_cursor: nextCursor } = Object(response.body)
  return { items, nextCursor }
}

function statusesOf(items: readonly { status: number }[]): number[] {
  return items.map(({ status }) => status)
}

describe('GET /v1/account/usage/log', () => {
  test('shows the ten fields of the spec and nothing else', async () => {
    const { liveKey } = await gateway.createAccount()
    const call = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    const response = await gateway.live.get(logPath, liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      items: [
        {
          request_id: call.headers.get('x-request-id'),
          ts: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
          method: 'POST',
          endpoint: '/v1/contacts/reveal',
          service: 'contacts',
          status: 200,
          credits: 5,
          latency_ms: expect.toSatisfy((ms) => Number.isInteger(ms) && ms >= 0),
          trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
          backend_module: 'contact-finder',
        },
      ],
      next_cursor: null,
    })
  })

  test('keeps the query out of the endpoint', async () => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.get('/v1/seo/keywords?topic=secret', liveKey)

    const { items } = await readLog(liveKey)

    expect(items).toMatchObject([{ method: 'GET', endpoint: '/v1/seo/keywords', credits: 2 }])
  })

  test('has one entry for each authenticated request, whatever its status, newest first', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 4 })
    const narrow = await gateway.createKey(id, { scopes: ['seo:read'] })
    const fenced = await gateway.createKey(id, { ipAllowlist: ['10.0.0.0/8'] })

    const answers = [
      await gateway.live.get('/v1/account', liveKey),
      await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey),
      await gateway.live.get('/v1/account', narrow.plaintext),
      await gateway.live.get('/v1/account', fenced.plaintext),
      await gateway.live.get(`/v1/account/keys/${newId('key')}`, liveKey),
      await gateway.live.post('/v1/account/keys', {}, liveKey),
      await gateway.live.post('/v1/contacts/reveal', '{', liveKey),
      await gateway.live.post('/v1/account/keys', 'a', liveKey, { 'content-type': 'text/plain' }),
      await gateway.live.get('/v1/seo/keywords?topic=a', liveKey),
    ]

    const { items } = await readLog(liveKey)
    const statuses = [200, 402, 403, 403, 404, 422, 422, 415, 200]
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    expect(statusesOf(items)).toEqual(statuses.toReversed())
    expect(items.map((item: { request_id: string }) => item.request_id)).toEqual(
      answers.map(({ headers }) => headers.get('x-request-id')).toReversed(),
    )
    expect(items.map((item: { credits: number }) => item.credits)).toEqual([
      2, 0, 0, 0, 0, 0, 0, 0, 0,
    ])
  })

  test('has an entry for a request above the rate limit', async () => {
    const account = await createAccountOnTier(gateway, 'STARTER')
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => gateway.live.get('/v1/account', account.liveKey)),
    )

    const refused = answers.filter(({ status }) => status === 429)
    // Read through the database: the account's own reading could be refused too.
    await expect
      .poll(() => loggedRequests(account.id), patience)
      .toEqual(
        answers
          .map(({ status, headers }) => ({ request_id: headers.get('x-request-id'), status }))
          .toSorted((a, b) => (String(a.request_id) < String(b.request_id) ? -1 : 1)),
      )
    expect(refused.length).toBeGreaterThan(0)
  })

  async function loggedRequests(accountId: string) {
    return gateway.database.query<{ request_id: string; status: number }>(
      'SELECT request_id, status FROM usage.usage_log WHERE account_id = $1 ORDER BY request_id',
      [accountId],
    )
  }

  test('has no entry for a request of an unknown caller', async () => {
    const { liveKey } = await gateway.createAccount()
    const before = await countEntries()

    await gateway.live.get('/v1/account')
    await gateway.live.get('/v1/account', newApiKey('svc', 'live').plaintext)
    await gateway.live.get('/v1/account', `${liveKey}x`)
    await gateway.live.get('/v1/health', liveKey)
    await gateway.live.get('/v1/nothing', liveKey)

    const { items } = await readLog(liveKey)
    expect(items).toEqual([])
    expect(await countEntries()).toBe(before)
  })

  async function countEntries(): Promise<number> {
    // Only entries without a known sender could be among these.
    const [row] = await gateway.database.query<{ entries: number }>(
      `SELECT count(*)::int AS entries FROM usage.usage_log
       WHERE account_id NOT IN (SELECT id FROM account.account)`,
    )
    return row?.entries ?? -1
  }

  test('names the service group and the module of every kind of route', async () => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.get('/v1/account', liveKey)
    await gateway.live.get('/v1/account/keys', liveKey)
    await gateway.live.get(logPath, liveKey)
    await gateway.live.get('/v1/who-is-searching/companies/cmp_1', liveKey)

    const { items } = await readLog(liveKey)

    expect(items).toMatchObject([
      { service: 'who-is-searching', backend_module: 'who-is-searching' },
      { service: 'usage', backend_module: 'subgraph:usage' },
      { service: 'keys', backend_module: 'subgraph:keys' },
      { service: 'account', backend_module: 'subgraph:account' },
    ])
  })

  test('stores the key that was used, for queries in the database', async () => {
    const { id } = await gateway.createAccount()
    const key = await gateway.createKey(id)

    await gateway.live.get(logPath, key.plaintext)
    await gateway.live.get(logPath, key.plaintext)

    const [row] = await gateway.database.query<{ key_id: string }>(
      'SELECT key_id FROM usage.usage_log WHERE account_id = $1 LIMIT 1',
      [id],
    )
    expect(row).toEqual({ key_id: key.id })
  })

  test('filters by service and by status class, alone and together', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 5 })
    await gateway.live.get('/v1/account', liveKey)
    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    await gateway.live.get(`/v1/account/keys/${newId('key')}`, liveKey)

    const contacts = await readLog(liveKey, '?service=contacts')
    const failed = await readLog(liveKey, '?status_class=4xx')
    const failedContacts = await readLog(liveKey, '?service=contacts&status_class=4xx')
    const broken = await readLog(liveKey, '?status_class=5xx')

    expect(statusesOf(contacts.items)).toEqual([402, 200])
    expect(statusesOf(failed.items)).toEqual([404, 402])
    expect(statusesOf(failedContacts.items)).toEqual([402])
    expect(broken).toEqual({ items: [], nextCursor: null })
  })

  test('lists filtered entries in pages, without skipping or repeating one', async () => {
    const { liveKey } = await gateway.createAccount()
    const sent: (string | null)[] = []
    for (let count = 0; count < 5; count += 1) {
      const { headers } = await gateway.live.get('/v1/contacts/con_1', liveKey)
      sent.unshift(headers.get('x-request-id'))
      await gateway.live.get('/v1/account', liveKey)
    }

    const pages: string[][] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { items, nextCursor } = await readLog(liveKey, `?service=contacts&limit=2${query}`)
      pages.push(items.map((item: { request_id: string }) => item.request_id))
      cursor = nextCursor
    }

    // Reading leaves newer entries of another service: the cursor is a position, so nothing moves.
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(sent)
  })

  test('accepts a cursor with any filters', async () => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.get('/v1/contacts/con_1', liveKey)
    await gateway.live.get('/v1/account', liveKey)
    const { nextCursor } = await readLog(liveKey, '?limit=1')

    const { items } = await readLog(liveKey, `?service=contacts&cursor=${nextCursor}`)

    expect(items).toMatchObject([{ service: 'contacts' }])
  })

  test('returns at most 50 entries by default', async () => {
    const { liveKey } = await gateway.createAccount()
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        Array.from({ length: 13 }, () => gateway.live.get('/v1/account/credits', liveKey)),
      )
    }

    const usual = await readLog(liveKey)
    const all = await readLog(liveKey, '?limit=200&service=account')

    expect(usual.items).toHaveLength(50)
    expect(usual.nextCursor).toEqual(expect.any(String))
    expect(all.items).toHaveLength(52)
    expect(all.nextCursor).toBeNull()
  })

  test("never shows another account's requests", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    await gateway.live.get('/v1/account', own.liveKey)
    await gateway.live.get('/v1/account/credits', foreign.liveKey)

    const { items } = await readLog(own.liveKey)

    expect(items).toMatchObject([{ endpoint: '/v1/account' }])
  })

  test("refuses another account's cursor", async () => {
    const [own, foreign] = await Promise.all([gateway.createAccount(), gateway.createAccount()])
    await gateway.live.get('/v1/account', foreign.liveKey)
    await gateway.live.get('/v1/account', foreign.liveKey)
    const { nextCursor } = await readLog(foreign.liveKey, '?limit=1')

    const response = await gateway.live.get(`${logPath}?cursor=${nextCursor}`, own.liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: 'cursor: is not a cursor of this list',
      details: [{ field: 'cursor', in: 'query', message: 'is not a cursor of this list' }],
    })
  })

  test('refuses an unknown service with a list of the known ones', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`${logPath}?service=weather`, liveKey)

    const services =
      'contacts, promote, seo, markets, campaigns, cloud, reviews, who-is-searching, account, keys, usage, billing, oauth'
    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `service: must be one of ${services}`,
      details: [{ field: 'service', in: 'query', message: `must be one of ${services}` }],
    })
  })

  test.each(['2', '6xx', '0xx', '2XX', '', '200'])('refuses the status class %j', async (text) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`${logPath}?status_class=${text}`, liveKey)

    const message = 'must be one of 1xx, 2xx, 3xx, 4xx, 5xx'
    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `status_class: ${message}`,
      details: [{ field: 'status_class', in: 'query', message }],
    })
  })

  test('shows live calls live and sandbox calls in the sandbox', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    await gateway.live.get('/v1/account', liveKey)
    await gateway.sandbox.post('/v1/contacts/reveal', { contact_id: 'con_1' }, sandboxKey)

    const live = await gateway.live.get(logPath, liveKey)
    const sandbox = await gateway.sandbox.get(logPath, sandboxKey)

    expect(live.body).toMatchObject({ items: [{ endpoint: '/v1/account' }], next_cursor: null })
    expect(sandbox.body).toMatchObject({
      items: [{ endpoint: '/v1/contacts/reveal', status: 200, credits: 0 }],
      next_cursor: null,
    })
  })
})

describe('traceparent', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

  test('sets the trace id in the log', async () => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.get('/v1/account', liveKey, {
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    })

    const { items } = await readLog(liveKey)

    expect(items).toMatchObject([{ trace_id: traceId }])
  })

  test.each([
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${traceId}`,
    'nonsense',
  ])('is ignored when it is not valid: %s', async (traceparent) => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.get('/v1/account', liveKey, { traceparent })

    const { items } = await readLog(liveKey)

    expect(items).toMatchObject([{ trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) }])
    expect(items[0].trace_id).not.toBe('0'.repeat(32))
    expect(items[0].trace_id).not.toBe(traceId)
  })
})
