import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { toolName } from '../../../schema/catalog/tool-name.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { argumentsOf } from '../../support/mcp/example-arguments.ts'
import {
  accepted,
  ask,
  askOlder,
  callTool,
  failureOf,
  headersOf,
  modernMeta,
  resultOf,
} from '../../support/mcp/mcp.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { productExamples } from '../../support/requests/every-row.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const wrongs = { code: 'INVALID_REQUEST', status: 422 }

async function lastEntry(key: string, on: 'live' | 'sandbox' = 'live') {
  const { body } = await gateway[on].get('/v1/account/usage/log?limit=1', key)
  return Object(body).items[0]
}

describe.each(productExamples())('the tool of $title', (example) => {
  const name = toolName({ service: example.file.slug, id: example.operation.id })

  test('answers in the sandbox what its REST route answers, and is logged as that route', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const rest = await gateway.sandbox.request(example.url, {
      method: example.method,
      key: sandboxKey,
      body: example.body,
    })

    const response = await callTool(gateway.sandbox, sandboxKey, name, argumentsOf(example))

    const result = resultOf(response)
    expect(result.isError, JSON.stringify(result)).toBe(false)
    expect(result).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: expect.any(String) }],
      structuredContent: expect.any(Object),
      isError: false,
      _meta: {
        credits_charged: 0,
        credits_remaining: expect.any(Number),
        budget_remaining: null,
        replayed: false,
        request_id: response.headers.get('x-request-id'),
        'io.modelcontextprotocol/serverInfo': expect.any(Object),
      },
    })
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    expect(Object.keys(result.structuredContent)).toEqual(Object.keys(Object(rest.body)))
    const { method, endpoint, service, status, credits } = await lastEntry(sandboxKey, 'sandbox')
    expect({ method, endpoint, service, status, credits }).toEqual({
      ...{ method: example.method, endpoint: example.url.split('?')[0] },
      ...{ service: example.file.slug, status: rest.status, credits: 0 },
    })
  })
})

describe('a free tool', () => {
  test('credits answers the balance', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 70 })

    const { structuredContent, _meta } = resultOf(await callTool(gateway.live, liveKey, 'credits'))

    expect(structuredContent).toEqual({
      balance: 70,
      held: 0,
      available: 70,
      as_of: expect.any(String),
    })
    expect(_meta).toMatchObject({ credits_charged: 0, credits_remaining: 70, replayed: false })
    expect(await lastEntry(liveKey)).toMatchObject({
      method: 'GET',
      endpoint: '/v1/account/credits',
      service: 'account',
      status: 200,
    })
  })

  test('quote answers what calls would cost, also with account:read alone', async () => {
    const { id } = await gateway.createAccount({ credits: 70 })
    const { plaintext } = await gateway.createKey(id, { scopes: ['account:read'] })
    const calls = [{ method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }]

    const { structuredContent } = resultOf(
      await callTool(gateway.live, plaintext, 'quote', { calls }),
    )

    expect(structuredContent).toMatchObject({
      items: [{ refusal: { code: 'FORBIDDEN' } }],
      available: 70,
    })
    expect(failureOf(await callTool(gateway.live, plaintext, 'quote', {}))).toMatchObject(wrongs)
  })

  test('quote needs a scope of any product, or account:read', async () => {
    const { id } = await gateway.createAccount()
    const calls = [{ method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }]
    const quoteBy = async (...scopes: string[]) => {
      const { plaintext } = await gateway.createKey(id, { scopes })
      return callTool(gateway.live, plaintext, 'quote', { calls })
    }

    const bySeo = resultOf(await quoteBy('seo:read'))
    const byKeys = await quoteBy('keys:read')

    expect([bySeo.isError, Object.keys(bySeo.structuredContent)]).toEqual([
      false,
      expect.arrayContaining(['items', 'available']),
    ])
    expect([byKeys.status, Object(byKeys.body).error.code]).toEqual([403, 'FORBIDDEN'])
  })

  test('usage needs usage:read, and refuses what is not known', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['account:read'] })

    const { structuredContent } = resultOf(
      await callTool(gateway.live, liveKey, 'usage', { interval: 'hour' }),
    )
    const refused = await callTool(gateway.live, plaintext, 'usage')

    expect(structuredContent).toMatchObject({ interval: 'hour', group_by: 'service' })
    expectError(gateway, refused, {
      status: 403,
      code: 'FORBIDDEN',
      message: 'This API key lacks the scope usage:read.',
    })
    const failure = failureOf(await callTool(gateway.live, liveKey, 'usage', { max_credits: 1 }))
    expect(failure).toMatchObject({ ...wrongs, details: [{ field: 'max_credits', in: 'query' }] })
  })
})

describe('a call of a tool that is refused', () => {
  test('is one request of the limit and one entry of the log; all other messages are POST /mcp of the account', async () => {
    const { liveKey } = await gateway.createAccount()
    const notified = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const input = { contact_id: 'con_1' }
    const answers = [
      await askOlder(gateway.live, liveKey, 'initialize', { protocolVersion: '2025-11-25' }),
      await gateway.live.post('/mcp', notified, liveKey, accepted),
      await askOlder(gateway.live, liveKey, 'ping'),
      await ask(gateway.live, liveKey, 'server/discover'),
      await ask(gateway.live, liveKey, 'tools/list'),
      await callTool(gateway.live, liveKey, 'contacts_get_contact', input),
    ]

    const { body } = await gateway.live.get('/v1/account/usage/log', liveKey)

    expect(answers.map(({ status }) => status)).toEqual([200, 202, 200, 200, 200, 200])
    const other = ['POST', '/mcp', 'account']
    expect(
      Object(body).items.map((entry: Record<string, unknown>) => [
        ...[entry.method, entry.endpoint, entry.service, entry.status],
      ]),
    ).toEqual([
      ['GET', '/v1/contacts/con_1', 'contacts', 404],
      ...[200, 200, 200, 202, 200].map((status) => [...other, status]),
    ])
    const windows = answers.map(({ headers }) => [
      headers.get('x-ratelimit-reset'),
      Number(headers.get('x-ratelimit-limit')) - Number(headers.get('x-ratelimit-remaining')),
    ])
    for (const [index, [reset, used]] of windows.entries()) {
      const [before, usedBefore] = windows[index - 1] ?? []
      expect(used).toBe(reset === before ? Number(usedBefore) + 1 : 1)
    }
  })

  test('402: too few credits, as a result with our error body', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 4 })

    const response = await callTool(gateway.live, liveKey, 'contacts_reveal_contact', {
      contact_id: 'con_1',
    })

    expect(failureOf(response)).toEqual({
      code: 'INSUFFICIENT_CREDITS',
      message: 'This request can cost 5 credits; 4 are available.',
      status: 402,
      documentation_url: `${gateway.baseUrl}/docs/errors/INSUFFICIENT_CREDITS`,
      request_id: response.headers.get('x-request-id'),
      request_log_url: `${gateway.baseUrl}/console/logs?request=${response.headers.get('x-request-id')}`,
      remedy: {
        ...{ needed: 5, spendable: 4, affordable_units: null },
        top_up_url: `${gateway.baseUrl}/console/billing`,
        package: { id: 'pack_starter', credits: 1000, price_cents: 1000, currency: 'USD' },
      },
    })
    expect(resultOf(response)._meta).toMatchObject({
      credits_charged: 0,
      credits_remaining: 4,
      replayed: false,
    })
    expect(await lastEntry(liveKey)).toMatchObject({
      endpoint: '/v1/contacts/reveal',
      status: 402,
      credits: 0,
    })
  })

  test('402: max_credits, before anything is asked', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const input = { contact_id: 'con_1', max_credits: 4 }

    const failure = failureOf(
      await callTool(gateway.live, liveKey, 'contacts_reveal_contact', input),
    )

    expect(failure).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: 'This request can cost 5 credits; max_credits permits 4.',
      details: [{ of: 'max_credits', limit_credits: 4, remaining_credits: 4, needed_credits: 5 }],
    })
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 100, held: 0 })
    const enough = resultOf(
      await callTool(gateway.live, liveKey, 'contacts_reveal_contact', {
        ...input,
        max_credits: 5,
      }),
    )
    expect(enough._meta).toMatchObject({ credits_charged: 5, credits_remaining: 95 })
  })

  test('402: max_credits says how many units it permits', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const input = { query: 'wine', limit: 5, max_credits: 3 }

    const failure = failureOf(
      await callTool(gateway.live, liveKey, 'contacts_search_contacts', input),
    )

    expect(failure.remedy).toEqual({
      ...{ needed: 5, affordable_units: 3 },
      budget: expect.objectContaining({ of: 'max_credits', remaining_credits: 3 }),
    })
  })

  test.each([
    ['a missing argument', {}, [{ field: 'contact_id', in: 'body' }]],
    ['an unknown argument', { contact_id: 'a', more: 1 }, [{ field: 'more', in: 'body' }]],
    [
      'max_credits below 0',
      { contact_id: 'a', max_credits: -1 },
      [{ field: 'max_credits', in: 'body' }],
    ],
    [
      'max_credits of a half',
      { contact_id: 'a', max_credits: 0.5 },
      [{ field: 'max_credits', in: 'body' }],
    ],
    [
      'an empty idempotency_key',
      { contact_id: 'a', idempotency_key: '' },
      [{ field: 'idempotency_key', in: 'body' }],
    ],
    [
      'an idempotency_key that begins with mcp:',
      { contact_id: 'a', idempotency_key: 'mcp:1' },
      [{ field: 'idempotency_key', in: 'body' }],
    ],
    [
      '__proto__',
      JSON.parse('{"contact_id":"a","__proto__":{"a":1}}'),
      [{ field: '__proto__', in: 'body' }],
    ],
  ])('422: %s', async (_, input, details) => {
    const { liveKey } = await gateway.createAccount()

    const failure = failureOf(
      await callTool(gateway.live, liveKey, 'contacts_reveal_contact', input),
    )

    expect(failure).toMatchObject({ ...wrongs, details })
    expect(await lastEntry(liveKey)).toMatchObject({ endpoint: '/v1/contacts/reveal', status: 422 })
  })

  test('422: X-End-User that the log cannot have', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await callTool(gateway.live, liveKey, 'credits', {}, { 'x-end-user': 'a b' })

    expect(failureOf(response)).toMatchObject({
      ...wrongs,
      details: [{ field: 'X-End-User', in: 'header' }],
    })
  })

  test('403 by HTTP for a scope, with all scopes to ask for', async () => {
    const { id } = await gateway.createAccount()
    const { accessToken } = await plantGrant(gateway, {
      ownerId: id,
      accountId: id,
      scopes: ['contacts:read'],
      audience: 'mcp',
    })

    const response = await callTool(gateway.live, accessToken, 'seo_create_audit', {
      url: 'https://acme.example',
    })

    expectError(gateway, response, {
      status: 403,
      code: 'FORBIDDEN',
      message: 'This access token lacks the scope seo:write.',
    })
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="contacts:read seo:write", resource_metadata="${gateway.baseUrl}/.well-known/oauth-protected-resource/mcp"`,
    )
  })

  test('429 by HTTP above the rate limit: one call is one request', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')
    const answers: TestResponse[] = []
    const isRefused = ({ status }: TestResponse) => status === 429
    const refused = await vi.waitUntil(async () => {
      const asked = Array.from({ length: 60 }, () => ask(gateway.live, liveKey, 'tools/list'))
      answers.push(...(await Promise.all(asked)))
      return answers.find(isRefused)
    }, patience)

    expectError(gateway, refused, {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      page: 'rate-limits',
    })
    const windowOf = ({ headers }: TestResponse) => headers.get('x-ratelimit-reset')
    const taken = answers.filter((one) => windowOf(one) === windowOf(refused) && !isRefused(one))
    expect(taken).toHaveLength(Number(refused.headers.get('x-ratelimit-limit')))
    expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 200))
    expect(refused.headers.get('retry-after')).toBe('1')
  })

  test.each([
    ['status=404', 404, 'NOT_FOUND'],
    ['status=409', 409, 'CONFLICT'],
    ['status=500', 502, 'BACKEND_ERROR'],
    ['timeout', 504, 'BACKEND_TIMEOUT'],
    ['unavailable', 503, 'SERVICE_UNAVAILABLE'],
    ['insufficient_credits', 402, 'INSUFFICIENT_CREDITS'],
    ['budget_exceeded', 402, 'BUDGET_EXCEEDED'],
  ])('in the scenario %s: %i %s as a result', async (scenario, status, code) => {
    const { sandboxKey } = await gateway.createAccount()
    const headers = { 'x-sandbox-scenario': scenario }

    const response = await callTool(
      gateway.sandbox,
      sandboxKey,
      'contacts_reveal_contact',
      { contact_id: 'con_1' },
      headers,
    )

    expect(failureOf(response)).toMatchObject({ status, code })
    expect(await lastEntry(sandboxKey, 'sandbox')).toMatchObject({
      status,
      endpoint: '/v1/contacts/reveal',
    })
  })

  test.each([
    ['forbidden', 403, 'FORBIDDEN', 'errors/FORBIDDEN'],
    ['rate_limited', 429, 'RATE_LIMIT_EXCEEDED', 'rate-limits'],
  ])('in the scenario %s: %i by HTTP', async (scenario, status, code, page) => {
    const { sandboxKey } = await gateway.createAccount()
    const headers = { 'x-sandbox-scenario': scenario }

    const response = await callTool(
      gateway.sandbox,
      sandboxKey,
      'contacts_reveal_contact',
      { contact_id: 'con_1' },
      headers,
    )

    const { error } = Object(response.body)
    expect([response.status, error.code]).toEqual([status, code])
    expect(error.documentation_url.endsWith(page)).toBe(true)
  })
})

describe('a tool whose module a test answers for', () => {
  let backend: StubBackend
  let own: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    own = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
  })
  afterAll(async () => {
    await expectExactBooks(own)
    await own.close()
    await backend.close()
  })

  const cut = { name: 'contacts_reveal_contact', arguments: { contact_id: 'con_1' } }

  /** Sends a call that its client may abort. */
  function sendCall(key: string, signal: AbortSignal): Promise<Response | null> {
    const params = { ...cut, _meta: modernMeta }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    return fetch(`${own.live.url}/mcp`, {
      ...{ method: 'POST', signal },
      headers: { ...headersOf('tools/call', cut), ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }).catch(() => null)
  }

  async function entriesOf(key: string) {
    const { body } = await own.live.get('/v1/account/usage/log?service=contacts', key)
    return Object(body).items.map(({ status, credits }: { status: number; credits: number }) => [
      status,
      credits,
    ])
  }

  test('an answer above 64 KiB stands in structuredContent alone', async () => {
    const { liveKey } = await own.createAccount()
    const long = (length: number) => ({ contact_id: 'ü'.repeat(length) })
    const sizeOf = (value: object) => Buffer.byteLength(JSON.stringify(value))
    const least = (64 * 1024 - sizeOf(long(0))) / 2
    for (const [length, isWhole] of [
      [Math.floor(least), true],
      [Math.floor(least) + 1, false],
    ] as const) {
      backend.answer((_, res) => sendBackendJson(res, 200, long(length)))

      const { content, structuredContent } = resultOf(
        await callTool(own.live, liveKey, 'contacts_reveal_contact', {
          contact_id: `con_${length}`,
        }),
      )

      expect(structuredContent).toEqual(long(length))
      expect(content[0].text === JSON.stringify(long(length))).toBe(isWhole)
      if (!isWhole) expect(content[0].text).toMatch(/see structuredContent/)
    }
  })

  test.each([
    ['a list', 200, [{ contact_id: 'con_1' }]],
    ['nothing', 204, null],
  ])(
    'an answer that is %s is no structuredContent of the older revisions',
    async (_, status, body) => {
      const { liveKey } = await own.createAccount()
      backend.answer((_request, res) =>
        status === 204 ? void res.writeHead(204).end() : sendBackendJson(res, status, body),
      )
      const params = { name: 'contacts_get_contact', arguments: { contact_id: 'con_1' } }

      const older = resultOf(await askOlder(own.live, liveKey, 'tools/call', params))
      const newer = resultOf(await ask(own.live, liveKey, 'tools/call', params))

      const text = [{ type: 'text', text: JSON.stringify(body) }]
      expect([older.isError, older.content, Object.keys(older)]).toEqual([
        ...[false, text, ['content', 'isError', '_meta']],
      ])
      expect([newer.isError, newer.content, newer.structuredContent]).toEqual([false, text, body])
    },
  )

  test('_meta.retry_after says when a failure may be over: a recharge is under way, an equal call runs', async () => {
    const { id, liveKey } = await own.createAccount({ credits: 5 })
    await own.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, state) VALUES ($1, 'live', 'pending')`,
      [id],
    )
    const kept: (() => void)[] = []
    backend.answer(
      (_, res) => void kept.push(() => sendBackendJson(res, 200, { contact_id: 'con_1' })),
    )
    const call = (contact_id: string) => {
      const input = { contact_id, idempotency_key: contact_id }
      return callTool(own.live, liveKey, 'contacts_reveal_contact', input)
    }
    const running = call('con_1')
    await vi.waitUntil(() => kept.length === 1, patience)

    const refused = [await call('con_2'), await call('con_1')]
    for (const answer of kept) answer()

    expect(
      refused.map((answer) => [failureOf(answer).status, resultOf(answer)._meta.retry_after]),
    ).toEqual([
      [402, 5],
      [409, 1],
    ])
    expect(resultOf(await running)._meta).not.toHaveProperty('retry_after')
    await own.database.query('DELETE FROM account.auto_recharge WHERE account_id = $1', [id])
  })

  test('a client that leaves before the module was asked cancels the call: 499, at no cost', async () => {
    const { id, liveKey } = await own.createAccount({ credits: 100 })
    backend.received.length = 0
    const locked = 'SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE'

    await whileHeld(own.database, [locked, [id]], {
      async started(untilOneWaits) {
        const leaving = new AbortController()
        const sent = sendCall(liveKey, leaving.signal)
        await untilOneWaits()
        leaving.abort()
        await sent
        // The gateway has heard of it once it has answered a request that came later.
        await own.live.get('/v1/health')
      },
    })

    await expect.poll(() => entriesOf(liveKey), patience).toEqual([[499, 0]])
    expect(backend.received).toHaveLength(0)
    const { body } = await own.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 100, held: 0 })
  })

  test('a client that leaves once the module was asked is charged, and its repetition gets the answer', async () => {
    const account = await own.createAccount({ credits: 100 })
    backend.received.length = 0
    const kept: (() => void)[] = []
    backend.answer(
      (_, res) => void kept.push(() => sendBackendJson(res, 200, { contact_id: 'con_1' })),
    )
    const leaving = new AbortController()
    const sent = sendCall(account.liveKey, leaving.signal)
    await vi.waitUntil(() => kept.length === 1, patience)

    leaving.abort()
    await sent
    for (const answer of kept) answer()

    await expect.poll(() => entriesOf(account.liveKey), patience).toEqual([[200, 5]])
    const repeated = resultOf(await callTool(own.live, account.liveKey, cut.name, cut.arguments))
    expect(repeated._meta).toMatchObject({
      replayed: true,
      credits_charged: 0,
      credits_remaining: 95,
    })
    expect(backend.received).toHaveLength(1)
  })

  test('500 is a result: what is wrong on our side says nothing of its cause', async () => {
    const { liveKey } = await own.createAccount()
    await own.database.query('ALTER TABLE usage.usage_service RENAME TO gone')

    const answer = await callTool(own.live, liveKey, 'usage', { interval: 'hour' })
    await own.database.query('ALTER TABLE usage.gone RENAME TO usage_service')

    expect(failureOf(answer)).toMatchObject({
      ...{ status: 500, code: 'INTERNAL_ERROR' },
      message: 'Something went wrong on our side.',
    })
  })

  test('503 of a module that keeps failing is a result', async () => {
    const { liveKey } = await own.createAccount()
    backend.answer((_, res) => sendBackendJson(res, 500, {}))
    const statuses = new Set<number>()
    let retryAfter: unknown

    // A breaker looks at a hundred calls.
    for (let index = 0; index < 150 && !statuses.has(503); index += 1) {
      const input = { contact_id: `con_${index}` }
      const response = await admitted(() =>
        callTool(own.live, liveKey, 'contacts_reveal_contact', input),
      )
      statuses.add(failureOf(response).status)
      retryAfter = resultOf(response)._meta.retry_after
    }

    expect([...statuses]).toEqual([502, 503])
    expect(retryAfter).toEqual(expect.any(Number))
  })
})
