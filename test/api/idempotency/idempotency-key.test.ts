import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
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
import { patience } from '../../support/time/patience.ts'

const header = 'X-SVC-Idempotency-Key'
const path = '/v1/contacts/reveal'

describe('X-SVC-Idempotency-Key on POST /v1/contacts/reveal', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
  })
  afterAll(async () => {
    await expectExactBooks(gateway)
    await gateway.close()
    await backend.close()
  })

  /** An answer that differs each time, so that a replay shows. */
  function answerWithCount() {
    backend.received.length = 0
    backend.answer((_, res) => sendBackendJson(res, 200, { n: backend.received.length }))
  }

  /** The credits that a metered answer tells. */
  function creditsOf({ headers }: TestResponse) {
    return [headers.get('X-Credits-Charged'), headers.get('X-Credits-Remaining')]
  }

  function reveal(account: TestAccount, key: string, contactId = 'con_1') {
    const body = { contact_id: contactId }
    return gateway.live.post(path, body, account.liveKey, { [header]: key })
  }

  async function balance(account: TestAccount) {
    const { body } = await gateway.live.get('/v1/account/credits', account.liveKey)
    return body
  }

  test('answers a retry with the stored answer, without charge or backend call', async () => {
    answerWithCount()
    const account = await gateway.createAccount({ credits: 100 })

    const first = await reveal(account, 'retry')
    const second = await reveal(account, 'retry')

    expect([first.status, first.body]).toEqual([200, { n: 1 }])
    expect([second.status, second.body]).toEqual([200, { n: 1 }])
    expect(first.headers.get('Idempotent-Replayed')).toBeNull()
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expect(second.headers.get('X-Credits-Charged')).toBe('5')
    expect(second.headers.get('X-Credits-Remaining')).toBe('95')
    expect(second.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'))
    expect(backend.received).toHaveLength(1)
    expect(await balance(account)).toMatchObject({ balance: 95, held: 0 })
    const { body } = await gateway.live.get('/v1/account/usage/log?limit=3', account.liveKey)
    const { items } = Object(body)
    const credits = items.map((item: { credits: number }) => item.credits)
    expect(credits).toEqual([0, 0, 5])
  })

  test('accepts Idempotency-Key as an alias, and refuses two that differ', async () => {
    answerWithCount()
    const account = await gateway.createAccount()
    const body = { contact_id: 'con_1' }

    await reveal(account, 'alias')
    const again = await gateway.live.post(path, body, account.liveKey, {
      'Idempotency-Key': 'alias',
    })
    const both = await gateway.live.post(path, body, account.liveKey, {
      [header]: 'alias',
      'Idempotency-Key': 'other',
    })

    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(both.status).toBe(422)
  })

  test('runs 50 parallel copies once; the others replay or conflict', async () => {
    answerWithCount()
    const account = await gateway.createAccount({ credits: 100 })

    const responses = await Promise.all(
      Array.from({ length: 50 }, () => reveal(account, 'parallel')),
    )

    const statuses = new Set(responses.map(({ status }) => status))
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true)
    for (const { status, headers, body } of responses) {
      if (status === 200) expect(body).toEqual({ n: 1 })
      else
        expect([headers.get('Retry-After'), Object(body).error.code]).toEqual([
          '1',
          'IDEMPOTENCY_CONFLICT',
        ])
    }
    expect(backend.received).toHaveLength(1)
    expect(await balance(account)).toMatchObject({ balance: 95, held: 0 })
  })

  test('refuses another request with the same key, at no cost', async () => {
    answerWithCount()
    const account = await gateway.createAccount({ credits: 100 })

    await reveal(account, 'mismatch', 'con_1')
    const other = await reveal(account, 'mismatch', 'con_2')

    expect([other.status, ...creditsOf(other)]).toEqual([422, '0', '95'])
    expect(Object(other.body).error).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ field: 'Idempotency-Key', in: 'header' }],
    })
    expect(backend.received).toHaveLength(1)
    expect(await balance(account)).toMatchObject({ balance: 95, held: 0 })
  })

  test('refuses the same key while its first request is running, at no cost', async () => {
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<void>()
    backend.answer(async (_, res) => {
      hasArrived()
      await mayAnswer
      sendBackendJson(res, 200, {})
    })
    const account = await gateway.createAccount({ credits: 100 })

    const first = reveal(account, 'running')
    await arrived
    const second = await reveal(account, 'running')
    letAnswer()

    expect(second.status).toBe(409)
    // The first one's hold counts.
    expect(creditsOf(second)).toEqual(['0', '95'])
    expect(creditsOf(await first)).toEqual(['5', '95'])
  })

  test('treats the same members in another order as the same request', async () => {
    answerWithCount()
    backend.answer((_, res) => sendBackendJson(res, 200, { items: [], total: 0 }))
    const account = await gateway.createAccount()
    const search = (body: string) =>
      gateway.live.post('/v1/contacts/search', body, account.liveKey, { [header]: 'order' })

    await search('{"query":"x","limit":2}')
    const again = await search('{ "limit": 2, "query": "x" }')

    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  })

  test('keeps the keys of two accounts apart, also in the requests to the backend', async () => {
    answerWithCount()
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]

    const first = await reveal(one, 'shared')
    const second = await reveal(two, 'shared')

    expect([first.status, second.status]).toEqual([200, 200])
    const sent = backend.received.map(({ headers }) => headers['idempotency-key'])
    expect(sent[0]).toMatch(/^[\w-]{43}$/)
    expect(sent[1]).toMatch(/^[\w-]{43}$/)
    expect(sent[0]).not.toBe(sent[1])
  })

  test('refuses an empty key and one of more than 255 characters', async () => {
    const account = await gateway.createAccount()

    const long = await reveal(account, 'x'.repeat(256))
    const longest = await reveal(account, 'x'.repeat(255))

    expect([long.status, longest.status]).toEqual([422, 200])
    expect((await reveal(account, '')).status).toBe(422)
  })

  test('runs again after a failure, and sends the backend the same key', async () => {
    backend.received.length = 0
    backend.answer((_, res) => sendBackendJson(res, 500, {}))
    const account = await gateway.createAccount({ credits: 100 })

    const failed = await reveal(account, 'afresh')
    backend.answer((_, res) => sendBackendJson(res, 200, { n: 2 }))
    const retried = await reveal(account, 'afresh')

    expect([failed.status, retried.status]).toEqual([502, 200])
    expect(retried.headers.get('Idempotent-Replayed')).toBeNull()
    const [first, second] = backend.received.map(({ headers }) => headers['idempotency-key'])
    expect(first).toBe(second)
    expect(await balance(account)).toMatchObject({ balance: 95, held: 0 })
  })

  test('stores nothing after 402, so that the retry works once there are credits', async () => {
    answerWithCount()
    const account = await gateway.createAccount({ credits: 4 })

    const poor = await reveal(account, 'poor')
    await gateway.graphql(
      `mutation ($input: GrantCreditsInput!) { grantCredits(input: $input) { id } }`,
      { input: { accountId: account.id, credits: 1, reason: 'Test', idempotencyKey: account.id } },
    )
    const rich = await reveal(account, 'poor')

    expect([poor.status, rich.status]).toEqual([402, 200])
    expect(await balance(account)).toMatchObject({ balance: 0 })
  })

  test('finishes a call whose client hung up, charges it once and keeps the answer for the retry', async () => {
    backend.received.length = 0
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<void>()
    backend.answer(async (_, res) => {
      hasArrived()
      await mayAnswer
      sendBackendJson(res, 200, { n: 1 })
    })
    const account = await gateway.createAccount({ credits: 100 })
    const hangUp = new AbortController()

    const lost = fetch(gateway.live.url + path, {
      method: 'POST',
      body: JSON.stringify({ contact_id: 'con_1' }),
      headers: {
        authorization: `Bearer ${account.liveKey}`,
        'content-type': 'application/json',
        [header]: 'hang up',
      },
      signal: hangUp.signal,
    })
    await arrived
    hangUp.abort()
    await expect(lost).rejects.toThrow()
    letAnswer()
    const retried = await vi.waitUntil(async () => {
      const answer = await reveal(account, 'hang up')
      return answer.status === 409 ? null : answer
    }, patience)

    expect([retried.status, retried.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(backend.received).toHaveLength(1)
    expect(await balance(account)).toMatchObject({ balance: 95, held: 0 })
  })
})

describe('X-SVC-Idempotency-Key on a GET', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    const url = backend.url
    gateway = await startTestGateway({ BACKEND_SEO_URL: url, BACKEND_CONTACT_FINDER_URL: url })
    backend.answer((_, res) => sendBackendJson(res, 200, { n: backend.received.length }))
  })
  afterAll(async () => {
    await expectExactBooks(gateway)
    await gateway.close()
    await backend.close()
  })
  beforeEach(() => {
    backend.received.length = 0
  })

  function get(account: TestAccount, path: string) {
    return gateway.live.get(path, account.liveKey, { [header]: 'once' })
  }

  async function balance({ liveKey }: TestAccount): Promise<unknown> {
    const { body } = await gateway.live.get('/v1/account/credits', liveKey)
    return Object(body).balance
  }

  test('that costs credits is charged once, and its answer is replayed', async () => {
    const account = await gateway.createAccount({ credits: 100 })

    const first = await get(account, '/v1/seo/keywords?topic=shoes')
    const second = await get(account, '/v1/seo/keywords?topic=shoes')
    const other = await get(account, '/v1/seo/keywords?topic=boots')

    expect([first.status, first.body]).toEqual([200, { n: 1 }])
    expect([second.status, second.body]).toEqual([200, { n: 1 }])
    expect(first.headers.get('Idempotent-Replayed')).toBeNull()
    expect(second.headers.get('Idempotent-Replayed')).toBe('true')
    expect([other.status, Object(other.body).error.code]).toEqual([422, 'INVALID_REQUEST'])
    expect(backend.received).toHaveLength(1)
    expect(backend.received[0]?.headers['idempotency-key']).toMatch(/^[\w-]{43}$/)
    expect(await balance(account)).toBe(98)
  })

  test('that is free has no effect: each answer shows the current state', async () => {
    const account = await gateway.createAccount({ credits: 100 })

    const first = await get(account, '/v1/contacts/con_1')
    const second = await get(account, '/v1/contacts/con_1')

    expect([first.body, second.body]).toEqual([{ n: 1 }, { n: 2 }])
    expect(second.headers.get('Idempotent-Replayed')).toBeNull()
    expect(backend.received[0]?.headers).not.toHaveProperty('idempotency-key')
    expect(await balance(account)).toBe(100)
  })
})

describe('X-SVC-Idempotency-Key on POST /v1/account/keys', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.close())

  const issue = (key: string, idempotencyKey: string) =>
    gateway.live.post('/v1/account/keys', { name: 'Once' }, key, { [header]: idempotencyKey })

  test('issues one key and shows its plaintext again to the caller that asked', async () => {
    const account = await gateway.createAccount()

    const first = await issue(account.liveKey, 'once')
    const second = await issue(account.liveKey, 'once')

    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    const list = await gateway.live.get('/v1/account/keys', account.liveKey)
    expect(Object(list.body).items).toHaveLength(2)
  })

  test('hides the stored answer from the database and from other keys of the account', async () => {
    const account = await gateway.createAccount()
    const other = await gateway.createKey(account.id)

    const first = await issue(account.liveKey, 'sealed')
    const foreign = await issue(other.plaintext, 'sealed')

    expect([foreign.status, Object(foreign.body).error.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    const [row] = await gateway.database.query<{ stored: string }>(
      'SELECT k::text AS stored FROM account.idempotency_key k WHERE account_id = $1',
      [account.id],
    )
    expect(row?.stored).toBeDefined()
    expect(row?.stored).not.toContain(Object(first.body).plaintext)
    expect(row?.stored).not.toContain('sealed"')
  })
})
