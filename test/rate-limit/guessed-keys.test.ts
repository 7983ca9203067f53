import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newApiKey } from '../../schema/api-key-format.ts'
import type { TestResponse } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { expectError } from '../support/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { patience } from '../support/patience.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

let lastAddress = 0
/** A client of its own, as a proxy would report it. */
function newAddress(): string {
  lastAddress += 1
  return `198.51.100.${lastAddress}`
}

interface Setup {
  readonly title: string
  readonly variables: Readonly<Record<string, string>>
}

const setups: readonly Setup[] = [
  { title: 'an address that tries keys', variables: {} },
  {
    title: 'an address that tries keys while Redis is away',
    // Nothing listens there.
    variables: { REDIS_URL: 'redis://127.0.0.1:1' },
  },
]

describe.each(setups)('$title', ({ variables }) => {
  let gateway: TestGateway
  beforeAll(async () => {
    // Every accepted key is asked for again with every request: memory does not help the good ones.
    const settings = { ANONYMOUS_RPS: '5', TRUST_PROXY: '1', KEY_CACHE_SECONDS: '0' }
    gateway = await startTestGateway({ ...settings, ...variables }, { database })
  })
  afterAll(() => gateway.close())

  const ask = (address: string, key?: string) =>
    gateway.live.get('/v1/account', key, { 'x-forwarded-for': address })
  const guess = (address: string) => ask(address, newApiKey('svc', 'live').plaintext)
  const guesses = (address: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => guess(address)))

  /** Guesses on until the address is slowed. */
  const untilSlowed = (address: string) =>
    vi.waitUntil(async () => {
      const responses = await guesses(address, 30)
      return responses.some(({ status }) => status === 429) ? responses : null
    }, patience)

  function expectSlowed(response: TestResponse): void {
    expectError(gateway, response, {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'The limit of 5 requests per second is exceeded.',
      page: 'rate-limits',
    })
    expect(response.headers.get('retry-after')).toBe('1')
    expect(response.headers.get('x-ratelimit-limit')).toBe('5')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
  }

  test('gets 429 for what it sends while another of its keys is looked up', async () => {
    const responses = await untilSlowed(newAddress())

    for (const response of responses) {
      if (response.status === 429) expectSlowed(response)
      else expectError(gateway, response, { status: 401, code: 'INVALID_API_KEY' })
    }
  })

  test('is answered 401 again and again when it waits for each answer', async () => {
    const address = newAddress()
    await untilSlowed(address)

    for (let count = 0; count < 50; count += 1) expect((await guess(address)).status).toBe(401)
  })

  test('does not get a good key behind the same address refused', async () => {
    const address = newAddress()
    const { liveKey } = await gateway.createAccount()
    expect((await ask(address, liveKey)).status).toBe(200)
    await untilSlowed(address)

    const [, good] = await Promise.all([
      guesses(address, 200),
      Promise.all(Array.from({ length: 20 }, () => ask(address, liveKey))),
    ])

    expect(new Set(good.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('does not lock out a key that was never seen before', async () => {
    const address = newAddress()
    const { liveKey } = await gateway.createAccount()
    let isGuessing = true
    async function guessOn(): Promise<void> {
      while (isGuessing) await guesses(address, 10)
    }
    await untilSlowed(address)

    const guessing = guessOn()
    try {
      // It is refused at most as often as it meets a guess.
      await vi.waitUntil(async () => (await ask(address, liveKey)).status === 200, patience)
    } finally {
      isGuessing = false
    }

    await guessing
    const again = await Promise.all(Array.from({ length: 20 }, () => ask(address, liveKey)))
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('slows no other address', async () => {
    await untilSlowed(newAddress())

    const [, elsewhere] = await Promise.all([untilSlowed(newAddress()), guesses(newAddress(), 5)])

    expect(new Set(elsewhere.map(({ status }) => status))).toEqual(new Set([401]))
  })

  test('is still told that it sent no key, or what cannot be one', async () => {
    const address = newAddress()
    const { liveKey } = await gateway.createAccount()
    await untilSlowed(address)

    const [, bare, typos] = await Promise.all([
      guesses(address, 100),
      Promise.all(Array.from({ length: 50 }, () => ask(address))),
      Promise.all(Array.from({ length: 50 }, () => ask(address, `${liveKey.slice(0, -1)}-`))),
    ])

    for (const [responses, code] of [
      [bare, 'AUTHENTICATION_REQUIRED'],
      [typos, 'INVALID_API_KEY'],
    ] as const) {
      for (const response of responses) expectError(gateway, response, { status: 401, code })
    }
  })

  test('is slowed with a key that was revoked, too', async () => {
    const address = newAddress()
    const { id } = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(id)
    expect((await ask(address, plaintext)).status).toBe(200)
    await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: keyId })

    const slowed = await vi.waitUntil(async () => {
      const asked = Array.from({ length: 30 }, () => ask(address, plaintext))
      return (await Promise.all(asked)).find(({ status }) => status === 429)
    }, patience)

    expectSlowed(slowed)
  })
})

describe('an address', () => {
  test('that sends no key, or what cannot be one, is answered 401 however often', async () => {
    const gateway = await startTestGateway({ ANONYMOUS_RPS: '5' }, { database })
    try {
      const { liveKey } = await gateway.createAccount()
      const keys = [undefined, 'nobody', `${liveKey.slice(0, -1)}-`]

      const responses = await Promise.all(
        Array.from({ length: 300 }, (_, index) => gateway.live.get('/v1/account', keys[index % 3])),
      )

      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]))
    } finally {
      await gateway.close()
    }
  })
})
