import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { items: [] }))
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const search = { method: 'POST', path: '/v1/contacts/search', body: { query: 'x', limit: 20 } }
const report = {
  method: 'POST',
  path: '/v1/markets/reports',
  body: { industry: 'wine', countries: ['DE'] },
}
const starter = { id: 'pack_starter', credits: 1000, price_cents: 1000, currency: 'USD' }

type Asked = typeof search | typeof report

const call = ({ path, body }: Asked, key: string) => gateway.live.post(path, body, key)

/** The refusal that a quote says the call would get. */
async function quotedRefusal(asked: Asked, key: string): Promise<unknown> {
  const { status, body } = await gateway.live.post('/v1/quotes', { calls: [asked] }, key)
  expect(status).toBe(200)
  return Object(body).items[0].refusal
}

/** The error of a call, which must be what its quote says (docs/promises.md M19). */
async function refusedAsQuoted(asked: Asked, key: string): Promise<TestResponse> {
  const quoted = await quotedRefusal(asked, key)
  const answer = await call(asked, key)
  expect(answer.status).toBe(402)
  const { code, message, details = null, remedy } = Object(answer.body).error
  expect(quoted).toEqual({ code, message, details, remedy })
  return answer
}

const remedyOf = ({ body }: TestResponse) => Object(body).error.remedy

async function keyWith(account: TestAccount, more: object): Promise<string> {
  const { status, body } = await gateway.live.post(
    '/v1/account/keys',
    { name: 'k', ...more },
    account.liveKey,
  )
  expect(status).toBe(201)
  return Object(body).plaintext
}

describe('402', () => {
  test('says what is lacking, how many units would pass, and which package covers it', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 7 })
    const answer = await refusedAsQuoted(search, liveKey)

    expectError(gateway, answer, {
      ...{ status: 402, code: 'INSUFFICIENT_CREDITS' },
      message: 'This request can cost 20 credits; 7 are available.',
    })
    expect(remedyOf(answer)).toEqual({
      ...{ needed: 20, spendable: 7, affordable_units: 7, package: starter },
      top_up_url: `${gateway.baseUrl}/console/billing`,
    })
    expect(answer.headers.has('retry-after')).toBe(false)
    const body = { ...search.body, limit: 7 }
    expect((await gateway.live.post(search.path, body, liveKey)).status).toBe(200)
  })

  test('has null for the units of a fixed price', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 7 })
    const answer = await refusedAsQuoted(report, liveKey)
    expect(remedyOf(answer)).toMatchObject({ needed: 50, spendable: 7, affordable_units: null })
  })

  test('names the tightest budget that refuses, and nothing to buy', async () => {
    const account = await gateway.createAccount()
    const budgets = [
      { period: 'day', limit_credits: 9 },
      { period: 'month', limit_credits: 3 },
    ]
    const answer = await refusedAsQuoted(search, await keyWith(account, { budgets }))

    const { details } = Object(answer.body).error
    expect(details).toHaveLength(2)
    expect(remedyOf(answer)).toEqual({
      ...{ needed: 20, spendable: 3, affordable_units: 3 },
      budget: details.find(({ period }: { period: string }) => period === 'month'),
    })
  })

  test('has both where the balance and a budget refuse; a budget that only reports is no bound', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const firm = await keyWith(account, { budgets: [{ period: 'day', limit_credits: 3 }] })
    const soft = await keyWith(account, {
      budgets: [{ period: 'day', limit_credits: 3, enforce: false }],
    })

    const both = remedyOf(await refusedAsQuoted(search, firm))
    const one = remedyOf(await refusedAsQuoted(search, soft))

    expect(both).toMatchObject({
      ...{ spendable: 3, affordable_units: 3, package: starter },
      budget: { of: 'key', period: 'day', remaining_credits: 3, needed_credits: 20 },
    })
    expect(one).toMatchObject({ spendable: 7, affordable_units: 7 })
    expect(one).not.toHaveProperty('budget')
  })

  test('shows amounts only to callers who may read them', async () => {
    const account = await gateway.createAccount({ credits: 7 })
    const blind = await gateway.createKey(account.id, { scopes: ['contacts:write'] })
    const reader = await gateway.createKey(account.id, {
      scopes: ['contacts:write', 'account:read'],
    })

    const answer = await refusedAsQuoted(search, blind.plaintext)
    const read = await refusedAsQuoted(search, reader.plaintext)

    const { message } = Object(answer.body).error
    expect(message).toBe('This request can cost 20 credits; fewer are available.')
    const url = `${gateway.baseUrl}/console/billing`
    const { id, credits } = starter
    const unpriced = { package: { id, credits }, top_up_url: url }
    expect(remedyOf(answer)).toEqual({ needed: 20, ...unpriced })
    expect(remedyOf(read)).toEqual({
      ...{ needed: 20, spendable: 7, affordable_units: 7 },
      ...unpriced,
    })
  })

  test('has Retry-After: 5 while a recharge is under way', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 7 })
    await gateway.database.query(
      `INSERT INTO account.auto_recharge (account_id, environment, state) VALUES ($1, 'live', 'pending')
       ON CONFLICT (account_id, environment) DO UPDATE SET state = 'pending'`,
      [id],
    )
    const answer = await refusedAsQuoted(search, liveKey)
    expect(answer.headers.get('retry-after')).toBe('5')
  })

  test('names the largest package when none covers what is lacking', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 7 })
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { balanceAfter } }',
      {
        input: {
          ...{ accountId: id, credits: -2_000_000, reason: 'Test' },
          ...{ idempotencyKey: 'down', allowNegative: true },
        },
      },
    )
    const {
      spendable,
      affordable_units,
      package: offer,
    } = remedyOf(await refusedAsQuoted(search, liveKey))
    expect([spendable, affordable_units, offer.id]).toEqual([-1_999_993, 0, 'pack_scale'])
  })

  test.each([
    ['insufficient_credits', { needed: 20, spendable: 0, affordable_units: 0 }],
    ['budget_exceeded', { needed: 20, spendable: 0, budget: { of: 'account' } }],
  ])('of the scenario %s has what a real one has', async (scenario, remedy) => {
    const { sandboxKey } = await gateway.createAccount()
    const answer = await gateway.sandbox.post(search.path, search.body, sandboxKey, {
      'x-sandbox-scenario': scenario,
    })
    expect(answer.status).toBe(402)
    expect(remedyOf(answer)).toMatchObject(remedy)
  })
})

describe('request_log_url', () => {
  test('leads a caller with usage:read to the entry in the console, and is missing for others', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()
    const blind = await gateway.createKey(id, { scopes: ['account:read'] })
    const path = '/v1/account/keys/key_unknown'
    const answers = [
      await gateway.live.get(path, liveKey),
      await gateway.sandbox.get(path, sandboxKey),
      await gateway.live.get(path, blind.plaintext),
      await gateway.live.get(path, liveKey.slice(0, -1) + (liveKey.endsWith('x') ? 'y' : 'x')),
    ]
    const urls = answers.map(({ body }) => Object(body).error.request_log_url)
    const pageOf = (base: string, answer = answers[0]) =>
      `${base}/console/logs?request=${answer?.headers.get('x-request-id')}`

    expect(urls).toEqual([
      pageOf(gateway.baseUrl),
      pageOf(gateway.sandbox.url, answers[1]),
      ...[undefined, undefined],
    ])
    const requestId = new URL(urls[0]).searchParams.get('request')
    const found = await gateway.live.get(`/v1/account/usage/log?request_id=${requestId}`, liveKey)
    expect(Object(found.body).items).toHaveLength(1)
  })

  test('of a gateway without a console is missing, and TOP_UP_URL is the page to buy on', async () => {
    const topUpUrl = 'https://app.example.com/billing'
    const other = await startTestGateway({ CONSOLE: 'off', TOP_UP_URL: topUpUrl })
    try {
      const { liveKey } = await other.createAccount({ credits: 7 })
      const answer = await other.live.post(report.path, report.body, liveKey)
      expect(answer.status).toBe(402)
      expect(Object(answer.body).error).not.toHaveProperty('request_log_url')
      expect(remedyOf(answer).top_up_url).toBe(topUpUrl)
      const attention = await other.live.get('/v1/account/attention', liveKey)
      expect(attention.body).toMatchObject({
        items: [{ kind: 'credits_low', action: { label: 'Buy credits', url: topUpUrl } }],
      })
    } finally {
      await other.close()
    }
  })
})
