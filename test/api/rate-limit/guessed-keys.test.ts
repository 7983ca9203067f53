import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

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
  { title: 'an address that nobody knows', variables: {} },
  {
    title: 'an address that nobody knows, while Redis is away',
    // No Redis listens on this port.
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
  const times = <Result>(count: number, work: () => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, work))

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

  const strangers: readonly [what: string, key: () => string | undefined, code: string][] = [
    ['no key', () => undefined, 'AUTHENTICATION_REQUIRED'],
    ['what cannot be a key', () => 'nobody', 'INVALID_API_KEY'],
    ['a key that nobody has', () => newApiKey('svc', 'live').plaintext, 'INVALID_API_KEY'],
    ['a token that nobody has', () => newOAuthSecret('svc', 'oat'), 'INVALID_API_KEY'],
  ]

  test.each(strangers)(
    'that sends %s gets 401 up to ANONYMOUS_RPS, then 429',
    async (_, key, code) => {
      const address = newAddress()

      const responses = await times(100, () => ask(address, key()))

      const bySecond = Map.groupBy(responses, ({ headers }) => headers.get('x-ratelimit-reset'))
      for (const ofOne of bySecond.values()) {
        const [refused = [], slowed = []] = [401, 429].map((status) =>
          ofOne.filter((response) => response.status === status),
        )
        expect(refused.length + slowed.length).toBe(ofOne.length)
        expect(refused.length).toBeLessThanOrEqual(5)
        for (const response of refused) expectError(gateway, response, { status: 401, code })
        for (const response of slowed) expectSlowed(response)
      }
      expect(responses.some(({ status }) => status === 429)).toBe(true)
    },
  )

  test('shares its limit with the public endpoints', async () => {
    const address = newAddress()
    const forwarded = { 'x-forwarded-for': address }

    const responses = await times(20, async () => [
      await ask(address),
      await gateway.live.get('/v1/openapi.json', undefined, forwarded),
    ])

    const answered = responses.flat().filter(({ status }) => status === 401 || status === 200)
    const bySecond = Map.groupBy(answered, ({ headers }) => headers.get('x-ratelimit-reset'))
    for (const ofOne of bySecond.values()) expect(ofOne.length).toBeLessThanOrEqual(5)
  })

  test('never causes a valid key behind it to be refused, whether cached or new', async () => {
    const address = newAddress()
    const { id, liveKey } = await gateway.createAccount()
    expect((await ask(address, liveKey)).status).toBe(200)
    // An account may have this many requests running and waiting at the same time.
    const fresh = await times(10, () => gateway.createKey(id))

    const [, good, first] = await Promise.all([
      times(300, () => guess(address)),
      times(10, () => ask(address, liveKey)),
      Promise.all(fresh.map(({ plaintext }) => ask(address, plaintext))),
    ])

    const statuses = [...good, ...first].map(({ status }) => status)
    expect(statuses).toEqual(statuses.map(() => 200))
  })

  test('does not slow down another address', async () => {
    const [, elsewhere] = await Promise.all([
      times(100, () => guess(newAddress())),
      times(5, () => guess(newAddress())),
    ])

    expect(new Set(elsewhere.map(({ status }) => status))).toEqual(new Set([401]))
  })

  test('is also slowed down with a revoked key', async () => {
    const address = newAddress()
    const { id } = await gateway.createAccount()
    const { id: keyId, plaintext } = await gateway.createKey(id)
    expect((await ask(address, plaintext)).status).toBe(200)
    await gateway.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: keyId })

    const slowed = await vi.waitUntil(async () => {
      const responses = await times(30, () => ask(address, plaintext))
      return responses.find(({ status }) => status === 429)
    }, patience)

    expectSlowed(slowed)
  })
})
