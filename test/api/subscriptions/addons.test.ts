import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const addonsPath = '/v1/account/addons'
const cancelPath = '/v1/account/addons/mass-mail/cancel'
const keywordsPath = '/v1/account/addons/rank-tracking/keywords'

const addons = {
  mass_mail: {
    active: true,
    status: 'active',
    current_period_end: expect.stringMatching(/Z$/),
    cancel_at_period_end: false,
    monthly_quota: 10_000,
    used_this_period: 0,
  },
  rank_tracking: { active: true, status: 'active', keyword_limit: 100, keywords_used: 0 },
}
const bare = {
  mass_mail: {
    active: false,
    status: 'inactive',
    current_period_end: null,
    cancel_at_period_end: false,
    monthly_quota: 10_000,
    used_this_period: 0,
  },
  rank_tracking: { active: false, status: 'inactive', keyword_limit: 100, keywords_used: 0 },
}

/** An account with these add-ons. */
async function accountWith(names: readonly string[]): Promise<{ id: string; liveKey: string }> {
  const { createAccount } = Object(
    await gateway.graphql(
      `mutation ($input: CreateAccountInput!) {
        createAccount(input: $input) { account { id } liveKey }
      }`,
      { input: { name: 'Test', email: 'test@example.com', tier: 'SCALE', addons: names } },
    ),
  )
  return { id: createAccount.account.id, liveKey: createAccount.liveKey }
}

/** Makes the current periods end a moment ago. */
function endPeriods(accountId: string) {
  return gateway.database.query(
    `UPDATE account.addon SET anchor_at = now() - period, current_period_start = now() - period,
       current_period_end = now() WHERE account_id = $1`,
    [accountId],
  )
}

describe('GET /v1/account/addons', () => {
  test('shows the stored state of both', async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.get(addonsPath, liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual(addons)
  })

  test('shows add-ons that an account does not have', async () => {
    const { liveKey } = await accountWith([])

    expect((await gateway.live.get(addonsPath, liveKey)).body).toEqual(bare)
  })

  test('counts the recipients that Promote charged for, in this environment', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    const send = {
      recipients: ['a@example.com', 'b@example.com', 'c@example.com'],
      subject: 'Hello',
      body: 'Hello',
    }
    const sent = await gateway.live.post('/v1/promote/sends', send, liveKey)
    expect(sent.headers.get('x-credits-charged')).toBe('3')

    const live = await gateway.live.get(addonsPath, liveKey)
    const sandbox = await gateway.sandbox.get(addonsPath, sandboxKey)

    expect(live.body).toMatchObject({ mass_mail: { used_this_period: 3 } })
    expect(sandbox.body).toEqual(addons)
  })
})

describe('the use of Mass Mail', () => {
  const usedBy = async ({ liveKey }: { readonly liveKey: string }) => {
    const { status, body } = await gateway.live.get(addonsPath, liveKey)
    expect(status).toBe(200)
    return Object(body).mass_mail.used_this_period
  }

  test('may be above the quota, and is what was charged without what was refunded', async () => {
    const account = await gateway.createAccount({ credits: 20_000 })
    const recipients = Array.from({ length: 1000 }, (_, index) => `user-${index}@example.com`)
    const send = { recipients, subject: 'Hello', body: 'Hello' }
    const requestIds: string[] = []
    for (let count = 0; count < 11; count += 1) {
      const sent = await gateway.live.post('/v1/promote/sends', send, account.liveKey)
      expect(sent.headers.get('x-credits-charged')).toBe('1000')
      requestIds.push(sent.headers.get('x-request-id') ?? '')
    }
    const find = { contact_id: 'con_1' }
    const other = await gateway.live.post('/v1/contacts/reveal', find, account.liveKey)
    expect(other.status).toBe(200)
    const refund = (requestId: string) =>
      gateway.graphql(
        'mutation ($input: RefundChargeInput!) { refundCharge(input: $input) { credits } }',
        {
          input: {
            ...{ accountId: account.id, requestId, reason: 'A test.' },
            idempotencyKey: crypto.randomUUID(),
          },
        },
      )

    expect(await usedBy(account)).toBe(11_000)
    const [first = '', second = ''] = requestIds
    expect(await refund(other.headers.get('x-request-id') ?? '')).toMatchObject({
      refundCharge: { credits: 5 },
    })
    expect(await refund(first)).toMatchObject({ refundCharge: { credits: 1000 } })
    expect(await usedBy(account)).toBe(10_000)

    // A refund of a charge of the period before.
    await gateway.database.query(
      `UPDATE account.addon SET current_period_start = now() WHERE account_id = $1`,
      [account.id],
    )
    expect(await refund(second)).toMatchObject({ refundCharge: { credits: 1000 } })
    expect(await usedBy(account)).toBe(0)
  })
})

describe('POST /v1/account/addons/mass-mail/cancel', () => {
  test('schedules the end for the end of the period, in this environment only', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()

    const response = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      ...addons,
      mass_mail: { ...addons.mass_mail, status: 'scheduled_to_cancel', cancel_at_period_end: true },
    })
    expect((await gateway.sandbox.get(addonsPath, sandboxKey)).body).toEqual(addons)
  })

  test('is a conflict unless the add-on is active', async () => {
    const { liveKey } = await gateway.createAccount()
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    const without = await accountWith(['RANK_TRACKING'])

    const again = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    const never = await gateway.live.request(cancelPath, { method: 'POST', key: without.liveKey })

    expectError(gateway, again, {
      status: 409,
      code: 'CONFLICT',
      message: 'Mass Mail is scheduled to be cancelled already.',
    })
    expectError(gateway, never, {
      status: 409,
      code: 'CONFLICT',
      message: 'Mass Mail is not an add-on of this account.',
    })
  })

  test('ends the add-on with the period, and is a conflict afterwards', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })
    await endPeriods(id)

    const { body } = await gateway.live.get(addonsPath, liveKey)
    const again = await gateway.live.request(cancelPath, { method: 'POST', key: liveKey })

    expect(body).toMatchObject({ mass_mail: { active: false, status: 'canceled' } })
    expectError(gateway, again, {
      status: 409,
      code: 'CONFLICT',
      message: 'Mass Mail is cancelled.',
    })
  })

  test('schedules the end of the next period when its period has ended but no job has started the next', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await endPeriods(id)

    const { status, body } = await gateway.live.request(cancelPath, {
      method: 'POST',
      key: liveKey,
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({ mass_mail: { active: true, status: 'scheduled_to_cancel' } })
    const { current_period_end } = Object(body).mass_mail
    expect(Date.parse(current_period_end)).toBeGreaterThan(Date.now())
  })
})

describe('the end of a period', () => {
  test('renews an add-on although no subscription can be renewed', async () => {
    const { id: rich } = await gateway.createAccount({ credits: Number.MAX_SAFE_INTEGER })
    const { id } = await accountWith(['MASS_MAIL'])
    await gateway.database.query(
      `UPDATE account.subscription SET anchor_at = now() - period,
         current_period_start = now() - period, current_period_end = now() - interval '1 s'
       WHERE account_id = $1 AND environment = 'live'`,
      [rich],
    )

    await endPeriods(id)

    await vi.waitFor(
      async () => {
        const [row] = await gateway.database.query(
          `SELECT count(*)::int AS renewed FROM account.addon
           WHERE account_id = $1 AND current_period_end > now()`,
          [id],
        )
        expect(row).toEqual({ renewed: 2 })
      },
      { ...patience, interval: 200 },
    )
    await gateway.database.query(
      `UPDATE account.subscription SET status = 'canceled', canceled_at = now()
       WHERE account_id = $1`,
      [rich],
    )
  })
})

describe('POST /v1/account/addons/rank-tracking/keywords', () => {
  const keyword = { keyword: 'running shoes', domain: 'example.com' }
  const created = {
    id: expect.stringMatching(/^kw_[0-9a-z]{26}$/),
    keyword: 'running shoes',
    domain: 'example.com',
    country: 'US',
    device: 'desktop',
    created_at: expect.stringMatching(/Z$/),
  }

  test('tracks a keyword with defaults, in one canonical spelling', async () => {
    const { liveKey } = await gateway.createAccount()

    const plain = await gateway.live.post(keywordsPath, keyword, liveKey)
    const spelt = await gateway.live.post(
      keywordsPath,
      { keyword: ' Running  SHOES ', domain: 'Example.COM', country: 'de', device: 'mobile' },
      liveKey,
    )

    expect(plain.status).toBe(201)
    expect(plain.body).toEqual(created)
    expect(spelt.body).toEqual({ ...created, country: 'DE', device: 'mobile' })
    const { body } = await gateway.live.get(addonsPath, liveKey)
    expect(body).toMatchObject({ rank_tracking: { keywords_used: 2 } })
  })

  test('refuses the same keyword again, also in parallel and in another spelling', async () => {
    const { liveKey } = await gateway.createAccount()

    const answers = await Promise.all(
      ['running shoes', 'Running Shoes', ' running  shoes'].map((text) =>
        gateway.live.post(keywordsPath, { ...keyword, keyword: text }, liveKey),
      ),
    )

    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(2)
    for (const response of refused) {
      expectError(gateway, response, {
        status: 409,
        code: 'CONFLICT',
        message: 'This keyword is tracked already.',
      })
    }
  })

  test('enforces the limit under concurrency', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `INSERT INTO account.tracked_keyword
         (id, account_id, environment, keyword, domain, country, device)
       SELECT 'kw_' || lpad(n::text, 26, '0') || $1, $1, 'live', 'k' || n, 'example.com', 'US',
         'desktop'
       FROM generate_series(1, 95) n`,
      [id],
    )

    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        gateway.live.post(keywordsPath, { ...keyword, keyword: `new ${n}` }, liveKey),
      ),
    )

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const response of refused) {
      expectError(gateway, response, {
        status: 409,
        code: 'CONFLICT',
        message: 'At most 100 keywords can be tracked.',
      })
    }
  })

  test('is a conflict without the add-on', async () => {
    const { liveKey } = await accountWith(['MASS_MAIL'])

    expectError(gateway, await gateway.live.post(keywordsPath, keyword, liveKey), {
      status: 409,
      code: 'CONFLICT',
      message: 'This account does not have the Rank Tracking add-on.',
    })
  })

  test('names every offending field', async () => {
    const { liveKey } = await gateway.createAccount()
    const bad = { keyword: ' ', domain: 'http://x', country: 'USA', device: 'tv', extra: 1 }

    const response = await gateway.live.post(keywordsPath, bad, liveKey)

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [
        { field: 'keyword', in: 'body', message: 'must not be blank' },
        { field: 'domain', in: 'body', message: 'must be a domain name' },
        { field: 'country', in: 'body', message: 'must be an ISO 3166-1 alpha-2 code' },
        { field: 'device', in: 'body', message: 'must be desktop or mobile' },
        { field: 'extra', in: 'body', message: 'is not known here' },
      ],
    })
  })

  test.each([
    ['a country that is none', { ...keyword, country: 'XQ' }, 'country'],
    ['a code for no country', { ...keyword, country: 'ZZ' }, 'country'],
    ['another spelling of GB', { ...keyword, country: 'UK' }, 'country'],
    ['half a character', { ...keyword, keyword: 'shoe \ud83d' }, 'keyword'],
    ['a name without a dot', { ...keyword, domain: 'localhost' }, 'domain'],
    ['an address', { ...keyword, domain: '10.0.0.1' }, 'domain'],
  ])('refuses %s', async (_, body, field) => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post(keywordsPath, body, liveKey)

    expect(response.status).toBe(422)
    expect(Object(response.body).error.details).toMatchObject([{ field }])
  })
})

describe('GET /v1/account/addons/rank-tracking/keywords', () => {
  test('lists them in pages, newest first, separately for each environment', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    for (const name of ['a', 'b', 'c']) {
      await gateway.live.post(keywordsPath, { keyword: name, domain: 'example.com' }, liveKey)
    }
    const page = async (query: string) =>
      Object((await gateway.live.get(`${keywordsPath}${query}`, liveKey)).body)

    const first = await page('?limit=2')
    const second = await page(`?limit=2&cursor=${first.next_cursor}`)

    const names = ({ items }: { items: { keyword: string }[] }) => items.map((one) => one.keyword)
    expect([names(first), names(second), second.next_cursor]).toEqual([['c', 'b'], ['a'], null])
    const sandbox = await gateway.sandbox.get(keywordsPath, sandboxKey)
    expect(sandbox.body).toEqual({ items: [], next_cursor: null })
  })
})

describe('DELETE /v1/account/addons/rank-tracking/keywords/{keyword_id}', () => {
  test('stops tracking and answers with the removed keyword', async () => {
    const { liveKey } = await gateway.createAccount()
    const keyword = { keyword: 'a', domain: 'example.com' }
    const { body } = await gateway.live.post(keywordsPath, keyword, liveKey)
    const path = `${keywordsPath}/${Object(body).id}`

    const response = await gateway.live.request(path, { method: 'DELETE', key: liveKey })

    expect(response.status).toBe(200)
    expect(response.body).toEqual(body)
    const left = await gateway.live.get(keywordsPath, liveKey)
    expect(left.body).toEqual({ items: [], next_cursor: null })
    const again = await gateway.live.request(path, { method: 'DELETE', key: liveKey })
    expectError(gateway, again, { status: 404, code: 'NOT_FOUND' })
  })

  test("gives the same answer for another account's keyword as for a random id, and keeps it", async () => {
    const owner = await gateway.createAccount()
    const stranger = await gateway.createAccount()
    const keyword = { keyword: 'a', domain: 'example.com' }
    const { body } = await gateway.live.post(keywordsPath, keyword, owner.liveKey)

    for (const id of [Object(body).id, newId('kw'), 'kw_x']) {
      const response = await gateway.live.request(`${keywordsPath}/${id}`, {
        method: 'DELETE',
        key: stranger.liveKey,
      })
      expectError(gateway, response, {
        status: 404,
        code: 'NOT_FOUND',
        message: 'No keyword has this id.',
      })
    }
    const { body: left } = await gateway.live.get(keywordsPath, owner.liveKey)
    expect(left).toMatchObject({ items: [body] })
  })
})
