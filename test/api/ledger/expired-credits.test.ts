import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { letCreditsExpire } from '../../support/database/expired-credits.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

/** Costs 5 credits. */
const reveal = { method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }

/** An account with so many lasting credits, and 30 that will expire. */
async function accountWith(credits: number): Promise<TestAccount> {
  const account = await gateway.createAccount({ credits })
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const input = { accountId: account.id, credits: 30, reason: 'Gift', expiresAt }
  await gateway.graphql(
    'mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }',
    { input: { ...input, idempotencyKey: newId('led') } },
  )
  return account
}

function adjust({ id }: TestAccount, credits: number): Promise<unknown> {
  const input = { accountId: id, credits, reason: 'Test', idempotencyKey: newId('led') }
  return gateway.graphql(
    'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { balanceAfter } }',
    { input },
  )
}

async function entriesOf({ id }: TestAccount): Promise<string[]> {
  const rows = await gateway.database.query<{ entry: string }>(
    `SELECT kind || ' ' || credits AS entry FROM account.ledger_entry
     WHERE account_id = $1 AND environment = 'live' ORDER BY seq`,
    [id],
  )
  return rows.map(({ entry }) => entry)
}

async function read(path: string, { liveKey }: TestAccount): Promise<unknown> {
  const { status, body } = await gateway.live.get(path, liveKey)
  expect(status).toBe(200)
  return body
}

describe('credits that have expired, before the ledger has an entry of it,', () => {
  test('are not available, while the balance is still the sum of the ledger', async () => {
    const account = await accountWith(42)
    await letCreditsExpire(gateway.database, account.id)

    const credits = await read('/v1/account/credits', account)

    expect(credits).toEqual({ balance: 72, held: 0, available: 42, as_of: expect.any(String) })
    expect(await entriesOf(account)).toEqual(['grant 42', 'grant 30'])
  })

  test('are only what was left of them', async () => {
    const account = await accountWith(42)
    await adjust(account, -25)
    await letCreditsExpire(gateway.database, account.id)

    expect(await read('/v1/account/credits', account)).toMatchObject({ balance: 47, available: 42 })
  })

  test('are none where all were spent before', async () => {
    const account = await accountWith(42)
    await adjust(account, -35)
    await letCreditsExpire(gateway.database, account.id)

    expect(await read('/v1/account/credits', account)).toMatchObject({ balance: 37, available: 37 })
  })

  test('are in no lot', async () => {
    const account = await accountWith(42)
    await letCreditsExpire(gateway.database, account.id)

    const lots = await read('/v1/account/credits/lots', account)

    expect(lots).toEqual({
      items: [
        {
          ...{ id: expect.stringMatching(/^lot_/), source: 'grant', granted_credits: 42 },
          ...{ remaining_credits: 42, expires_at: null, payment_id: null },
          created_at: expect.any(String),
        },
      ],
      next_cursor: null,
    })
  })

  test('are not quoted: the quote refuses what the call is refused for', async () => {
    const account = await accountWith(3)
    await letCreditsExpire(gateway.database, account.id)

    const calls = { calls: [reveal] }
    const { status, body } = await gateway.live.post('/v1/quotes', calls, account.liveKey)
    const real = await gateway.live.post(reveal.path, reveal.body, account.liveKey)

    const message = 'This request can cost 5 credits; 3 are available.'
    const refusal = { code: 'INSUFFICIENT_CREDITS', message, details: null }
    expect(status).toBe(200)
    expect(body).toMatchObject({ available: 3, items: [{ would_succeed: false, refusal }] })
    expectError(gateway, real, { status: 402, code: 'INSUFFICIENT_CREDITS', message })
    expect(await read('/v1/account/credits', account)).toMatchObject({ balance: 3, available: 3 })
  })

  test('are no longer there for a second call, though the first that held some of them is charged', async () => {
    const account = await accountWith(3)
    backend.answer(async (_, res) => {
      await letCreditsExpire(gateway.database, account.id)
      sendBackendJson(res, 200, {})
    })

    const charged = await gateway.live.post(reveal.path, reveal.body, account.liveKey)
    const credits = await read('/v1/account/credits', account)
    const refused = await gateway.live.post(reveal.path, reveal.body, account.liveKey)

    expect([charged.status, charged.headers.get('x-credits-remaining')]).toEqual([200, '3'])
    expect(credits).toMatchObject({ balance: 28, held: 0, available: 3 })
    expect([refused.status, refused.headers.get('x-credits-remaining')]).toEqual([402, '3'])
    expect(await entriesOf(account)).toEqual(['grant 3', 'grant 30', 'charge -5', 'expiry -25'])
  })

  test.each([
    ['with an idempotency key', { 'idempotency-key': 'one' }, []],
    ['with a budget', {}, [{ period: 'day', limit_credits: 100 }]],
  ])('are not among X-Credits-Remaining of a call %s', async (_, headers, budgets) => {
    const account = await accountWith(42)
    const set = { method: 'PUT', key: account.liveKey, body: { budgets } }
    expect((await gateway.live.request('/v1/account/budgets', set)).status).toBe(200)
    backend.answer(async (__, res) => {
      await letCreditsExpire(gateway.database, account.id)
      sendBackendJson(res, 200, {})
    })

    const call = await gateway.live.post(reveal.path, reveal.body, account.liveKey, headers)

    expect([call.status, call.headers.get('x-credits-remaining')]).toEqual([200, '42'])
  })

  test('are not taken by a correction, which is refused if it asks for more than what is available', async () => {
    const account = await accountWith(42)
    await letCreditsExpire(gateway.database, account.id)

    await expect(adjust(account, -43)).rejects.toThrow('INVALID_REQUEST')
    expect(await entriesOf(account)).toEqual(['grant 42', 'grant 30'])
    expect(await adjust(account, -40)).toEqual({ adjustCredits: { balanceAfter: 2 } })

    expect(await entriesOf(account)).toEqual([
      ...['grant 42', 'grant 30', 'expiry -30', 'adjustment -40'],
    ])
    expect(await read('/v1/account/credits', account)).toMatchObject({ balance: 2, available: 2 })
  })
})
