import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const starterLimit = 10
// Ten times the limit: the calls may fall into several seconds, and some are refused all the same.
const burst = Array.from({ length: 10 * starterLimit }, (_, index) => index)

/** How many were admitted in each window, by the second in which it ends. */
function admittedByWindow(responses: readonly TestResponse[]): number[] {
  const admitted = responses.filter(({ status }) => status !== 429)
  const windows = Map.groupBy(admitted, ({ headers }) => headers.get('x-ratelimit-reset'))
  return [...windows.values()].map(({ length }) => length)
}

describe('the rate limit of an account', () => {
  test('admits at most the limit in each window and refuses the rest', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')

    const responses = await Promise.all(burst.map(() => gateway.live.get('/v1/account', liveKey)))

    const refused = responses.filter(({ status }) => status === 429)
    expect(Math.max(...admittedByWindow(responses))).toBe(starterLimit)
    expect(refused.length).toBeGreaterThan(0)
    for (const response of refused) {
      expectError(gateway, response, {
        status: 429,
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'The limit of 10 requests per second is exceeded.',
        page: 'rate-limits',
      })
      expect(response.headers.get('retry-after')).toBe('1')
      expect(response.headers.get('x-ratelimit-limit')).toBe('10')
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
    }
  })

  test('counts each admitted request down once', async () => {
    const { liveKey } = await createAccountOnTier(gateway, 'STARTER')

    const responses = await Promise.all(burst.map(() => gateway.live.get('/v1/account', liveKey)))

    const admitted = responses.filter(({ status }) => status === 200)
    for (const group of Map.groupBy(admitted, resetOf).values()) {
      const remaining = group.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
      const expected = group.map((_, index) => starterLimit - 1 - index)
      expect(remaining.toSorted((a, b) => b - a)).toEqual(expected)
    }
  })

  function resetOf({ headers }: TestResponse): string | null {
    return headers.get('x-ratelimit-reset')
  }

  test('resets at the next whole second', async () => {
    const { liveKey } = await gateway.createAccount()
    const before = Math.floor(Date.now() / 1000)

    const response = await gateway.live.get('/v1/account', liveKey)

    const after = Math.floor(Date.now() / 1000)
    const reset = Number(resetOf(response))
    expect(reset).toBeGreaterThanOrEqual(before + 1)
    expect(reset).toBeLessThanOrEqual(after + 1)
  })

  test('is shared by all keys of the account', async () => {
    const { id, liveKey } = await createAccountOnTier(gateway, 'STARTER')
    const second = await gateway.createKey(id)

    const responses = await Promise.all(
      burst.map((index) =>
        gateway.live.get('/v1/account', index % 2 === 0 ? liveKey : second.plaintext),
      ),
    )

    expect(Math.max(...admittedByWindow(responses))).toBe(starterLimit)
    expect(responses.some(({ status }) => status === 429)).toBe(true)
  })

  test('is not shared with another account', async () => {
    const busy = await createAccountOnTier(gateway, 'STARTER')
    const calm = await createAccountOnTier(gateway, 'STARTER')

    const [, response] = await Promise.all([
      Promise.all(burst.map(() => gateway.live.get('/v1/account', busy.liveKey))),
      gateway.live.get('/v1/account', calm.liveKey),
    ])

    expect(response.status).toBe(200)
    expect(response.headers.get('x-ratelimit-remaining')).toBe('9')
  })

  test('is counted separately live and in the sandbox', async () => {
    const { liveKey, sandboxKey } = await createAccountOnTier(gateway, 'STARTER')

    const [live, sandbox] = await Promise.all([
      Promise.all(burst.map(() => gateway.live.get('/v1/account', liveKey))),
      gateway.sandbox.get('/v1/account', sandboxKey),
    ])

    expect(live.some(({ status }) => status === 429)).toBe(true)
    expect(sandbox.status).toBe(200)
    expect(sandbox.headers.get('x-ratelimit-limit')).toBe('10')
    expect(sandbox.headers.get('x-ratelimit-remaining')).toBe('9')
  })

  test('applies in the sandbox too', async () => {
    const { sandboxKey } = await createAccountOnTier(gateway, 'STARTER')

    const responses = await Promise.all(
      burst.map(() => gateway.sandbox.get('/v1/account', sandboxKey)),
    )

    expect(Math.max(...admittedByWindow(responses))).toBe(starterLimit)
    expect(responses.some(({ status }) => status === 429)).toBe(true)
  })

  test('counts requests that are refused later too', async () => {
    const { id } = await createAccountOnTier(gateway, 'STARTER')
    const narrow = await gateway.createKey(id, { scopes: ['seo:read'] })

    const responses = await Promise.all(
      burst.map(() => gateway.live.get('/v1/account', narrow.plaintext)),
    )

    expect(Math.max(...admittedByWindow(responses))).toBe(starterLimit)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([403, 429]))
  })

  test('refuses a call for free, and logs it with 0 credits', async () => {
    const { id, liveKey } = await createAccountOnTier(gateway, 'STARTER')

    const responses = await Promise.all(
      burst.map(() => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)),
    )

    const admitted = responses.filter(({ status }) => status === 200).length
    const refused = responses.filter(({ status }) => status === 429).length
    expect(admitted + refused).toBe(burst.length)
    expect(refused).toBeGreaterThan(0)
    await expectExactBooks(gateway)
    await expect
      .poll(() => loggedByStatus(id), patience)
      .toEqual([
        { status: 200, requests: admitted, credits: 5 * admitted },
        { status: 429, requests: refused, credits: 0 },
      ])
  })

  async function loggedByStatus(accountId: string) {
    return gateway.database.query<{ status: number; requests: number; credits: number }>(
      `SELECT status, count(*)::int AS requests, sum(credits)::int AS credits
       FROM usage.usage_log WHERE account_id = $1 GROUP BY status ORDER BY status`,
      [accountId],
    )
  }
})
