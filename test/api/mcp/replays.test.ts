import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { callTool, failureOf, resultOf } from '../../support/mcp/mcp.ts'
import { plantAccessToken, plantGrant } from '../../support/oauth/oauth.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
beforeEach(() => {
  backend.received.length = 0
  let effects = 0
  backend.answer((_, res) => {
    effects += 1
    sendBackendJson(res, 200, { contact_id: `con_${effects}` })
  })
})
afterAll(async () => {
  await expectExactBooks(gateway)
  await gateway.close()
  await backend.close()
})

const reveal = 'contacts_reveal_contact'
const input = { contact_id: 'con_1' }

/** What was delivered, at which price, and whether it was a repetition. */
async function told(answer: ReturnType<typeof callTool>) {
  const { structuredContent, _meta } = resultOf(await answer)
  return [structuredContent.contact_id, _meta.credits_charged, _meta.replayed]
}

/** The time of these answers is over, by the clock of the database. */
async function endReplays(accountId: string): Promise<void> {
  await gateway.database.query(
    `UPDATE account.key_answer SET stored_at = stored_at - interval '61 s' WHERE account_id = $1`,
    [accountId],
  )
}

test('an equal call within 60 seconds gets the first answer at 0 credits; a later one is a new call', async () => {
  const { id, liveKey } = await gateway.createAccount({ credits: 100 })

  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_1', 5, false])
  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_1', 0, true])
  await endReplays(id)
  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_2', 5, false])
  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_2', 0, true])

  const { body } = await gateway.live.get('/v1/account/credits', liveKey)
  expect(body).toMatchObject({ balance: 90, held: 0 })
  const keys = backend.received.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(2)
  expect(keys).not.toContain(undefined)
})

test('the order of members does not matter, max_credits does not, and X-End-User does', async () => {
  const { liveKey } = await gateway.createAccount({ credits: 100 })
  const call = (given: object, headers = {}) =>
    told(callTool(gateway.live, liveKey, 'contacts_search_contacts', given, headers))
  backend.answer((_, res) =>
    sendBackendJson(res, 200, { contact_id: 'found', items: [1], total: 1 }),
  )

  expect(await call({ query: 'a', limit: 2 })).toEqual(['found', 1, false])
  expect(await call({ limit: 2, query: 'a' })).toEqual(['found', 0, true])
  expect(await call({ limit: 2, query: 'a', max_credits: 9 })).toEqual(['found', 0, true])
  expect(await call({ query: 'a', limit: 2 }, { 'x-end-user': 'one' })).toEqual(['found', 1, false])
  expect(await call({ query: 'b', limit: 2 })).toEqual(['found', 1, false])
})

test('another key of the account, a token, and another account each make a call of their own', async () => {
  const first = await gateway.createAccount({ credits: 100 })
  const second = await gateway.createAccount({ credits: 100 })
  const other = await gateway.createKey(first.id)
  const { accessToken } = await plantGrant(gateway, {
    ownerId: first.id,
    accountId: first.id,
    scopes: ['contacts:write'],
    audience: 'mcp',
  })

  for (const key of [first.liveKey, other.plaintext, accessToken, second.liveKey]) {
    expect((await told(callTool(gateway.live, key, reveal, input))).slice(1)).toEqual([5, false])
  }
  expect(backend.received).toHaveLength(4)
})

describe('idempotency_key', () => {
  test('makes calls with equal arguments different, and repeats its own', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const call = (idempotency_key: string) =>
      told(callTool(gateway.live, liveKey, reveal, { ...input, idempotency_key }))

    expect(await call('one')).toEqual(['con_1', 5, false])
    expect(await call('two')).toEqual(['con_2', 5, false])
    await endReplays(id)
    expect(await call('one')).toEqual(['con_1', 0, true])
  })

  test('is one name space with REST: the same key by the other way is 422', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const byRest = (key: string) =>
      gateway.live.post('/v1/contacts/reveal', input, liveKey, { 'idempotency-key': key })
    const byTool = (idempotency_key: string) =>
      callTool(gateway.live, liveKey, reveal, { ...input, idempotency_key })

    expect((await byRest('rest')).status).toBe(200)
    expect(failureOf(await byTool('rest'))).toMatchObject({
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [{ field: 'idempotency_key', in: 'body' }],
    })
    expect(resultOf(await byTool('tool')).isError).toBe(false)
    expect((await byRest('tool')).status).toBe(422)
    expectError(gateway, await byRest('mcp:rest'), {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [
        {
          ...{ field: 'idempotency-key', in: 'header' },
          message: 'must have 1 to 255 characters, and not begin with mcp:',
        },
      ],
    })
  })
})

test('a failure stores nothing, and free tools never replay', async () => {
  const { liveKey } = await gateway.createAccount({ credits: 100 })
  backend.answer((_, res) => sendBackendJson(res, 404, {}))
  expect(failureOf(await callTool(gateway.live, liveKey, reveal, input)).status).toBe(404)
  backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))

  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_1', 5, false])
  for (let count = 0; count < 2; count += 1) {
    const free = callTool(gateway.live, liveKey, 'contacts_get_contact', input)
    expect(await told(free)).toEqual(['con_1', 0, false])
  }
})

test('in the sandbox nothing is claimed without a key', async () => {
  const { id, sandboxKey } = await gateway.createAccount()

  for (let count = 0; count < 2; count += 1) {
    const { _meta } = resultOf(await callTool(gateway.sandbox, sandboxKey, reveal, input))
    expect(_meta.replayed).toBe(false)
  }

  const claims = await gateway.database.query(
    'SELECT FROM account.key_claim WHERE account_id = $1',
    [id],
  )
  expect(claims).toHaveLength(0)
})

describe('while an equal call is under way', () => {
  function keepAnswers() {
    const kept: ((status: number) => void)[] = []
    backend.answer(
      (_, res) => void kept.push((status) => sendBackendJson(res, status, { contact_id: 'con_1' })),
    )
    return kept
  }

  test('others wait for it and get its answer', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const kept = keepAnswers()
    const calls = Array.from({ length: 3 }, () =>
      told(callTool(gateway.live, liveKey, reveal, input)),
    )
    await vi.waitUntil(() => kept.length > 0, patience)

    for (const answer of kept) answer(200)

    const answers = await Promise.all(calls)
    expect(answers).toHaveLength(3)
    expect(answers).toEqual(
      expect.arrayContaining([
        ['con_1', 0, true],
        ['con_1', 5, false],
      ]),
    )
    expect(answers.filter(([, , isReplay]) => isReplay)).toHaveLength(2)
    expect(backend.received).toHaveLength(1)
  })

  test('others are 409 with the advice to call again where it fails', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const kept = keepAnswers()
    const first = callTool(gateway.live, liveKey, reveal, input)
    await vi.waitUntil(() => kept.length > 0, patience)
    const second = callTool(gateway.live, liveKey, reveal, input)
    await gateway.live.get('/v1/health')
    // Reservations with keys are made in their order, so that of the second call has been made after these.
    for (let count = 0; count < 2; count += 1) {
      const keyed = { method: 'GET', key: liveKey, headers: { 'idempotency-key': 'later' } }
      const later = await gateway.live.request('/v1/seo/keywords?topic=shoes', keyed)
      expect(later.status).toBe(200)
    }

    for (const answer of kept) answer(404)

    expect(failureOf(await first)).toMatchObject({ status: 404 })
    expect(failureOf(await second)).toMatchObject({
      ...{ status: 409, code: 'IDEMPOTENCY_CONFLICT' },
      message: expect.stringContaining('call again'),
    })
    expect(backend.received).toHaveLength(1)
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 98, held: 0 })
  })

  test('one whose key ends meanwhile is 401, and does not get its answer', async () => {
    const { id, liveKey } = await gateway.createAccount({ credits: 100 })
    const own = await gateway.createKey(id)
    const kept = keepAnswers()
    const first = callTool(gateway.live, own.plaintext, reveal, input)
    await vi.waitUntil(() => kept.length > 0, patience)
    const second = callTool(gateway.live, own.plaintext, reveal, input)
    // What was sent later is answered, so the second call has been authenticated.
    expect((await gateway.live.get('/v1/account', liveKey)).status).toBe(200)
    const revoked = await gateway.live.request(`/v1/account/keys/${own.id}`, {
      ...{ method: 'DELETE', key: liveKey },
    })

    for (const answer of kept) answer(200)

    expect(revoked.status).toBe(200)
    expect(await told(Promise.resolve(await first))).toEqual(['con_1', 5, false])
    expectError(gateway, await second, { status: 401, code: 'INVALID_API_KEY' })
    expect(backend.received).toHaveLength(1)
  })
})

test('a replay does not look at the balance', async () => {
  const { liveKey } = await gateway.createAccount({ credits: 5 })
  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_1', 5, false])

  expect(await told(callTool(gateway.live, liveKey, reveal, input))).toEqual(['con_1', 0, true])
  const other = await callTool(gateway.live, liveKey, reveal, { contact_id: 'con_2' })
  expect(failureOf(other).status).toBe(402)
})

describe('a repetition, which costs nothing, comes before max_credits', () => {
  test.each([
    ['of a call without a key', {}],
    ['of a call with a key', { idempotency_key: 'own' }],
  ])('%s', async (_, key) => {
    const { liveKey } = await gateway.createAccount({ credits: 5 })
    const given = { ...input, ...key }
    const call = (max_credits: number) =>
      callTool(gateway.live, liveKey, reveal, { ...given, max_credits })
    // Nothing is remembered of a call that its limit refused.
    expect(failureOf(await call(4))).toMatchObject({
      ...{ status: 402, code: 'BUDGET_EXCEEDED' },
      details: [{ of: 'max_credits', limit_credits: 4, needed_credits: 5 }],
    })
    expect(await told(callTool(gateway.live, liveKey, reveal, given))).toEqual(['con_1', 5, false])

    expect(await told(call(4))).toEqual(['con_1', 0, true])
    expect(await told(call(0))).toEqual(['con_1', 0, true])

    expect(backend.received).toHaveLength(1)
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 0, held: 0 })
    const other = { contact_id: 'con_2', max_credits: 4 }
    expect(failureOf(await callTool(gateway.live, liveKey, reveal, other))).toMatchObject({
      details: [{ of: 'max_credits' }],
    })
  })

  test.each([200, 404])('while the first one runs, which is %i then', async (status) => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const kept: (() => void)[] = []
    backend.answer(
      (_, res) => void kept.push(() => sendBackendJson(res, status, { contact_id: 'con_1' })),
    )
    const first = callTool(gateway.live, liveKey, reveal, input)
    await vi.waitUntil(() => kept.length === 1, patience)
    const second = callTool(gateway.live, liveKey, reveal, { ...input, max_credits: 4 })
    // Reservations with keys are made in their order, so that of the second call has been made after these.
    for (let count = 0; count < 2; count += 1) {
      const keyed = { method: 'GET', key: liveKey, headers: { 'idempotency-key': 'later' } }
      expect((await gateway.live.request('/v1/seo/keywords?topic=shoes', keyed)).status).toBe(200)
    }

    for (const answer of kept) answer()

    await first
    if (status === 200) expect(await told(second)).toEqual(['con_1', 0, true])
    else expect(failureOf(await second)).toMatchObject({ details: [{ of: 'max_credits' }] })
    expect(backend.received).toHaveLength(1)
  })
})

test('a replay is 403 for another token of the same consent that has not the scope', async () => {
  const { id } = await gateway.createAccount({ credits: 100 })
  const scopes = ['account:read', 'contacts:write']
  const grant = { ownerId: id, accountId: id, scopes, audience: 'mcp' } as const
  const { grantId, accessToken } = await plantGrant(gateway, grant)
  const narrow = { grantId, accountId: id, scopes: ['account:read'] }
  const narrower = await plantAccessToken(gateway, narrow)
  const equal = await plantAccessToken(gateway, { ...narrow, scopes })

  expect(await told(callTool(gateway.live, accessToken, reveal, input))).toEqual([
    ...['con_1', 5, false],
  ])
  const refused = await callTool(gateway.live, narrower, reveal, input)

  expectError(gateway, refused, { status: 403, code: 'FORBIDDEN' })
  expect(await told(callTool(gateway.live, equal, reveal, input))).toEqual(['con_1', 0, true])
})
