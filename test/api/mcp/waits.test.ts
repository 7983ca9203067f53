import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { callTool, failureOf, headersOf, modernMeta, resultOf } from '../../support/mcp/mcp.ts'
import { openRequest } from '../../support/requests/open-request.ts'
import { sendBackendJson, startStubBackend } from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
async function start(timeoutMs: string): Promise<void> {
  gateway = await startTestGateway({ DATABASE_TIMEOUT_MS: timeoutMs })
}

/** A message whose caller is known, and whose body is not sent yet. */
async function begin(key: string, method: string, params: object = {}) {
  // From here on the key is cached, so that it is known as soon as the headers are read.
  expect((await gateway.live.get('/v1/account/credits', key)).status).toBe(200)
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }
  return openRequest(`${gateway.live.url}/mcp`, {
    ...{ method: 'POST', body: JSON.stringify(message) },
    headers: {
      ...headersOf(method, params),
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    },
  })
}

const beginCall = (key: string, name: string, input: object = {}) =>
  begin(key, 'tools/call', { name, arguments: input })

/** A change of the account: what is known of its keys is looked up again. */
async function cap({ liveKey }: TestAccount): Promise<void> {
  const budgets = [{ period: 'day', limit_credits: 4 }]
  const { status } = await gateway.live.request('/v1/account/budgets', {
    ...{ method: 'PUT', key: liveKey, body: { budgets } },
  })
  expect(status).toBe(200)
}

async function failuresOf({ liveKey }: TestAccount): Promise<unknown> {
  const { body } = await gateway.live.get('/v1/account/usage/log?status_class=5xx', liveKey)
  return Object(body).items
}

const revealed = ['contacts_reveal_contact', { contact_id: 'con_1' }] as const

describe('a message whose body comes late', () => {
  beforeAll(() => start('30000'))
  afterAll(() => gateway.close())

  test('meets the budget that its account has got meanwhile', async () => {
    const account = await gateway.createAccount()
    const call = await beginCall(account.liveKey, ...revealed)
    await cap(account)

    expect(failureOf(await call.send())).toMatchObject({ status: 402, code: 'BUDGET_EXCEEDED' })
  })

  test.each([
    ['a call', 'tools/call', { name: 'credits', arguments: {} }],
    ['tools/list', 'tools/list', {}],
  ])('is 401 by HTTP where its key has ended meanwhile: %s', async (_, method, params) => {
    const { id, liveKey } = await gateway.createAccount()
    const own = await gateway.createKey(id)
    const message = await begin(own.plaintext, method, params)
    const path = `/v1/account/keys/${own.id}`
    expect((await gateway.live.request(path, { method: 'DELETE', key: liveKey })).status).toBe(200)

    const answer = await message.send()

    expectError(gateway, answer, { status: 401, code: 'INVALID_API_KEY' })
    expect(answer.headers.get('www-authenticate')).toMatch(/, error="invalid_token"$/)
  })
})

test('503 by HTTP before the body is read: the gateway has its limit of requests in hand', async () => {
  const backend = await startStubBackend()
  const full = await startTestGateway({
    MAX_CONCURRENT_REQUESTS: '1',
    BACKEND_CONTACT_FINDER_URL: backend.url,
  })
  const { liveKey } = await full.createAccount({ credits: 100 })
  const kept: (() => void)[] = []
  backend.answer(
    (_, res) => void kept.push(() => sendBackendJson(res, 200, { contact_id: 'con_1' })),
  )
  const call = () => callTool(full.live, liveKey, ...revealed)
  const running = call()
  await vi.waitUntil(() => kept.length === 1, patience)

  const refused = await call()
  for (const answer of kept) answer()

  expectError(full, refused, { status: 503, code: 'SERVICE_UNAVAILABLE' })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(resultOf(await running)._meta).toMatchObject({ credits_charged: 5 })
  expect(backend.received).toHaveLength(1)
  await full.close()
  await backend.close()
})

describe('calls of a free tool that wait for a place of their account', () => {
  beforeAll(() => start('30000'))
  afterAll(() => gateway.close())

  test('are 401 where their key ends meanwhile', async () => {
    const { id } = await gateway.createAccount()
    const own = await gateway.createKey(id)
    const lockSums = 'LOCK TABLE usage.usage_service IN ACCESS EXCLUSIVE MODE'
    const statuses: number[] = []
    const ask = async () => {
      const input = { interval: 'hour' }
      const { status } = await callTool(gateway.live, own.plaintext, 'usage', input)
      statuses.push(status)
    }

    // docs/promises.md R10: 4 run and 16 wait; one more is refused.
    const { sent } = await whileHeld(gateway.database, [lockSums, []], {
      async started() {
        const sent = Array.from({ length: 21 }, ask)
        await vi.waitUntil(() => statuses.length === 1, patience)
        await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', {
          id: own.id,
        })
        return { sent }
      },
    })
    await Promise.all(sent)

    expect(statuses.toSorted((a, b) => a - b)).toEqual([
      ...Array(4).fill(200),
      ...Array(16).fill(401),
      429,
    ])
  })
})

describe('a call whose body comes late, while the database does not answer', () => {
  beforeAll(() => start('3000'))
  afterAll(() => gateway.close())

  test.each([
    ['credits', {}, { method: 'GET', endpoint: '/v1/account/credits', service: 'account' }],
    [...revealed, { method: 'POST', endpoint: '/v1/contacts/reveal', service: 'contacts' }],
  ] as const)('503 as a result: %s', async (name, input, entry) => {
    const account = await gateway.createAccount()
    const call = await beginCall(account.liveKey, name, input)
    await cap(account)
    const lockTheTable = 'LOCK TABLE account.account IN ACCESS EXCLUSIVE MODE'

    const answer = await whileHeld(gateway.database, [lockTheTable, []], { started: call.send })

    expect(failureOf(answer)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(resultOf(answer)._meta).toMatchObject({ credits_charged: 0, replayed: false })
    await vi.waitUntil(
      async () => (await gateway.live.get('/v1/account', account.liveKey)).status === 200,
      patience,
    )
    expect(await failuresOf(account)).toMatchObject([{ ...entry, status: 503, credits: 0 }])
  })
})
