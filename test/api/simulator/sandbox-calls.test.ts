import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

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
  ])('status=$asked refuses with $code', async ({ asked, status, code }) => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, `status=${asked}`)

    const message = `The simulator was asked for status ${asked}.`
    expectError(gateway, response, { status, code, message })
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

  test('insufficient_credits answers 402, and is logged so', async () => {
    const { id, sandboxKey } = await gateway.createAccount()

    const response = await search(sandboxKey, 'insufficient_credits')

    expectError(gateway, response, { status: 402, code: 'INSUFFICIENT_CREDITS' })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    const log = await gateway.sandbox.get('/v1/account/usage/log', sandboxKey)
    expect(log.body).toMatchObject({ items: [{ status: 402, credits: 0 }] })
    await expectNothingMoved(id)
  })

  test.each([
    'OK',
    'explode',
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
      'must be one of ok, empty, slow=<0 to 60000 ms>, status=<400 to 599>, reset, units=<0 to 100000>, insufficient_credits'
    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: `X-Sandbox-Scenario: ${message}`,
      details: [{ field: 'X-Sandbox-Scenario', in: 'header', message }],
    })
    await expectNothingMoved(id)
  })

  test.each(['empty', 'status=500', 'insufficient_credits', 'reset', 'explode'])(
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
