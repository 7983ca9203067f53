import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scenarios } from '../../../schema/catalog/scenario.ts'
import { statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { createGateway } from '../../../sdk/src/index.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { createFakeClock } from '../../support/time/fake-clock.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const scenario = (value: string) => ({ 'x-sandbox-scenario': value })

function search(key: string, value: string, { sandbox } = gateway) {
  return sandbox.post('/v1/contacts/search', { query: 'a' }, key, scenario(value))
}

/** Neither ledger has more than its opening balance, and every sandbox call is logged with 0 credits. */
async function expectNothingMoved(accountId: string): Promise<void> {
  await expectExactBooks(gateway)
  const entries = await gateway.database.query<{ environment: string; entries: number }>(
    `SELECT environment, count(*)::int AS entries FROM account.ledger_entry
     WHERE account_id = $1 AND description <> 'Opening balance' GROUP BY environment`,
    [accountId],
  )
  expect(entries).toEqual([])
  const charged = await gateway.database.query<object>(
    'SELECT request_id FROM usage.usage_log WHERE account_id = $1 AND credits <> 0',
    [accountId],
  )
  expect(charged).toEqual([])
}

describe('a product call in the sandbox', () => {
  test('works with a live balance of zero, costs 0 and leaves the live ledger alone', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount({ credits: 0 })

    const response = await gateway.sandbox.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_1' },
      sandboxKey,
    )

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ contact_id: 'con_1' })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    expect(response.headers.get('x-credits-remaining')).toBe('100000')
    const live = await gateway.live.get('/v1/account/credits', liveKey)
    const play = await gateway.sandbox.get('/v1/account/credits', sandboxKey)
    expect(live.body).toMatchObject({ balance: 0, held: 0 })
    expect(play.body).toMatchObject({ balance: 100_000, held: 0 })
    await expectNothingMoved(id)
  })

  test('leaves an account with live credits unchanged', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount({ credits: 77 })

    for (const value of ['ok', 'empty', 'units=5', 'status=500', 'insufficient_credits']) {
      await search(sandboxKey, value)
    }

    const live = await gateway.live.get('/v1/account/credits', liveKey)
    expect(live.body).toMatchObject({ balance: 77, held: 0, available: 77 })
    await expectNothingMoved(id)
  })

  test('gives the same request the same answer', async () => {
    const { sandboxKey } = await gateway.createAccount()

    const first = await search(sandboxKey, 'ok')
    const second = await search(sandboxKey, 'ok')

    expect(first.status).toBe(200)
    expect(second.body).toEqual(first.body)
  })
})

describe('X-Sandbox-Scenario', () => {
  test.each(['ok', ' ok '])('%j gives the same answer as no header', async (value) => {
    const { id, sandboxKey } = await gateway.createAccount()

    const steered = await search(sandboxKey, value)
    const plain = await gateway.sandbox.post('/v1/contacts/search', { query: 'a' }, sandboxKey)

    expect([steered.status, steered.body]).toEqual([200, plain.body])
    await expectNothingMoved(id)
  })

  test('empty returns empty lists', async () => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, 'empty')

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ items: [] })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    await expectNothingMoved(id)
  })

  test('slow=<ms> answers late, if the deadline allows', async () => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, 'slow=1')

    expect(response.status).toBe(200)
    await expectNothingMoved(id)
  })

  test('slow=<ms> ends at the deadline when that is shorter', async () => {
    const impatient = await startTestGateway(
      { BACKEND_TIMEOUT_MS: '500' },
      { database: gateway.database },
    )
    try {
      const { id, sandboxKey } = await impatient.createAccount()

      const response = await search(sandboxKey, 'slow=30000', impatient)

      expectError(impatient, response, {
        status: 504,
        code: 'BACKEND_TIMEOUT',
        message: 'contact-finder did not answer in time.',
      })
      await expectNothingMoved(id)
    } finally {
      await impatient.close()
    }
  })

  test.each([
    { asked: 400, status: 400, code: 'BAD_REQUEST' },
    { asked: 404, status: 404, code: 'NOT_FOUND' },
    { asked: 409, status: 409, code: 'CONFLICT' },
    { asked: 410, status: 410, code: 'NOT_FOUND' },
    { asked: 422, status: 422, code: 'INVALID_REQUEST' },
  ])('status=$asked refuses with $code', async ({ asked, status, code }) => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, `status=${asked}`)

    const message = `The simulator was asked for status ${asked}.`
    const details = [{ field: 'body', in: 'body', message } as const]
    expectError(gateway, response, {
      ...{ status, code, message },
      ...(code === 'INVALID_REQUEST' && { details }),
    })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    await expectNothingMoved(id)
  })

  test.each([401, 403, 429, 500, 503, 599])('status=%i fails with BACKEND_ERROR', async (asked) => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, `status=${asked}`)

    expectError(gateway, response, { status: 502, code: 'BACKEND_ERROR' })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    await expectNothingMoved(id)
  })

  test('reset fails with BACKEND_ERROR', async () => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, 'reset')

    expectError(gateway, response, { status: 502, code: 'BACKEND_ERROR' })
    await expectNothingMoved(id)
  })

  test.each([
    { units: 0, items: 0 },
    { units: 7, items: 7 },
    { units: 1000, items: 25 },
  ])('units=$units returns a list with $items items, and costs 0', async ({ units, items }) => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await gateway.sandbox.post(
      '/v1/contacts/search',
      { query: 'a', limit: 25 },
      sandboxKey,
      scenario(`units=${units}`),
    )

    expect(response.status).toBe(200)
    expect(Object(response.body).items).toHaveLength(items)
    expect(response.headers.get('x-credits-charged')).toBe('0')
    await expectNothingMoved(id)
  })

  test.each(scenarios.flatMap(({ example, code }) => (code ? [{ example, code }] : [])))(
    '$example answers $code, and is logged so',
    async ({ example, code }) => {
      const { id, sandboxKey } = await gateway.createAccount()

      const response = await search(sandboxKey, example)

      const status = statusByErrorCode[code]
      expect(response.status).toBe(status)
      expect(response.body).toMatchObject({ error: { code, status } })
      expect(response.headers.get('retry-after')).toBe([429, 503].includes(status) ? '1' : null)
      const log = await gateway.sandbox.get('/v1/account/usage/log', sandboxKey)
      expect(log.body).toMatchObject({ items: [{ status, credits: 0 }] })
      await expectNothingMoved(id)
    },
  )

  test.each([
    {
      value: 'rate_limited',
      error: {
        ...{ status: 429, code: 'RATE_LIMIT_EXCEEDED', page: 'rate-limits' },
        message: 'The limit of 100 requests per second is exceeded.',
      },
      headers: { 'retry-after': '1', 'x-ratelimit-remaining': '0', 'x-credits-charged': null },
    },
    {
      value: 'forbidden',
      error: {
        ...{ status: 403, code: 'FORBIDDEN' },
        message: 'This API key lacks the scope contacts:write.',
      },
      headers: { 'retry-after': null, 'x-credits-charged': null },
    },
    {
      value: 'insufficient_credits',
      error: {
        ...{ status: 402, code: 'INSUFFICIENT_CREDITS' },
        message: 'This request can cost 10 credits; the scenario simulates an empty balance.',
      },
      headers: { 'retry-after': null, 'x-credits-charged': '0' },
    },
    {
      value: 'unavailable',
      error: {
        ...{ status: 503, code: 'SERVICE_UNAVAILABLE' },
        message: 'The scenario simulates a gateway that cannot take the call.',
      },
      headers: { 'retry-after': '1', 'x-credits-charged': '0' },
    },
    {
      value: 'timeout',
      error: {
        ...{ status: 504, code: 'BACKEND_TIMEOUT' },
        message: 'contact-finder did not answer in time.',
      },
      headers: { 'retry-after': null, 'x-credits-charged': '0' },
    },
  ])('$value refuses as the gateway does', async ({ value, error, headers }) => {
    const { sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, value)

    expectError(gateway, response, error)
    const sent = Object.keys(headers).map((name) => [name, response.headers.get(name)])
    expect(Object.fromEntries(sent)).toEqual(headers)
    const next = await search(sandboxKey, 'ok')
    expect([next.status, next.headers.get('x-ratelimit-limit')]).toEqual([200, '100'])
  })

  test('budget_exceeded refuses with a budget whose window ends at midnight UTC', async () => {
    const { sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, 'budget_exceeded')

    const { details } = Object(response.body).error
    expectError(gateway, response, {
      ...{ status: 402, code: 'BUDGET_EXCEEDED' },
      message:
        'This request can cost 10 credits; the budget of the account for the day has 0 left.',
      details: [
        {
          ...{ of: 'account', period: 'day', limit_credits: 1000, used_credits: 1000 },
          ...{ held_credits: 0, remaining_credits: 0, needed_credits: 10 },
          resets_at: expect.stringMatching(/T00:00:00\.000Z$/),
        },
      ],
    })
    const hours = (Date.parse(details[0].resets_at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(-1)
    expect(hours).toBeLessThanOrEqual(24)
  })

  test.each(['timeout', 'unavailable', 'insufficient_credits', 'budget_exceeded', 'reset'])(
    '%s frees the idempotency key: the retry is a new call',
    async (value) => {
      const { sandboxKey } = await gateway.createAccount()
      const send = (header: string) =>
        gateway.sandbox.post('/v1/contacts/search', { query: 'a' }, sandboxKey, {
          ...scenario(header),
          'idempotency-key': 'one',
        })

      const failed = await send(value)
      const retried = await send('ok')

      expect(failed.status).toBeGreaterThanOrEqual(402)
      expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([200, null])
    },
  )

  test('hang_up breaks the connection after the effect; the retry with the same key gets the answer, and there is one effect', async () => {
    const { id, sandboxKey } = await gateway.createAccount()
    const issued = await gateway.sandbox.post(
      '/v1/account/keys',
      { name: 'Budgeted', budgets: [{ period: 'day', limit_credits: 7 }] },
      sandboxKey,
    )
    expect(issued.status).toBe(201)
    const { plaintext } = Object(issued.body)
    const file = { name: 'once.svg', content_base64: 'PHN2Zy8+' }
    const store = () =>
      gateway.sandbox.post('/v1/cloud/files', file, plaintext, {
        ...scenario('hang_up'),
        'idempotency-key': 'stored-once',
      })

    await expect(store()).rejects.toThrow()
    const retried = await store()
    const again = await store()

    expect([retried.status, retried.body]).toEqual([
      201,
      expect.objectContaining({ name: 'once.svg' }),
    ])
    expect(retried.headers.get('idempotent-replayed')).toBe('true')
    expect(retried.headers.get('x-credits-charged')).toBe('0')
    // The price of 1 counts once.
    expect(again.headers.get('x-budget-remaining')).toBe('6')
    expect([again.status, again.body]).toEqual([201, retried.body])
    const { body } = await gateway.sandbox.get('/v1/cloud/files', sandboxKey)
    const stored = Object(body).items.filter(({ name }: { name: string }) => name === 'once.svg')
    expect(stored).toEqual([retried.body])
    const kept = await gateway.database.query<object>(
      'SELECT 1 FROM account.idempotency_key WHERE account_id = $1',
      [id],
    )
    expect(kept).toHaveLength(1)
    const log = async () => {
      const read = await gateway.sandbox.get('/v1/account/usage/log?service=cloud', sandboxKey)
      return Object(read.body).items.map(
        ({ method, status }: { method: string; status: number }) => `${method} ${status}`,
      )
    }
    await expect.poll(log, patience).toEqual(['GET 200', 'POST 201', 'POST 201', 'POST 201'])
    await expectNothingMoved(id)
  })

  test('hang_up delivers a failure, because there is no effect to hide', async () => {
    const { sandboxKey } = await gateway.createAccount()

    const response = await gateway.sandbox.get(
      '/v1/seo/audits/aud_0000000000000000',
      sandboxKey,
      scenario('hang_up'),
    )

    expectError(gateway, response, { status: 404, code: 'NOT_FOUND' })
  })

  test('hang_up costs a client of the SDK a second try, and no second effect', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const client = createGateway({
      apiKey: sandboxKey,
      baseUrl: gateway.sandbox.url,
      clock: createFakeClock(),
    })

    const answer = await client.contacts.reveal(
      { contact_id: 'con_1' },
      { headers: scenario('hang_up') },
    )

    expect(answer).toMatchObject({ status: 200, isReplay: true, tries: 2 })
  })

  test.each([
    'OK',
    'explode',
    'hang_up=1',
    'slow',
    'slow=60001',
    'status=399',
    'status=600',
    'units=-1',
    'ok=1',
  ])('%s is refused as unknown, with a list of the known forms', async (value) => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, value)

    const message =
      'must be one of ok, empty, units=<0 to 100000>, slow=<0 to 60000 ms>, status=<400 to 599>, reset, timeout, unavailable, rate_limited, insufficient_credits, budget_exceeded, forbidden, hang_up'
    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `X-Sandbox-Scenario: ${message}`,
      details: [{ field: 'X-Sandbox-Scenario', in: 'header', message }],
    })
    await expectNothingMoved(id)
  })

  test.each(['explode', ...scenarios.map(({ example }) => example)])(
    'has no effect on the live listener: %s',
    async (value) => {
      const { liveKey } = await gateway.createAccount({ credits: 100 })

      const response = await gateway.live.post(
        '/v1/contacts/search',
        { query: 'a', limit: 2 },
        liveKey,
        scenario(value),
      )

      expect(response.status).toBe(200)
      expect(Object(response.body).items).toHaveLength(2)
      expect(response.headers.get('x-credits-charged')).toBe('2')
      await expectExactBooks(gateway)
    },
  )
})
