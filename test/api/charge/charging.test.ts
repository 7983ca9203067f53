import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: backend.url,
    BACKEND_PROMOTE_URL: backend.url,
    BACKEND_REVIEWS_URL: backend.url,
  })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

function items(count: number): { items: object[]; total: number } {
  return { items: Array.from({ length: count }, (_, index) => ({ index })), total: count }
}

async function charges(accountId: string): Promise<number[]> {
  const rows = await gateway.database.query<{ delta: string }>(
    `SELECT delta FROM account.ledger_audit WHERE account_id = $1 AND kind = 'charge' ORDER BY seq`,
    [accountId],
  )
  return rows.map(({ delta }) => Number(delta))
}

describe('POST /v1/contacts/search', () => {
  test('charges for each result, and releases the rest of the hold', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const body = items(7)
    backend.answer((_, res) => sendBackendJson(res, 200, body))

    const response = await gateway.live.post('/v1/contacts/search', { query: 'a' }, liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual(body)
    expect(response.headers.get('x-credits-charged')).toBe('7')
    expect(response.headers.get('x-credits-remaining')).toBe('93')
    expect(await charges(id)).toEqual([-7])
    await expectExactBooks(gateway)
  })

  test('charges nothing when nothing is found', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    backend.answer((_, res) => sendBackendJson(res, 200, items(0)))

    const response = await gateway.live.post('/v1/contacts/search', { query: 'a' }, liveKey)

    expect(response.status).toBe(200)
    expect(response.headers.get('x-credits-charged')).toBe('0')
    expect(response.headers.get('x-credits-remaining')).toBe('100')
    expect(await charges(id)).toEqual([])
    await expectExactBooks(gateway)
  })

  test.each([
    [0, undefined],
    [2, undefined],
    [0, 'late'],
    [2, 'late'],
  ])(
    'answers 504 and charges nothing for %i results after its hold has expired, with the key %s (docs/promises.md M9)',
    async (count, key) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 100 })
      backend.answer(async (_, res) => {
        await gateway.database.query(
          "UPDATE account.hold SET expires_at = now() - interval '1 s' WHERE account_id = $1",
          [id],
        )
        sendBackendJson(res, 200, items(count))
      })

      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
      const response = await gateway.live.post(
        '/v1/contacts/search',
        { query: 'a' },
        liveKey,
        headers,
      )

      expectError(gateway, response, {
        ...{ status: 504, code: 'BACKEND_TIMEOUT' },
        message: 'The answer came too late to be charged and kept.',
      })
      expect(await charges(id)).toEqual([])
      await vi.waitFor(async () => {
        const logged = await gateway.database.query(
          'SELECT status >= 500 AS has_failed, credits::int FROM usage.usage_log WHERE account_id = $1',
          [id],
        )
        expect(logged).toEqual([{ has_failed: true, credits: 0 }])
      }, patience)
      await expectExactBooks(gateway)
    },
  )

  test('never charges more than the requested limit', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    backend.answer((_, res) => sendBackendJson(res, 200, items(20)))

    const response = await gateway.live.post(
      '/v1/contacts/search',
      { query: 'a', limit: 3 },
      liveKey,
    )

    expect(response.status).toBe(200)
    expect(response.headers.get('x-credits-charged')).toBe('3')
    expect(await charges(id)).toEqual([-3])
    await expectExactBooks(gateway)
  })

  test('uses X-Credits-Used before the length of the list', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    backend.answer((_, res) => sendBackendJson(res, 200, items(7), { 'x-credits-used': '2' }))

    const response = await gateway.live.post('/v1/contacts/search', { query: 'a' }, liveKey)

    expect(response.headers.get('x-credits-charged')).toBe('2')
    expect(response.headers.get('x-credits-remaining')).toBe('98')
    expect(await charges(id)).toEqual([-2])
    await expectExactBooks(gateway)
  })

  test.each(['11', '26', '999999999999999'])(
    'caps X-Credits-Used: %s at the held amount',
    async (used) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 100 })
      backend.answer((_, res) => sendBackendJson(res, 200, items(1), { 'x-credits-used': used }))

      const response = await gateway.live.post(
        '/v1/contacts/search',
        { query: 'a', limit: 10 },
        liveKey,
      )

      expect(response.status).toBe(200)
      expect(response.headers.get('x-credits-charged')).toBe('10')
      expect(await charges(id)).toEqual([-10])
      await expectExactBooks(gateway)
    },
  )

  test.each(['-1', '1.5', '', 'many', '1e3', '0x1', '1, 2', '9999999999999999'])(
    'answers BACKEND_ERROR and charges nothing for X-Credits-Used: %j',
    async (used) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 100 })
      backend.answer((_, res) => sendBackendJson(res, 200, items(1), { 'x-credits-used': used }))

      const response = await gateway.live.post('/v1/contacts/search', { query: 'a' }, liveKey)

      expectError(gateway, response, {
        status: 502,
        code: 'BACKEND_ERROR',
        message: 'contact-finder did not answer properly.',
      })
      expect(response.headers.get('x-credits-charged')).toBe('0')
      expect(response.headers.get('x-credits-remaining')).toBe('100')
      expect(await charges(id)).toEqual([])
      await expectExactBooks(gateway)
    },
  )

  test.each([[{ total: 3 }], [{ items: 3 }], [{ items: { length: 3 } }], [[1, 2, 3]], [null], [7]])(
    'answers BACKEND_ERROR and charges nothing when %j contains no units',
    async (body) => {
      const { id, liveKey } = await gateway.createAccount({ credits: 100 })
      backend.answer((_, res) => sendBackendJson(res, 200, body))

      const response = await gateway.live.post('/v1/contacts/search', { query: 'a' }, liveKey)

      expectError(gateway, response, { status: 502, code: 'BACKEND_ERROR' })
      expect(response.headers.get('x-credits-charged')).toBe('0')
      expect(await charges(id)).toEqual([])
      await expectExactBooks(gateway)
    },
  )

  test('holds the highest possible price of the request: its limit', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 10 })
    backend.answer((_, res) => sendBackendJson(res, 200, items(10)))
    const search = (limit: number) =>
      gateway.live.post('/v1/contacts/search', { query: 'a', limit }, liveKey)

    const tooMuch = await search(11)
    const fitting = await search(10)

    expectError(gateway, tooMuch, {
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      message: 'This request can cost 11 credits; 10 are available.',
    })
    expect(fitting.status).toBe(200)
    expect(fitting.headers.get('x-credits-remaining')).toBe('0')
    await expectExactBooks(gateway)
  })
})

describe('POST /v1/contacts/reveal', () => {
  test('charges 5 credits, whatever the result', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 12 })
    backend.answer((_, res) => sendBackendJson(res, 200, { emails: [] }, { 'x-credits-used': '1' }))
    const reveal = () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    const responses = [await reveal(), await reveal(), await reveal()]

    const told = responses.map(({ status, headers }) => [
      status,
      headers.get('x-credits-charged'),
      headers.get('x-credits-remaining'),
    ])
    expect(told).toEqual([
      [200, '5', '7'],
      [200, '5', '2'],
      [402, '0', '2'],
    ])
    expect(await charges(id)).toEqual([-5, -5])
    await expectExactBooks(gateway)
  })

  test('sends nothing to the backend when the credits do not suffice', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 4 })
    const receivedBefore = backend.received.length

    const response = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      liveKey,
    )

    expectError(gateway, response, {
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      message: 'This request can cost 5 credits; 4 are available.',
    })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    expect(response.headers.get('x-credits-remaining')).toBe('4')
    expect(backend.received).toHaveLength(receivedBefore)
    expect(await charges(id)).toEqual([])
    await expectExactBooks(gateway)
  })

  test.each([
    { body: {}, field: 'contact_id', message: 'is required' },
    { body: { contact_id: '' }, field: 'contact_id', message: undefined },
    { body: { contact_id: 7 }, field: 'contact_id', message: 'must be string' },
  ])('sends nothing to the backend when the request is not valid: $body', async (given) => {
    const { id, liveKey } = await gateway.createAccount()
    const receivedBefore = backend.received.length

    const response = await gateway.live.post('/v1/contacts/reveal', given.body, liveKey)

    const { details } = Object(Object(response.body).error)
    expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
    expect(details[0]).toEqual({
      field: given.field,
      in: 'body',
      message: given.message ?? expect.stringMatching(/\S/),
    })
    expect(backend.received).toHaveLength(receivedBefore)
    expect(await charges(id)).toEqual([])
    await expectExactBooks(gateway)
  })

  test('writes the charge into the ledger under the id of the request', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    backend.answer((_, res) => sendBackendJson(res, 200, {}))

    const response = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      liveKey,
    )

    const rows = await gateway.database.query<object>(
      `SELECT kind, credits::int, balance_after::int, ref, environment
       FROM account.ledger_entry WHERE account_id = $1 AND kind = 'charge'`,
      [id],
    )
    expect(rows).toEqual([
      {
        kind: 'charge',
        credits: -5,
        balance_after: 95,
        ref: response.headers.get('x-request-id'),
        environment: 'live',
      },
    ])
    await expectExactBooks(gateway)
  })

  test('passes on other success statuses: 201 and 204', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const reveal = () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    backend.answer((_, res) => sendBackendJson(res, 201, { contact_id: 'con_1' }))
    const created = await reveal()
    backend.answer((_, res) => void res.writeHead(204).end())
    const empty = await reveal()

    expect([created.status, created.body]).toEqual([201, { contact_id: 'con_1' }])
    expect([empty.status, empty.body]).toEqual([204, null])
    expect(await charges(id)).toEqual([-5, -5])
    await expectExactBooks(gateway)
  })
})

describe('GET /v1/contacts/{contact_id}', () => {
  test('is free, also without any credits', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 0 })
    backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))

    const response = await gateway.live.get('/v1/contacts/con_1', liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({ contact_id: 'con_1' })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    expect(response.headers.get('x-credits-remaining')).toBe('0')
    expect(await charges(id)).toEqual([])
    await expectExactBooks(gateway)
  })
})

describe('POST /v1/promote/sends', () => {
  test('holds and charges one credit for each recipient', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 3 })
    const send = (count: number) => {
      const recipients = Array.from({ length: count }, (_, index) => `r${index}@acme.example`)
      backend.answer((_, res) => sendBackendJson(res, 202, { send_id: 'snd_1', recipients }))
      const body = { subject: 'Hello', body: 'Hello!', recipients }
      return gateway.live.post('/v1/promote/sends', body, liveKey)
    }

    const tooMany = await send(4)
    const fitting = await send(3)

    expectError(gateway, tooMany, {
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      message: 'This request can cost 4 credits; 3 are available.',
    })
    expect(fitting.status).toBe(202)
    expect(fitting.headers.get('x-credits-charged')).toBe('3')
    expect(fitting.headers.get('x-credits-remaining')).toBe('0')
    await expectExactBooks(gateway)
  })
})

describe('GET /v1/reviews/items', () => {
  test('holds for the limit of the query, or its default of 10', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 9 })
    backend.answer((_, res) => sendBackendJson(res, 200, items(9)))
    const list = (query: string) =>
      gateway.live.get(`/v1/reviews/items?business=a${query}`, liveKey)

    const byDefault = await list('')
    const limited = await list('&limit=9')

    expectError(gateway, byDefault, {
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      message: 'This request can cost 10 credits; 9 are available.',
    })
    expect(limited.status).toBe(200)
    expect(limited.headers.get('x-credits-charged')).toBe('9')
    await expectExactBooks(gateway)
  })
})
