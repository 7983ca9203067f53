import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { personRoles, scopesOfRole } from '../../../schema/vocabulary/roles.ts'
import { coversScope } from '../../../schema/vocabulary/scopes.ts'
import { createAccountOnTier } from '../../support/gateway/account-on-tier.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { openPage, type Page, pageOf, plantPage, setSession } from '../../support/oauth/sessions.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

async function signIn(options: { scopes?: readonly string[]; ipAllowlist?: string[] } = {}) {
  const account = await gateway.createAccount()
  const { id: keyId, plaintext } = await gateway.createKey(account.id, options)
  return { account, keyId, plaintext, page: await openPage(gateway.live, plaintext) }
}

const isIn = async (page: Page) => (await page.get('/v1/account/sessions/current')).status === 200

describe('the session of a key', () => {
  test('can do what its key can, and no more', async () => {
    const { account, page } = await signIn({ scopes: ['account:read', 'keys:read'] })

    const read = await page.get('/v1/account')
    const keys = await page.get('/v1/account/keys')
    const change = await page.send('POST', '/v1/account/webhooks', { url: 'https://a.example' })
    const product = await page.send('POST', '/v1/contacts/search', { query: 'a' })

    expect([read.status, Object(read.body).id]).toEqual([200, account.id])
    expect(keys.status).toBe(200)
    for (const [response, scope] of [
      [change, 'webhooks:write'],
      [product, 'contacts:write'],
    ] as const) {
      const message = `This API key lacks the scope ${scope}.`
      expectError(gateway, response, { status: 403, code: 'FORBIDDEN', message })
    }
  })

  test('calls the routes that take keys only', async () => {
    const { page, keyId } = await signIn()

    const current = await page.get('/v1/account/keys/current')
    const issued = await page.send('POST', '/v1/account/keys', { name: 'From the page' })
    const apps = await page.get('/v1/oauth/apps')
    const sandbox = await page.get('/v1/account/sandbox')

    expect([current.status, Object(current.body).id]).toEqual([200, keyId])
    expect([issued.status, Object(issued.body).created_by]).toEqual([201, keyId])
    expect([apps.status, sandbox.status]).toEqual([200, 200])
  })

  test('shows a secret once more for the same idempotency key and session alone', async () => {
    const { account, page, plaintext } = await signIn()
    const headers = { 'idempotency-key': 'same' }
    const other = await openPage(gateway.live, account.liveKey)

    const first = await page.send('POST', '/v1/account/keys', { name: 'A' }, headers)
    const again = await page.send('POST', '/v1/account/keys', { name: 'A' }, headers)
    const byOther = await other.send('POST', '/v1/account/keys', { name: 'A' }, headers)
    const byKey = await gateway.live.post('/v1/account/keys', { name: 'A' }, plaintext, headers)

    expect([again.status, again.body]).toEqual([201, first.body])
    const proven = await openPage(gateway.live, plaintext, page)
    const later = await proven.send('POST', '/v1/account/keys', { name: 'A' }, headers)
    const message =
      'This idempotency key was used with another API key or cookie; only that one can see the answer again.'
    for (const refused of [byOther, byKey, later]) {
      expectError(gateway, refused, { status: 409, code: 'IDEMPOTENCY_CONFLICT', message })
    }
  })

  test.each<[string, string]>([
    ['is revoked', 'revoked_at = now()'],
    ['has expired', 'expires_at = now()'],
    ['is disabled', 'enabled = false'],
    ['may not be used from here', "ip_allowlist = '{203.0.113.9}'"],
  ])('is over for the next call when its key %s', async (_, change) => {
    const { page, keyId } = await signIn()
    expect(await isIn(page)).toBe(true)

    await gateway.database.query(`UPDATE keys.api_key SET ${change} WHERE id = $1`, [keyId])

    expectError(gateway, await page.get('/v1/account'), {
      ...{ status: 401, code: 'AUTHENTICATION_REQUIRED' },
      message: 'The session of this browser is over, or not accepted from here. Sign in again.',
    })
  })

  test.each(['SUSPENDED', 'CLOSED'])('is over when its account is %s', async (status) => {
    const { page, account } = await signIn()

    await gateway.graphql(
      `mutation ($id: ID!) { updateAccount(input: { id: $id, status: ${status} }) { id } }`,
      { id: account.id },
    )

    expect(await isIn(page)).toBe(false)
  })

  test('is over at its end', async () => {
    const { page } = await signIn()

    const before = await isIn(page)
    await setSession(gateway, page, "expires_at = now() + interval '100 ms'")

    expect(before).toBe(true)
    await vi.waitFor(async () => expect(await isIn(page)).toBe(false), patience)
  })

  test('ends so many hours after the sign-in as the operator has chosen', async () => {
    const short = await startTestGateway({ SESSION_HOURS: '1' }, { database: gateway.database })
    try {
      const { liveKey } = await gateway.createAccount()
      const page = await openPage(short.live, liveKey)
      const { body } = await page.get('/v1/account/sessions/current')

      const { created_at, expires_at } = Object(body)
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3600_000)
    } finally {
      await short.close()
    }
  })

  test('is of one listener: its cookie is nobody on the other', async () => {
    const { page } = await signIn()
    const { cookie } = page
    const headers = { 'sec-fetch-site': 'same-origin' }

    const there = await gateway.sandbox.get('/v1/account', undefined, { ...headers, cookie })
    const renamed = cookie.replace('gw_session', 'gw_sandbox_session')
    const asThere = await gateway.sandbox.get('/v1/account', undefined, {
      ...{ ...headers, cookie: renamed },
    })

    expect([there.status, asThere.status]).toEqual([401, 401])
  })

  test('is no caller of the routes of apps, nor a way to sign in', async () => {
    const { page } = await signIn()

    const userinfo = await page.get('/v1/oauth/userinfo')
    const signedIn = await page.send('POST', '/v1/oauth/session', {})

    expect([userinfo.status, signedIn.status]).toEqual([401, 401])
  })

  test('gets answers that nobody may store', async () => {
    const { page } = await signIn()

    for (const path of ['/v1/account', '/v1/account/sessions', '/v1/billing/invoices']) {
      const { headers } = await page.get(path)
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store'])
    }
  })

  test('names its key in the audit trail', async () => {
    const { page, keyId } = await signIn()

    const { headers } = await page.send('PATCH', `/v1/account/keys/${keyId}`, { name: 'B' })

    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        'SELECT action, actor_kind, actor_id FROM usage.audit_event WHERE request_id = $1',
        [headers.get('x-request-id')],
      )
      expect(lines).toEqual([{ action: 'key.update', actor_kind: 'key', actor_id: keyId }])
    }, patience)
  })
})

describe('the session of a key with a budget', () => {
  async function signInCapped() {
    const { id, liveKey } = await gateway.createAccount()
    const { status, body } = await gateway.live.post(
      '/v1/account/keys',
      { name: 'Capped', budgets: [{ period: 'day', limit_credits: 2 }] },
      liveKey,
    )
    expect(status).toBe(201)
    const { id: keyId, plaintext: key } = Object(body)
    return { id, liveKey, keyId, key, page: await openPage(gateway.live, key) }
  }

  test('spends from the budget, together with the key', async () => {
    const { page, key } = await signInCapped()
    const call = () => page.get('/v1/seo/keywords?topic=tea')

    const first = await call()
    const second = await call()
    const byKey = await gateway.live.get('/v1/seo/keywords?topic=tea', key)

    expect([first.status, first.headers.get('x-credits-charged')]).toEqual([200, '2'])
    for (const { status, body } of [second, byKey]) {
      expect([status, Object(body).error.code]).toEqual([402, 'BUDGET_EXCEEDED'])
    }
  })

  test('cannot lift the cap', async () => {
    const { page, keyId } = await signInCapped()
    const refused = [
      await page.send('POST', '/v1/account/keys', { name: 'Free' }),
      await page.send('PATCH', `/v1/account/keys/${keyId}`, { budgets: [] }),
      await page.send('PATCH', `/v1/account/keys/${keyId}`, { external_id: 'other' }),
      await page.send('POST', '/v1/account/sandbox/reset'),
    ]

    for (const response of refused) {
      expect([response.status, Object(response.body).error.code]).toEqual([403, 'FORBIDDEN'])
    }
    const { body } = await page.get('/v1/account/keys/current')
    expect(Object(body).budgets).toMatchObject([{ period: 'day', limit_credits: 2 }])
  })
})

describe('rate limits of sessions', () => {
  test('calls that cost nothing have a window of their own, as large as that of the account', async () => {
    const { page, plaintext } = await signIn()

    await vi.waitFor(async () => {
      const [bySession, byKey, product] = await Promise.all([
        page.get('/v1/account'),
        gateway.live.get('/v1/account', plaintext),
        page.get('/v1/seo/keywords?topic=tea'),
      ])

      const windows = [bySession, byKey, product].map(({ headers }) => ({
        limit: headers.get('x-ratelimit-limit'),
        remaining: Number(headers.get('x-ratelimit-remaining')),
        reset: headers.get('x-ratelimit-reset'),
      }))
      const [own, account, costly] = windows
      // All three in the same second.
      expect(new Set(windows.map(({ reset }) => reset)).size).toBe(1)
      expect(own?.limit).toBe(account?.limit)
      expect(own?.remaining).toBe(Number(own?.limit) - 1)
      // The order of these two requests is open.
      const both = [Number(account?.remaining), Number(costly?.remaining)].toSorted((a, b) => b - a)
      expect(both).toEqual([Number(account?.limit) - 1, Number(account?.limit) - 2])
    }, patience)
  })

  test('a page that asks too much is refused, and the programs of the account are not', async () => {
    const account = await createAccountOnTier(gateway, 'STARTER')
    const page = await openPage(gateway.live, account.liveKey)

    await vi.waitFor(async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => page.get('/v1/account/credits')),
      )
      const byKey = await gateway.live.get('/v1/account/credits', account.liveKey)
      expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
      expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true)
      expect(byKey.status).toBe(200)
    }, patience)
  })
})

describe('the session of a person', () => {
  const probes = {
    'account:read': ['GET', '/v1/account'],
    'billing:read': ['GET', '/v1/billing/invoices'],
    'usage:read': ['GET', '/v1/account/usage/log'],
    'audit:read': ['GET', '/v1/account/audit/events'],
    'keys:read': ['GET', '/v1/account/keys'],
    'oauth:read': ['GET', '/v1/oauth/apps'],
    'webhooks:read': ['GET', '/v1/account/webhooks'],
    'account:write': ['POST', '/v1/account/sandbox/reset'],
    'billing:write': ['PUT', '/v1/billing/details'],
    'keys:write': ['POST', '/v1/account/keys'],
    'oauth:write': ['POST', '/v1/oauth/apps'],
    'webhooks:write': ['POST', '/v1/account/webhooks'],
    'audit:write': ['POST', '/v1/account/audit/export'],
  } as const

  test.each(personRoles)('%s has the scopes of docs/contract.md §11', async (role) => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, { role })
    const held = scopesOfRole(role)

    for (const [scope, [method, path]] of Object.entries(probes)) {
      const response = method === 'GET' ? await page.get(path) : await page.send(method, path, {})
      const may = coversScope(held, scope)
      const message = `The role of this session lacks the scope ${scope}.`
      if (!may) expectError(gateway, response, { status: 403, code: 'FORBIDDEN', message })
      else expect([scope, response.status]).not.toEqual([scope, 403])
    }
  })

  test.each([
    ['OWNER', '*'],
    [
      'ADMIN',
      'account:read account:write audit:read audit:write billing:read campaigns:read campaigns:write cloud:read cloud:write contacts:read contacts:write keys:read keys:write markets:read markets:write members:read members:write oauth:read oauth:write promote:read promote:write reviews:read reviews:write seo:read seo:write usage:read webhooks:read webhooks:write who-is-searching:read who-is-searching:write',
    ],
    [
      'DEVELOPER',
      'account:read audit:read campaigns:read campaigns:write cloud:read cloud:write contacts:read contacts:write keys:read keys:write markets:read markets:write oauth:read oauth:write promote:read promote:write reviews:read reviews:write seo:read seo:write usage:read webhooks:read webhooks:write who-is-searching:read who-is-searching:write',
    ],
    ['BILLING', 'account:read billing:read billing:write usage:read'],
    ['VIEWER', 'account:read billing:read keys:read oauth:read usage:read webhooks:read'],
  ] as const)('%s has exactly %s', async (role, scopes) => {
    const page = await plantPage(gateway, await gateway.createAccount(), { role })

    const { body } = await page.get('/v1/account/sessions/current')

    expect(Object(body).scopes.toSorted().join(' ')).toBe(scopes)
  })

  test('of a developer calls no product in live, but issues a key that does', async () => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, { role: 'DEVELOPER', actor: 'dev@acme.example' })
    const played = await plantPage(gateway, account, { role: 'DEVELOPER', environment: 'sandbox' })
    const call = { query: 'a' }
    const message =
      'A developer calls products in live with an API key, and in the sandbox by session too.'

    const refused = await page.send('POST', '/v1/contacts/search', call)
    const quoted = await page.send('POST', '/v1/quotes', {
      calls: [{ method: 'POST', path: '/v1/contacts/search', body: call }],
    })
    const tried = await played.send('POST', '/v1/contacts/search', call)
    const issued = await page.send('POST', '/v1/account/keys', {
      ...{ name: 'Search', scopes: ['contacts:write'] },
    })
    const byKey = await gateway.live.post(
      '/v1/contacts/search',
      call,
      Object(issued.body).plaintext,
    )

    expectError(gateway, refused, { status: 403, code: 'FORBIDDEN', message })
    expect(Object(quoted.body).items[0].refusal).toMatchObject({ code: 'FORBIDDEN', message })
    expect([tried.status, issued.status, byKey.status]).toEqual([200, 201, 200])
    expect(Object(issued.body).created_by).toBe('session:dev@acme.example')
  })

  test.each([
    ['DEVELOPER', ['oauth:consent']],
    ['DEVELOPER', ['billing:read']],
    ['DEVELOPER', ['*']],
    ['ADMIN', ['*']],
    ['ADMIN', ['billing:write']],
    ['ADMIN', ['oauth:consent']],
  ] as const)('%s issues no key with %j', async (role, scopes) => {
    const page = await plantPage(gateway, await gateway.createAccount(), { role })

    const refused = await page.send('POST', '/v1/account/keys', { name: 'Wide', scopes })

    const message = `This session lacks the scope ${scopes.join(', ')}.`
    expectError(gateway, refused, { status: 403, code: 'FORBIDDEN', message })
  })

  test.each(['OWNER', 'ADMIN'] as const)(
    '%s issues keys that change no members: with its own scopes but members:write',
    async (role) => {
      const account = await gateway.createAccount()
      const page = await plantPage(gateway, account, { role })

      const issued = await page.send('POST', '/v1/account/keys', { name: 'All of it' })
      const reset = await page.send('POST', '/v1/account/sandbox/reset')
      const refused = await page.send('POST', '/v1/account/keys', {
        ...{ name: 'Members', scopes: ['members:write'] },
      })

      const own = scopesOfRole(role).filter((scope) => scope !== 'members:write')
      expect([issued.status, Object(issued.body).scopes]).toEqual([201, own])
      expect(reset.status).toBe(200)
      const found = await gateway.database.query(
        `SELECT count(*)::int AS count FROM keys.api_key
         WHERE account_id = $1 AND 'members:write' = ANY (scopes)`,
        [account.id],
      )
      expect(found).toEqual([{ count: 0 }])
      const details = [{ field: 'scopes.0', in: 'body', message: 'is not a scope' } as const]
      expectError(gateway, refused, { status: 422, code: 'INVALID_REQUEST', details })
    },
  )

  test('OWNER changes, rotates and revokes keys, and resets the sandbox', async () => {
    const account = await gateway.createAccount()
    const { id } = await gateway.createKey(account.id)
    const page = await plantPage(gateway, account, { role: 'OWNER' })

    const changed = await page.send('PATCH', `/v1/account/keys/${id}`, { name: 'Renamed' })
    const rotated = await page.send('POST', `/v1/account/keys/${id}/rotate`, {})
    const revoked = await page.send('DELETE', `/v1/account/keys/${Object(rotated.body).id}`)
    const reset = await page.send('POST', '/v1/account/sandbox/reset')
    const none = await page.get('/v1/account/keys/current')

    expect([changed.status, rotated.status, revoked.status, reset.status]).toEqual([
      200, 201, 200, 200,
    ])
    expect(none.status).toBe(404)
  })

  test('is the actor of the audit trail, with a refusal too', async () => {
    const account = await gateway.createAccount()
    const { id } = await gateway.createKey(account.id)
    const actor = 'Jane Doe <jane@acme.example>'
    const page = await plantPage(gateway, account, { role: 'OWNER', actor })
    const viewer = await plantPage(gateway, account, { role: 'VIEWER', actor })

    const changed = await page.send('PATCH', `/v1/account/keys/${id}`, { name: 'Renamed' })
    const refused = await viewer.send('POST', '/v1/account/keys', { name: 'New' })

    expect([changed.status, refused.status]).toEqual([200, 403])
    for (const [{ headers }, action, result] of [
      [changed, 'key.update', 'succeeded'],
      [refused, 'access.deny', 'FORBIDDEN'],
    ] as const) {
      await vi.waitFor(async () => {
        const { body } = await page.get('/v1/account/audit/events?limit=50')
        const line = Object(body).items.find(
          ({ request_id }: { request_id: string }) => request_id === headers.get('x-request-id'),
        )
        expect(line).toMatchObject({ action, result, actor_kind: 'session', actor_id: actor })
      }, patience)
    }
  })

  test('spends from the budgets of the account', async () => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, { role: 'OWNER' })
    const budgets = [{ period: 'day', limit_credits: 2 }]
    expect((await page.send('PUT', '/v1/account/budgets', { budgets })).status).toBe(200)

    const first = await page.get('/v1/seo/keywords?topic=tea')
    const second = await page.get('/v1/seo/keywords?topic=tea')

    expect([first.status, first.headers.get('x-credits-charged')]).toEqual([200, '2'])
    expect([second.status, Object(second.body).error.code]).toEqual([402, 'BUDGET_EXCEEDED'])
  })

  test('with a role of a later release is nobody', async () => {
    const page = await plantPage(gateway, await gateway.createAccount(), { role: 'OWNER' })

    await setSession(gateway, page, "role = 'AUDITOR'")

    expect(await isIn(page)).toBe(false)
  })
})

describe('sessions of many accounts at once', () => {
  test('each sees its own account, whatever the others ask for', async () => {
    const signed = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const account = await gateway.createAccount()
        const page =
          index % 2 === 0
            ? await openPage(gateway.live, account.liveKey)
            : await plantPage(gateway, account, { role: 'OWNER' })
        return { account, page }
      }),
    )
    const turns = Array.from({ length: 60 }, (_, turn) => signed[turn % signed.length])

    const seen = await Promise.all(
      turns.map(async (one) => {
        const [info, sessions] = await Promise.all([
          one?.page.get('/v1/account'),
          one?.page.get('/v1/account/sessions'),
        ])
        const ids = Object(sessions?.body).items.map(({ id }: { id: string }) => id)
        return [Object(info?.body).id, ids]
      }),
    )

    expect(seen).toEqual(turns.map((one) => [one?.account.id, [one?.page.sessionId]]))
  })
})

test('a browser signs out, whatever others at its address send', async () => {
  const slow = await startTestGateway({ ANONYMOUS_RPS: '1' }, { database: gateway.database })
  try {
    const page = await openPage(slow.live, (await gateway.createAccount()).liveKey)
    const anonymous = () => slow.live.request('/v1/oauth/session', { method: 'DELETE' })
    const statuses = async () =>
      (await Promise.all(Array.from({ length: 20 }, anonymous))).map(({ status }) => status)

    const [others, own, later] = await Promise.all([
      statuses(),
      page.send('DELETE', '/v1/oauth/session'),
      statuses(),
    ])

    expect([...others, ...later]).toContain(429)
    expect(own.status).toBe(200)
    expect(await isIn(pageOf(gateway.live, page.cookie, page.sessionId))).toBe(false)
  } finally {
    await slow.close()
  }
})
