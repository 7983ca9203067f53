import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { GetForecastResponses } from '../../../sdk/src/index.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

type Forecast = GetForecastResponses[200]

const path = '/v1/account/forecast'
const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

/** An account that is 40 days old and has spent the same on each day before today. */
async function spendingAccount(perDay: number, credits: number): Promise<TestAccount> {
  const account = await gateway.createAccount({ credits })
  await gateway.database.query(
    `UPDATE account.account SET created_at = now() - interval '40 days' WHERE id = $1`,
    [account.id],
  )
  await gateway.database.query(
    `INSERT INTO usage.usage_service
       (account_id, environment, unit, start, service, requests, successes, credits, steps)
     SELECT $1, 'live', 'day', date_trunc('day', now(), 'UTC') - n * interval '1 day', 'contacts',
       1, 1, $2, '{1}' FROM generate_series(1, 35) AS n`,
    [account.id, perDay],
  )
  return account
}

async function forecastOf(key: string): Promise<Forecast> {
  const { status, body } = await gateway.live.get(path, key)
  expect(status).toBe(200)
  return body as Forecast
}

/** Recharging by 1,000 credits below 50. */
async function turnRechargingOn(key: string): Promise<void> {
  const { status, body } = await gateway.live.request('/v1/account/auto-recharge', {
    ...{ method: 'PATCH', key },
    body: { enabled: true, threshold_credits: 50, package_id: 'pack_starter' },
  })
  expect([status, body]).toMatchObject([200, { enabled: true }])
}

function daysUntil(forecast: Forecast, at: string | null | undefined): number {
  return (Date.parse(at ?? '') - Date.parse(forecast.as_of)) / 86_400_000
}

describe('GET /v1/account/forecast', () => {
  test('says when the credits of a steady account run out, and from what', async () => {
    const { liveKey } = await spendingAccount(100, 1000)

    const forecast = await forecastOf(liveKey)

    expect(forecast).toEqual({
      as_of: instant,
      available: 1000,
      runs_out_at: { early: instant, likely: instant, late: instant },
      burn_down: expect.any(Array),
      drivers: {
        days: 30,
        credits_per_day: 100,
        weekday_strength: 0,
        week_ahead: [100, 100, 100, 100, 100, 100, 100],
        expiring: [],
        renewal: { at: instant, credits: 120_000 },
        auto_recharge: null,
      },
    })
    for (const at of Object.values(forecast.runs_out_at ?? {})) {
      expect(daysUntil(forecast, at)).toBeCloseTo(10, 3)
    }
    expect(forecast.burn_down[0]).toEqual({
      at: forecast.as_of,
      low: 1000,
      likely: 1000,
      high: 1000,
    })
    expect(forecast.burn_down.at(-1)).toEqual({ at: instant, low: 0, likely: 0, high: 0 })
  })

  test('is null for an account that is not a day old', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 5 })

    const forecast = await forecastOf(liveKey)

    expect(forecast).toEqual({
      as_of: instant,
      available: 5,
      runs_out_at: null,
      burn_down: [],
      drivers: {
        days: 0,
        credits_per_day: 0,
        weekday_strength: 0,
        week_ahead: [],
        expiring: [],
        renewal: { at: instant, credits: 120_000 },
        auto_recharge: null,
      },
    })
  })

  test('is null beyond a year', async () => {
    const { liveKey } = await spendingAccount(1, 100_000)

    const { runs_out_at, burn_down } = await forecastOf(liveKey)

    expect(runs_out_at).toBeNull()
    expect(burn_down.length).toBeGreaterThan(20)
    expect(burn_down.length).toBeLessThanOrEqual(32)
  })

  test('lets credits expire that are not used before, and knows the next allowance', async () => {
    const { id, liveKey } = await spendingAccount(10, 1000)
    await gateway.database.query(
      `UPDATE account.lot SET expires_at = now() + interval '20 days', priority = 50
       WHERE account_id = $1 AND environment = 'live'`,
      [id],
    )

    const forecast = await forecastOf(liveKey)

    expect(daysUntil(forecast, forecast.runs_out_at?.likely)).toBeCloseTo(20, 3)
    expect(forecast.drivers.expiring).toEqual([{ at: instant, credits: 1000 }])
    expect(daysUntil(forecast, forecast.drivers.renewal?.at)).toBeGreaterThan(27)
  })

  test('is kept, and made anew after a grant', async () => {
    const { id, liveKey } = await spendingAccount(100, 1000)

    // The preparations of this test are changes of the account too, and their notices come a moment later.
    const isKept = await vi.waitUntil(async () => {
      const [first, second] = [await forecastOf(liveKey), await forecastOf(liveKey)]
      return first.as_of === second.as_of
    }, patience)
    await gateway.graphql(
      `mutation ($id: ID!) { grantCredits(input: { accountId: $id, credits: 500,
        reason: "More", idempotencyKey: "more" }) { id } }`,
      { id },
    )
    const third = await vi.waitUntil(async () => {
      const found = await forecastOf(liveKey)
      return found.available === 1500 && found
    }, patience)

    expect(isKept).toBe(true)
    expect(daysUntil(third, third.runs_out_at?.likely)).toBeCloseTo(15, 3)
  })

  test('knows recharging, shows it to who may read billing, and is made anew when it changes', async () => {
    const { id, liveKey } = await spendingAccount(100, 1000)
    const { plaintext: narrow } = await gateway.createKey(id, { scopes: ['account:read'] })
    const before = await forecastOf(liveKey)

    await turnRechargingOn(liveKey)
    const after = await forecastOf(liveKey)
    const ofNarrow = await forecastOf(narrow)

    expect(before.runs_out_at).not.toBeNull()
    expect(after.runs_out_at).toBeNull()
    expect(after.drivers.auto_recharge).toEqual({
      threshold_credits: 50,
      credits: expect.any(Number),
      left_this_month: null,
    })
    expect(ofNarrow.runs_out_at).toBeNull()
    expect(ofNarrow.drivers.auto_recharge).toBeNull()
  })

  test('expects no recharge while the balance is negative, as none is made', async () => {
    const { id, liveKey } = await spendingAccount(100, 1000)
    await turnRechargingOn(liveKey)
    const input = { accountId: id, credits: -1010, reason: 'Taken back', idempotencyKey: 'back' }
    await gateway.graphql(
      'mutation ($input: AdjustCreditsInput!) { adjustCredits(input: $input) { id } }',
      { input: { ...input, allowNegative: true } },
    )

    const forecast = await vi.waitUntil(async () => {
      const found = await forecastOf(liveKey)
      return found.available === -10 && found
    }, patience)

    const { as_of: now } = forecast
    expect(forecast.runs_out_at).toEqual({ early: now, likely: now, late: now })
    expect(forecast.drivers.auto_recharge).toBeNull()
  })

  test('expects no recharge while a payment for one waits for its payer', async () => {
    const { id, liveKey } = await spendingAccount(100, 1000)
    await turnRechargingOn(liveKey)
    await gateway.database.query(
      `UPDATE account.auto_recharge SET state = 'action_required' WHERE account_id = $1`,
      [id],
    )

    const forecast = await forecastOf(liveKey)

    expect(daysUntil(forecast, forecast.runs_out_at?.likely)).toBeCloseTo(10, 3)
    expect(forecast.drivers.auto_recharge).toBeNull()
  })

  test('counts as five requests', async () => {
    const { liveKey } = await gateway.createAccount()

    const { headers } = await gateway.live.get(path, liveKey)

    const limit = Number(headers.get('x-ratelimit-limit'))
    expect(limit - Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThanOrEqual(5)
  })

  test('needs account:read, and is never of another account', async () => {
    const { id } = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(id, { scopes: ['usage:read'] })
    const one = await spendingAccount(100, 1000)
    const other = await gateway.createAccount({ credits: 7 })

    const refused = await gateway.live.get(path, plaintext)
    await forecastOf(one.liveKey)
    const ofOther = await forecastOf(other.liveKey)

    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ error: { code: 'FORBIDDEN' } })
    expect(ofOther).toMatchObject({ available: 7, runs_out_at: null })
  })

  test('of the sandbox is of its own credits', async () => {
    const { liveKey, sandboxKey } = await spendingAccount(100, 1000)

    await forecastOf(liveKey)
    const { body } = await gateway.sandbox.get(path, sandboxKey)

    expect(body).toMatchObject({
      available: 100_000,
      runs_out_at: null,
      drivers: { days: 30, credits_per_day: 0 },
    })
  })
})
