import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { admitted } from '../../support/requests/admitted.ts'
import { altered } from '../../support/requests/altered.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const instant = expect.stringMatching(/^\d{4}-.*Z$/)
const lotId = expect.stringMatching(/^lot_[0-9a-z]{26}$/)
const lotsPath = '/v1/account/credits/lots'
const ledgerPath = '/v1/account/credits/ledger'

interface GrantOptions {
  readonly credits: number
  readonly expiresAt?: string
  readonly priority?: number
}

async function grant(accountId: string, options: GrantOptions): Promise<void> {
  const input = { accountId, reason: 'Test', idempotencyKey: newId('led'), ...options }
  const mutation = 'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }'
  await gateway.graphql(mutation, { input })
}

/** A reveal, which costs 5 credits. */
async function spend(key: string): Promise<string> {
  const answer = await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, key)
  expect(answer.status).toBe(200)
  return String(answer.headers.get('x-request-id'))
}

async function buy(key: string): Promise<string> {
  const answer = await gateway.live.post(
    '/v1/billing/checkout',
    { package_id: 'pack_starter', payment_method: 'simulated' },
    key,
  )
  expect(answer.status).toBe(201)
  return Object(answer.body).id
}

async function lotsOf(key: string): Promise<unknown[]> {
  const { body, status } = await gateway.live.get(lotsPath, key)
  expect(status).toBe(200)
  return Object(body).items
}

describe('GET /v1/account/credits/lots', () => {
  test('200: shows lots with credits left in the order in which they burn, charges taken off', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })
    const paymentId = await buy(liveKey)
    const [soon, late] = ['2098-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z']
    await grant(id, { credits: 7, expiresAt: soon })
    await grant(id, { credits: 8, expiresAt: late, priority: 0 })
    await spend(liveKey)
    await spend(liveKey)

    const { body, status } = await gateway.live.get(lotsPath, liveKey)

    const lot = (source: string, granted: number, remaining: number, more: object = {}) => ({
      ...{ id: lotId, source, granted_credits: granted, remaining_credits: remaining },
      ...{ expires_at: null, payment_id: null, created_at: instant, ...more },
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        items: [
          lot('grant', 7, 5, { expires_at: soon }),
          lot('grant', 10, 10),
          lot('purchase', 1000, 1000, { payment_id: paymentId }),
        ],
        next_cursor: null,
      },
    })
    const { body: credits } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(credits).toMatchObject({ balance: 1015, available: 1015 })
  })

  test('200: an account without credits has no lots', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount({ credits: 0 })

    expect(await lotsOf(liveKey)).toEqual([])
    const sandbox = await gateway.sandbox.get(lotsPath, sandboxKey)
    expect(sandbox.status).toBe(200)
    const total = Object(sandbox.body).items.reduce(
      (sum: number, lot: { remaining_credits: number }) => sum + lot.remaining_credits,
      0,
    )
    const { body: credits } = await gateway.sandbox.get('/v1/account/credits', sandboxKey)
    expect(total).toBe(Object(credits).balance)
  })

  test('a page follows where the last one ended, also when lots are spent in between', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 5 })
    for (const priority of [3, 1, 2]) {
      await grant(id, { credits: 5, priority, expiresAt: '2099-01-01T00:00:00.000Z' })
    }
    await grant(id, { credits: 6 })
    const sizes: unknown[] = []

    for (let query = '?limit=2'; query !== ''; ) {
      const { body } = await gateway.live.get(`${lotsPath}${query}`, liveKey)
      const { items, next_cursor: next } = Object(body)
      sizes.push(items.map((lot: object) => Object(lot).remaining_credits))
      query = next === null ? '' : `?limit=2&cursor=${next}`
      if (sizes.length === 1) await spend(liveKey)
    }

    expect(sizes).toEqual([[5, 5], [5, 5], [6]])
    expect(await lotsOf(liveKey)).toHaveLength(4)
  })

  test('refundCharge gives a charge back to the lots that it burned', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 10 })
    const expiresAt = '2099-01-01T00:00:00.000Z'
    await grant(id, { credits: 3, expiresAt })
    const requestId = await spend(liveKey)
    await spend(liveKey)
    const mutation =
      'mutation ($input: RefundChargeInput!) { refundCharge(input: $input) { credits } }'

    const input = { accountId: id, requestId, reason: 'Test', idempotencyKey: 'once' }
    await gateway.graphql(mutation, { input })

    expect(await lotsOf(liveKey)).toMatchObject([
      { source: 'grant', granted_credits: 3, remaining_credits: 3, expires_at: expiresAt },
      { source: 'grant', granted_credits: 10, remaining_credits: 5, expires_at: null },
    ])
  })

  test('200: only the charge of a request, and its refund', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const requestId = await spend(liveKey)
    const other = await spend(liveKey)
    const input = { accountId: id, requestId, reason: 'Test', idempotencyKey: newId('led') }
    const mutation = 'mutation ($input: RefundChargeInput!) { refundCharge(input: $input) { id } }'
    const list = async (query: string, key = liveKey) => {
      const { status, body } = await gateway.live.get(`${ledgerPath}?${query}`, key)
      expect(status).toBe(200)
      return Object(body).items
    }
    const [charge] = await list('limit=1')
    expect(await list(`request_id=${other}`)).toEqual([charge])
    await gateway.graphql(mutation, { input })
    const stranger = await gateway.createAccount()

    const both = await list(`request_id=${requestId}`)
    const one = await list(`request_id=${requestId}&kind=charge`)

    expect(both).toMatchObject([
      { kind: 'refund', credits: 5, request_id: null },
      { kind: 'charge', credits: -5, request_id: requestId },
    ])
    expect(both).toHaveLength(2)
    expect(one).toEqual([both[1]])
    expect(
      await list(`request_id=${requestId}&from=${encodeURIComponent('2099-01-01T00:00:00Z')}`),
    ).toEqual([])
    expect(await list(`request_id=${newId('req')}`)).toEqual([])
    expect(await list(`request_id=${requestId}`, stranger.liveKey)).toEqual([])
  })
})

describe('GET /v1/account/credits/ledger', () => {
  test('200: shows whole entries, newest first, page by page', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 20 })
    const requestId = await spend(liveKey)
    const paymentId = await buy(liveKey)

    const first = await gateway.live.get(`${ledgerPath}?limit=2`, liveKey)

    const entry = (kind: string, credits: number, balance: number, more: object) => ({
      ...{ id: expect.stringMatching(/^led_/), kind, credits, balance_after: balance },
      ...{ request_id: null, created_at: instant, ...more },
    })
    expect(paymentId).toMatch(/^pay_/)
    expect(first).toMatchObject({
      status: 200,
      body: {
        items: [
          entry('purchase', 1000, 1015, { description: 'Starter package' }),
          entry('charge', -5, 15, { description: '/v1/contacts/reveal', request_id: requestId }),
        ],
        next_cursor: expect.any(String),
      },
    })
    const cursor = Object(first.body).next_cursor
    const second = await gateway.live.get(`${ledgerPath}?limit=2&cursor=${cursor}`, liveKey)
    expect(second.body).toEqual({
      items: [entry('grant', 20, 20, { description: expect.any(String) })],
      next_cursor: null,
    })
  })

  test('200: only entries of a kind and of a span: from is included, to is not', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 20 })
    await spend(liveKey)
    await spend(liveKey)
    await gateway.database.query(
      `UPDATE account.ledger_entry SET created_at = '2026-01-01T00:00:00.000Z'::timestamptz
         + (seq - 1) * interval '1 day' WHERE account_id = $1 AND environment = 'live'`,
      [id],
    )
    const seqsOf = async (query: string) => {
      const { body, status } = await gateway.live.get(`${ledgerPath}?${query}`, liveKey)
      expect(status).toBe(200)
      return Object(body).items.map((entry: object) => Object(entry).balance_after)
    }

    expect(await seqsOf('kind=charge')).toEqual([10, 15])
    expect(await seqsOf('kind=grant')).toEqual([20])
    expect(await seqsOf('kind=clawback')).toEqual([])
    expect(await seqsOf('from=2026-01-02T00:00:00.000Z')).toEqual([10, 15])
    expect(await seqsOf('to=2026-01-03T00:00:00.000Z')).toEqual([15, 20])
    expect(await seqsOf('kind=charge&to=2026-01-03T00:00:00.000Z')).toEqual([15])
    expect(await seqsOf('kind=grant&from=2026-01-02T00:00:00.000Z')).toEqual([])
  })

  test.each([
    [
      'kind=bonus',
      'kind',
      'must be one of grant, purchase, allowance, charge, refund, expiry, adjustment, clawback, reinstatement',
    ],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to', 'must be after from'],
    ['limit=201', 'limit', 'must be an integer from 1 to 200'],
  ])('422 for %s', async (query, field, message) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(`${ledgerPath}?${query}`, liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [{ field, in: 'query', message }],
    })
  })
})

describe.each([lotsPath, ledgerPath])('a cursor of %s', (path) => {
  test('is refused when it is changed, of another account, or of another list: 422', async () => {
    const accounts = await Promise.all([1, 2].map(() => gateway.createAccount({ credits: 10 })))
    const cursors = await Promise.all(
      accounts.map(async ({ id, liveKey }) => {
        await grant(id, { credits: 5 })
        const { body } = await gateway.live.get(`${path}?limit=1`, liveKey)
        return String(Object(body).next_cursor)
      }),
    )
    const [ours = '', theirs = ''] = cursors
    const key = accounts[0]?.liveKey ?? ''
    const other = path === lotsPath ? ledgerPath : lotsPath
    const ask = (list: string, cursor: string) =>
      admitted(() => gateway.live.get(`${list}?cursor=${cursor}`, key))

    expect((await ask(path, ours)).status).toBe(200)
    const refused = [
      await ask(path, altered(ours)),
      await ask(path, theirs),
      await ask(other, ours),
    ]

    for (const response of refused) {
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: [{ field: 'cursor', in: 'query', message: 'is not a cursor of this list' }],
      })
    }
  })
})
