import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { effectiveRps, SubscriptionTier, Tier } from '../../../subgraphs/account/prices/tiers.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { chosen } from '../../support/extent/extent.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  asTestGateway,
  startTestGateway,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  hasRedis,
  type RedisServer,
  startRedisServer,
} from '../../support/processes/redis-server.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'
import { twoHoursMs, wrongClock } from '../../support/time/wrong-clock.ts'

type Gateways = readonly [TestGateway, TestGateway]

describe.runIf(hasRedis)('two gateways with one Redis', () => {
  let redis: RedisServer
  let database: TestDatabase
  let gateways: Gateways
  beforeAll(async () => {
    redis = await startRedisServer()
    database = await createTestDatabase()
    const variables = { REDIS_URL: redis.url }
    gateways = [
      await startTestGateway(variables, { database }),
      await startTestGateway(variables, { database }),
    ]
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await database.drop()
    await redis.close()
  })

  test('admit the limit of an account and no more, on every tier', async () => {
    const tiers = [
      ...Object.values(Tier).map((tier) => ({ tier, subscription: null })),
      ...Object.values(SubscriptionTier).map((subscription) => ({
        tier: Tier.STARTER,
        subscription,
      })),
      // The subscription does not lower what the pack gives.
      { tier: Tier.SCALE, subscription: SubscriptionTier.pro_sub },
    ]

    // One after the other: a slow machine, too, must be able to use up a window.
    for (const { tier, subscription } of tiers) {
      const { liveKey } = await createAccountOnTier(gateways[0], tier, subscription)
      await expectExactWindows(gateways, liveKey, effectiveRps(tier, subscription))
    }
  })

  test('lose only the current window when Redis loses all data', async () => {
    const [here, there] = gateways
    const account = await here.createAccount({ credits: 1000 })
    const { id, plaintext } = await here.createKey(account.id)
    expect((await there.live.get('/v1/account', plaintext)).status).toBe(200)
    let isOver = false
    const flushing = flushUntil(() => isOver)

    const reveals = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        gateways[index % 2 === 0 ? 0 : 1].live.post(
          '/v1/contacts/reveal',
          { contact_id: 'con_1' },
          account.liveKey,
        ),
      ),
    )
    const revoked = await vi.waitUntil(async () => {
      const path = `/v1/account/keys/${id}`
      const response = await here.live.request(path, { method: 'DELETE', key: account.liveKey })
      return response.status === 429 ? null : response
    }, patience)
    await vi.waitFor(async () => {
      expect((await there.live.get('/v1/account', plaintext)).status).toBe(401)
    }, patience)
    isOver = true
    const flushes = await flushing

    expect(flushes).toBeGreaterThan(0)
    expect(revoked.status).toBe(200)
    const charged = reveals.filter(({ status }) => status === 200).length
    expect(charged).toBeGreaterThanOrEqual(100)
    expect(reveals.every(({ status }) => [200, 429].includes(status))).toBe(true)
    const [row] = await database.query<{ balance: string }>(
      `SELECT balance FROM account.balance WHERE account_id = $1 AND environment = 'live'`,
      [account.id],
    )
    expect(Number(row?.balance)).toBe(1000 - 5 * charged)
    await expectExactBooks(here)
  })

  /** Scripts are forgotten too, as in a restart. */
  async function flushUntil(isOver: () => boolean): Promise<number> {
    let flushes = 0
    for (; !isOver(); flushes += 1) {
      await redis.run('FLUSHALL')
      await redis.run('SCRIPT', 'FLUSH')
    }
    return flushes
  }

  const clocks = [
    ['ahead', twoHoursMs],
    ['behind', -twoHoursMs],
  ] as const
  describe.each(chosen('clock', clocks))(
    'one of which has a clock that is two hours %s',
    (_where, byMs) => {
      let place: Workplace
      beforeAll(async () => {
        await compileProgram()
        place = openWorkplace({ prefix: 'gateway-clock-' })
      })
      afterAll(() => place.close())

      test('still share one window', async () => {
        const program = await place.start({
          ...variablesFor(database),
          REDIS_URL: redis.url,
          NODE_OPTIONS: wrongClock(byMs),
          LOG_LEVEL: 'error',
        })
        const wrong = asTestGateway(program, database)
        const { liveKey } = await createAccountOnTier(gateways[0], Tier.PROFESSIONAL)
        const health = await wrong.live.get('/v1/health')
        const nowSeconds = Date.now() / 1000

        const resets = await expectExactWindows([gateways[0], wrong], liveKey, 25)

        const shownSeconds = Number(health.headers.get('x-ratelimit-reset'))
        expect(Math.abs(shownSeconds - nowSeconds - byMs / 1000)).toBeLessThan(600)
        for (const reset of resets) expect(Math.abs(reset - nowSeconds)).toBeLessThan(600)
      })
    },
  )
})

/** Calls under way at a time; each client alternates between both gateways. */
const clients = 4
/** How many windows have to be used up. */
const windowsMin = 2

/** The answers of one window. */
interface SeenWindow {
  /** The remaining requests that the admitted answers show. */
  readonly remaining: number[]
  refused: number
}

/**
 * Calls both gateways until enough windows are used up; returns when those end. For an account that
 * nobody else calls. Windows in which Redis took too long to answer are open and show nothing; such an
 * answer shows the gateway's own clock, which may be wrong, so the windows of the real time count as open.
 */
async function expectExactWindows(
  gateways: Gateways,
  key: string,
  limitRps: number,
): Promise<readonly number[]> {
  const windows = new Map<number, SeenWindow>()
  const open = new Set<number>()
  const usedUp = () =>
    [...windows].filter(([reset, { refused }]) => refused > 0 && !open.has(reset))
  async function callOn(client: number): Promise<void> {
    for (let turn = client; usedUp().length < windowsMin; turn += 1) {
      // A refused body costs the gateway little, and counts like any other call.
      const { status, headers } = await gateways[turn % 2 === 0 ? 0 : 1].live.post(
        '/v1/contacts/reveal',
        {},
        key,
      )
      const remaining = Number(headers.get('x-ratelimit-remaining'))
      const resetAtSeconds = Number(headers.get('x-ratelimit-reset'))
      if (remaining === limitRps) {
        const nowSeconds = Math.floor(Date.now() / 1000)
        for (const reset of [resetAtSeconds, nowSeconds, nowSeconds + 1, nowSeconds + 2])
          open.add(reset)
      }
      const window = windows.get(resetAtSeconds) ?? { remaining: [], refused: 0 }
      windows.set(resetAtSeconds, window)
      expect(headers.get('x-ratelimit-limit')).toBe(String(limitRps))
      expect([422, 429]).toContain(status)
      if (status === 422) window.remaining.push(remaining)
      else window.refused += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => callOn(client)))

  // Each is admitted once, and all that may be are.
  const all = Array.from({ length: limitRps }, (_, index) => limitRps - 1 - index)
  for (const [, { remaining }] of usedUp()) {
    expect(remaining.toSorted((a, b) => b - a)).toEqual(all)
  }
  return usedUp().map(([resetAtSeconds]) => resetAtSeconds)
}
