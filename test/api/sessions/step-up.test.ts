import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { membersScope } from '../../../schema/vocabulary/scopes.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectStandardHeaders } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { authorize, registerApp, requestOf } from '../../support/oauth/asking.ts'
import {
  cookieOf,
  openPage,
  type Page,
  plantPage,
  setSession,
} from '../../support/oauth/sessions.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** A proof of so long ago does not count any more: STEP_UP_MINUTES is 30. */
const tooOld = "auth_time = now() - interval '1 hour', proven_at = now() - interval '30.1 minutes'"
const justInTime =
  "auth_time = now() - interval '1 hour', proven_at = now() - interval '29 minutes'"

function expectStepUp(
  response: TestResponse,
  details: object = { methods: ['api_key'], return_url: null },
): void {
  const { request_log_url: _, ...error } = Object(response.body).error
  expect({ error }).toEqual({
    error: {
      code: 'STEP_UP_REQUIRED',
      message: 'Prove again who is at the browser: the last proof is too old for this.',
      status: 403,
      documentation_url: `${gateway.baseUrl}/docs/errors/STEP_UP_REQUIRED`,
      request_id: response.headers.get('x-request-id'),
      details,
    },
  })
  expect(response.status).toBe(403)
  expectStandardHeaders(response)
}

interface Signed {
  readonly accountId: string
  readonly liveKey: string
  readonly keyId: string
  readonly plaintext: string
  readonly page: Page
}

async function signIn(change = tooOld): Promise<Signed> {
  const { id: accountId, liveKey } = await gateway.createAccount()
  const { id: keyId, plaintext } = await gateway.createKey(accountId)
  const page = await openPage(gateway.live, plaintext)
  await setSession(gateway, page, change)
  return { accountId, liveKey, keyId, plaintext, page }
}

interface Act {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET'
  /** `{key_id}` and the like stand for an object of the account. */
  readonly path: string
  readonly body?: object
}

const app = { client_name: 'Acme', redirect_uris: ['https://app.example/callback'] }

const needing: readonly Act[] = [
  { method: 'POST', path: '/account/keys', body: { name: 'New' } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { scopes: ['account:read'] } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { ip_allowlist: [] } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { expires_at: null } },
  {
    method: 'PATCH',
    path: '/account/keys/{key_id}',
    body: { budgets: [{ period: 'day', limit_credits: 5 }] },
  },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { name: 'Other', budgets: [] } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { external_id: null } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { external_id: 'another' } },
  { method: 'POST', path: '/account/keys/{key_id}/rotate' },
  { method: 'POST', path: '/account/keys/{key_id}/budgets/{period}/reset' },
  { method: 'PUT', path: '/account/budgets', body: { budgets: [] } },
  {
    method: 'PUT',
    path: '/account/external-ids/{external_id}/budgets',
    body: { budgets: [] },
  },
  { method: 'POST', path: '/account/webhooks', body: { url: 'https://example.com/hook' } },
  {
    method: 'PATCH',
    path: '/account/webhooks/{endpoint_id}',
    body: { url: 'https://example.com/other' },
  },
  { method: 'PATCH', path: '/account/webhooks/{endpoint_id}', body: { events: [] } },
  { method: 'PATCH', path: '/account/webhooks/{endpoint_id}', body: { status: 'enabled' } },
  { method: 'POST', path: '/account/webhooks/{endpoint_id}/rotate' },
  { method: 'POST', path: '/oauth/apps', body: app },
  { method: 'PATCH', path: '/oauth/apps/{client_id}', body: { client_name: 'Renamed' } },
  { method: 'POST', path: '/oauth/apps/{client_id}/rotate' },
  { method: 'PATCH', path: '/oauth/consents/{client_id}', body: { budgets: [] } },
  { method: 'POST', path: '/account/sandbox/reset' },
  { method: 'POST', path: '/billing/checkout', body: { package_id: 'pack_starter' } },
  { method: 'POST', path: '/account/subscription', body: { tier: 'pro_sub' } },
  {
    method: 'PATCH',
    path: '/account/auto-recharge',
    body: { enabled: true, threshold_credits: 10, package_id: 'pack_starter' },
  },
  { method: 'PATCH', path: '/account/auto-recharge', body: { monthly_cap_cents: null } },
  { method: 'PATCH', path: '/account/auto-recharge', body: { monthly_cap_cents: 20_001 } },
  { method: 'POST', path: '/account/subscription/resume' },
  { method: 'DELETE', path: '/billing/payment-methods/{payment_method_id}' },
  { method: 'POST', path: '/billing/payment-methods/{payment_method_id}/default' },
  { method: 'PUT', path: '/billing/details', body: { name: 'Acme' } },
  { method: 'PUT', path: '/account/notifications', body: { emails: [], kinds: [] } },
  { method: 'PUT', path: '/account/agents', body: { allow_unverified_apps: false } },
]

const free: readonly Act[] = [
  { method: 'POST', path: '/account/subscription/preview', body: { tier: 'pro_sub' } },
  { method: 'GET', path: '/account/keys' },
  { method: 'GET', path: '/account/keys/{key_id}' },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { name: 'Renamed' } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: { enabled: true, metadata: {} } },
  { method: 'PATCH', path: '/account/keys/{key_id}', body: {} },
  { method: 'PATCH', path: '/account/webhooks/{endpoint_id}', body: { description: 'Ours' } },
  { method: 'PATCH', path: '/account/webhooks/{endpoint_id}', body: { status: 'disabled' } },
  { method: 'POST', path: '/account/webhooks/{endpoint_id}/test' },
  { method: 'POST', path: '/account/webhooks/{endpoint_id}/resend' },
  { method: 'POST', path: '/account/webhooks/deliveries/{delivery_id}/resend' },
  { method: 'DELETE', path: '/account/webhooks/{endpoint_id}' },
  { method: 'GET', path: '/oauth/consents' },
  { method: 'DELETE', path: '/oauth/consents/{client_id}' },
  { method: 'DELETE', path: '/oauth/apps/{client_id}' },
  { method: 'POST', path: '/account/audit/export', body: { format: 'csv' } },
  { method: 'POST', path: '/account/audit/export/{job_id}/re-export' },
  { method: 'POST', path: '/account/subscription/cancel' },
  { method: 'POST', path: '/account/addons/mass-mail/cancel' },
  { method: 'POST', path: '/account/addons/rank-tracking/keywords' },
  { method: 'DELETE', path: '/account/addons/rank-tracking/keywords/{keyword_id}' },
  { method: 'DELETE', path: '/account/sessions/{session_id}' },
  { method: 'DELETE', path: '/account/sessions' },
  { method: 'PATCH', path: '/account/members/me', body: { name: 'Jane' } },
  { method: 'POST', path: '/account/sessions/current/passkey/options' },
  { method: 'PATCH', path: '/account/auto-recharge', body: { enabled: false } },
  { method: 'PATCH', path: '/account/auto-recharge', body: { monthly_cap_cents: 19_999 } },
  { method: 'GET', path: '/billing/details' },
  { method: 'POST', path: '/account/keys/{key_id}/undo-disable' },
  { method: 'DELETE', path: '/account/keys/{key_id}' },
]

/** An object that is not there makes a 404, which comes after the proof. */
async function act({ page, keyId, accountId }: Signed, { method, path, body }: Act) {
  if (path === '/account/auto-recharge') await setUpRecharge(accountId)
  const ids: Record<string, string> = {
    key_id: keyId,
    endpoint_id: newId('whe'),
    client_id: newId('app'),
    payment_method_id: newId('pm'),
    delivery_id: newId('whd'),
    job_id: newId('exp'),
    keyword_id: newId('kw'),
    session_id: newId('ses'),
    external_id: 'acme',
    period: 'day',
  }
  const named = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => ids[name] ?? '')
  return method === 'GET' ? page.get(`/v1${named}`) : page.send(method, `/v1${named}`, body)
}

/** Sets recharging up, and leaves it off. */
async function setUpRecharge(accountId: string): Promise<void> {
  await gateway.database.query(
    `INSERT INTO account.auto_recharge (account_id, environment, threshold_credits, package_id,
       monthly_cap_cents)
     VALUES ($1, 'live', 5, 'pack_starter', 20000) ON CONFLICT DO NOTHING`,
    [accountId],
  )
}

const named = ({ method, path, body }: Act) =>
  [`${method} ${path} ${body ? JSON.stringify(body) : ''}`, { method, path, body }] as const

describe('a session whose proof is older than STEP_UP_MINUTES', () => {
  /** The names of routes of accounts that change something; test/api/members has those that no key may use. */
  const changing = (isAsked: boolean) =>
    routes.flatMap((route) =>
      route.kind === 'account' &&
      route.method !== 'get' &&
      route.scope !== membersScope &&
      !route.path.startsWith('/account/members/me') &&
      Boolean(route.stepUp) === isAsked
        ? [`${route.method.toUpperCase()} ${route.path.replaceAll(/:([a-z_]+)/g, '{$1}')}`]
        : [],
    )
  const namesOf = (acts: readonly Act[]) => acts.map(({ method, path }) => `${method} ${path}`)

  test('needs a fresh one for exactly the routes of docs/contract.md §10', () => {
    expect(new Set(namesOf(needing))).toEqual(new Set(changing(true)))
  })

  test('needs none for every other change, which is tried below', () => {
    expect(namesOf(free)).toEqual(expect.arrayContaining(changing(false)))
  })

  test.each(chosen('needing', needing, 12).map(named))('may not %s', async (_, wanted) => {
    const signed = await signIn()

    expectStepUp(await act(signed, wanted))

    await setSession(gateway, signed.page, justInTime)
    const { status } = await act(signed, wanted)
    expect(status).not.toBe(403)
    expect(status).toBeLessThan(500)
  })

  test.each(chosen('free', free, 10).map(named))('may %s', async (_, wanted) => {
    const signed = await signIn()

    const { status } = await act(signed, wanted)

    expect(status).not.toBe(403)
    expect(status).toBeLessThan(500)
  })

  test('does nothing of what it was refused, and the refusal is in the audit trail', async () => {
    const signed = await signIn()

    const refused = await act(signed, {
      method: 'POST',
      path: '/account/keys',
      body: { name: 'N' },
    })

    expectStepUp(refused)
    const keys = await gateway.database.query('SELECT 1 FROM keys.api_key WHERE account_id = $1', [
      signed.accountId,
    ])
    // The live key, the sandbox key and the one that signed in.
    expect(keys).toHaveLength(3)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        'SELECT action, result, actor_id FROM usage.audit_event WHERE request_id = $1',
        [refused.headers.get('x-request-id')],
      )
      expect(lines).toEqual([
        { action: 'access.deny', result: 'STEP_UP_REQUIRED', actor_id: signed.keyId },
      ])
    }, patience)
  })

  test('is refused before an idempotency key is used up', async () => {
    const signed = await signIn()
    const { page, plaintext } = signed
    const headers = { 'idempotency-key': 'one' }
    const body = { name: 'New' }

    expectStepUp(await page.send('POST', '/v1/account/keys', body, headers))
    const proven = await openPage(gateway.live, plaintext, page)
    const { status } = await proven.send('POST', '/v1/account/keys', body, headers)

    expect(status).toBe(201)
  })

  test('of a person needs a new portal link, and says where to get one', async () => {
    const account = await gateway.createAccount()
    const page = await plantPage(gateway, account, {
      role: 'OWNER',
      returnUrl: 'https://app.example/billing',
    })
    await setSession(gateway, page, tooOld)

    const refused = await page.send('POST', '/v1/account/keys', { name: 'New' })

    expectStepUp(refused, {
      methods: ['portal_link'],
      return_url: 'https://app.example/billing',
    })
  })

  test('that was handed over has no proof of its own', async () => {
    const account = await gateway.createAccount()
    const parent = await plantPage(gateway, account, { role: 'OWNER' })
    const page = await plantPage(gateway, account, {
      ...{ role: 'OWNER', environment: 'sandbox', parentId: parent.sessionId },
    })
    await setSession(gateway, page, "proven_at = auth_time - interval '1 ms'")

    const refused = await page.send('POST', '/v1/account/keys', { name: 'New' })

    expect([refused.status, Object(refused.body).error.code]).toEqual([403, 'STEP_UP_REQUIRED'])
  })

  test('is asked by the number of minutes that the operator has chosen', async () => {
    const quick = await startTestGateway({ STEP_UP_MINUTES: '1' }, { database: gateway.database })
    try {
      const { liveKey } = await gateway.createAccount()
      const page = await openPage(quick.live, liveKey)
      const fresh = await page.send('POST', '/v1/account/keys', { name: 'New' })
      const tooOldHere = "now() - interval '61 s'"
      await setSession(gateway, page, `proven_at = ${tooOldHere}, auth_time = ${tooOldHere}`)
      const stale = await page.send('POST', '/v1/account/keys', { name: 'New' })

      expect([fresh.status, stale.status]).toEqual([201, 403])
    } finally {
      await quick.close()
    }
  })

  test('is no matter for a key', async () => {
    const { liveKey } = await gateway.createAccount()

    const { status } = await gateway.live.post('/v1/account/keys', { name: 'New' }, liveKey)

    expect(status).toBe(201)
  })
})

describe('a disabled key in a session without a fresh proof', () => {
  const enable = (page: Page, id: string, enabled = true) =>
    page.send('PATCH', `/v1/account/keys/${id}`, { enabled })

  /** Another key of the account, and a page of the key that has signed in. */
  async function signInBesideKey() {
    const signed = await signIn()
    const { id } = await gateway.createKey(signed.accountId)
    const isEnabled = async () => {
      const { status, body } = await signed.page.get(`/v1/account/keys/${id}`)
      expect(status).toBe(200)
      return Object(body).enabled
    }
    return { ...signed, id, isEnabled }
  }

  const disableByKey = (key: string, id: string) => setByKey(key, id, false)

  async function setByKey(key: string, id: string, enabled: boolean): Promise<void> {
    const body = { enabled }
    const path = `/v1/account/keys/${id}`
    const { status } = await gateway.live.request(path, { method: 'PATCH', key, body })
    expect(status).toBe(200)
  }

  const undo = (page: Page, id: string) => page.send('POST', `/v1/account/keys/${id}/undo-disable`)
  const refusal = (status: number, code: string, message: string) =>
    expect.objectContaining({
      ...{ status, body: { error: expect.objectContaining({ code, message }) } },
    })

  test('stays disabled until there is a fresh proof, also for the session that disabled it', async () => {
    const { page, plaintext, id, isEnabled } = await signInBesideKey()
    expect((await enable(page, id, false)).status).toBe(200)

    expectStepUp(await enable(page, id))
    expect(await isEnabled()).toBe(false)
    const proven = await openPage(gateway.live, plaintext, page)

    expect((await enable(proven, id)).status).toBe(200)
  })

  test('undo-disable enables it for the session that disabled it just before, and for nobody else', async () => {
    const { page, plaintext, liveKey, id, isEnabled } = await signInBesideKey()
    const other = await openPage(gateway.live, plaintext)
    expect((await enable(page, id, false)).status).toBe(200)
    const disabled = Object((await page.get(`/v1/account/keys/${id}`)).body)
    const notYours = 'Only the session that disabled the key can undo that.'

    const byKey = await gateway.live.post(`/v1/account/keys/${id}/undo-disable`, undefined, liveKey)
    expect([await undo(other, id), byKey]).toEqual([
      refusal(403, 'FORBIDDEN', notYours),
      refusal(403, 'FORBIDDEN', notYours),
    ])
    expect(await isEnabled()).toBe(false)
    const undone = await undo(page, id)

    expect([undone.status, undone.body]).toEqual([200, { ...disabled, enabled: true }])
    expect(await undo(page, id)).toEqual(refusal(409, 'CONFLICT', 'This API key is enabled.'))
    expect(await isEnabled()).toBe(true)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result FROM usage.audit_event WHERE resource_id = $1
         AND action <> 'key.create' ORDER BY occurred_at, id`,
        [id],
      )
      expect(lines).toEqual([
        ...[{ action: 'key.update', result: 'succeeded' }],
        ...[1, 2].map(() => ({ action: 'key.undo_disable', result: 'FORBIDDEN' })),
        { action: 'key.undo_disable', result: 'succeeded' },
        { action: 'key.undo_disable', result: 'CONFLICT' },
      ])
    }, patience)
  })

  test('undo-disable is refused once 60 seconds have passed', async () => {
    const { page, id, isEnabled } = await signInBesideKey()
    expect((await enable(page, id, false)).status).toBe(200)
    await gateway.database.query(
      "UPDATE keys.api_key SET disabled_at = now() - interval '61 s' WHERE id = $1",
      [id],
    )

    expect(await undo(page, id)).toEqual(
      refusal(
        ...([409, 'CONFLICT'] as const),
        'The key was disabled more than 60 seconds ago. Change `enabled` to enable it.',
      ),
    )
    expect(await isEnabled()).toBe(false)
  })

  test('undo-disable does not show a key of another account', async () => {
    const { page } = await signInBesideKey()
    const { id } = await gateway.createKey((await gateway.createAccount()).id)

    const { status, body } = await undo(page, id)

    expect([status, body]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }])
  })

  test('that somebody else has disabled too stays so: undo-disable is of the newest', async () => {
    const { page, plaintext, liveKey, id, isEnabled } = await signInBesideKey()
    const other = await openPage(gateway.live, plaintext)
    for (const disableAgain of [
      async () => expect((await enable(other, id, false)).status).toBe(200),
      () => disableByKey(liveKey, id),
    ]) {
      expect((await enable(page, id, false)).status).toBe(200)
      await disableAgain()

      const undone = [await undo(page, id), await undo(other, id)]

      expect(undone.map(({ status }) => status)).toEqual([403, 403])
      expect(await isEnabled()).toBe(false)
      await setByKey(liveKey, id, true)
    }
    // Once more by the same session changes nothing.
    expect((await enable(page, id, false)).status).toBe(200)
    expect((await enable(page, id, false)).status).toBe(200)
    expect((await undo(page, id)).status).toBe(200)
  })

  test('that a key has disabled is not made the session’s own by disabling it again', async () => {
    const { page, liveKey, id, isEnabled } = await signInBesideKey()
    expect((await enable(page, id, false)).status).toBe(200)
    expect((await undo(page, id)).status).toBe(200)
    await disableByKey(liveKey, id)
    expect((await undo(page, id)).status).toBe(403)
    expect((await enable(page, id, false)).status).toBe(200)

    expect((await undo(page, id)).status).toBe(403)

    expect(await isEnabled()).toBe(false)
  })

  test('is enabled by an API key without any of this, and its refusal is in the audit trail', async () => {
    const { page, liveKey, id, keyId } = await signInBesideKey()
    await disableByKey(liveKey, id)
    const refused = await enable(page, id)
    expectStepUp(refused)

    const path = `/v1/account/keys/${id}`
    const body = { enabled: true }
    const enabled = await gateway.live.request(path, { method: 'PATCH', key: liveKey, body })

    expect([enabled.status, Object(enabled.body).enabled]).toEqual([200, true])
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        'SELECT action, result, actor_id FROM usage.audit_event WHERE request_id = $1',
        [refused.headers.get('x-request-id')],
      )
      expect(lines).toEqual([{ action: 'key.update', result: 'STEP_UP_REQUIRED', actor_id: keyId }])
    }, patience)
  })

  test('of a person is enabled only after a new portal link', async () => {
    const account = await gateway.createAccount()
    const { id } = await gateway.createKey(account.id)
    await disableByKey(account.liveKey, id)
    const page = await plantPage(gateway, account, { role: 'DEVELOPER' })
    await setSession(gateway, page, tooOld)

    expectStepUp(await enable(page, id), { methods: ['portal_link'], return_url: null })
  })
})

describe('a cap in a session without a fresh proof', () => {
  const limit = { period: 'day', limit_credits: 5 }

  test('is neither lifted nor set to another use: all is as it was', async () => {
    const { page, liveKey, accountId } = await signIn()
    const send = (method: string, path: string, body?: object) =>
      gateway.live.request(path, { method, key: liveKey, body })
    const { id } = await gateway.createKey(accountId)
    const budgets = [limit]
    for (const [method, path, body] of [
      ['PATCH', `/v1/account/keys/${id}`, { budgets, external_id: 'team-1' }],
      ['PUT', '/v1/account/external-ids/team-1/budgets', { budgets }],
      ['PUT', '/v1/account/budgets', { budgets }],
    ] as const) {
      expect((await send(method, path, body)).status).toBe(200)
    }

    expectStepUp(await page.send('PATCH', `/v1/account/keys/${id}`, { external_id: null }))
    expectStepUp(await page.send('PATCH', `/v1/account/keys/${id}`, { external_id: 'free' }))
    expectStepUp(await page.send('PATCH', `/v1/account/keys/${id}`, { budgets: [] }))
    expectStepUp(await page.send('POST', `/v1/account/keys/${id}/budgets/day/reset`))
    for (const none of [[], [{ ...limit, limit_credits: 6 }], [{ ...limit, enforce: false }]]) {
      const body = { budgets: none }
      expectStepUp(await page.send('PUT', '/v1/account/external-ids/team-1/budgets', body))
      expectStepUp(await page.send('PUT', '/v1/account/budgets', body))
    }

    const key = await page.get(`/v1/account/keys/${id}`)
    const kept = { period: 'day', limit_credits: 5, enforce: true }
    expect(key.body).toMatchObject({ external_id: 'team-1', budgets: [kept] })
    const account = await page.get('/v1/account/budgets')
    expect(account.body).toMatchObject({ budgets: [kept] })
    const ids = await page.get('/v1/account/external-ids')
    expect(ids.body).toMatchObject({ items: [{ external_id: 'team-1', budgets: [kept] }] })
  })
})

describe('auto-recharge in a session without a fresh proof', () => {
  const path = '/v1/account/auto-recharge'
  const isOn = { enabled: true, threshold_credits: 10, package_id: 'pack_starter' }
  const cap = { monthly_cap_cents: 20_000 }

  test('may go down and off, and not up or on', async () => {
    const signed = await signIn(justInTime)
    const { page } = signed
    const send = (body: object) => page.send('PATCH', path, body)
    expect((await send({ ...isOn, ...cap })).status).toBe(200)
    await setSession(gateway, page, tooOld)

    expectStepUp(await send({ threshold_credits: 11 }))
    expectStepUp(await send({ monthly_cap_cents: 20_001 }))
    expectStepUp(await send({ monthly_cap_cents: null }))
    expectStepUp(await send({ package_id: 'pack_growth', enabled: false }))
    const same = await send({ enabled: true })
    const lower = await send({ threshold_credits: 9, monthly_cap_cents: 19_000 })
    const off = await send({ enabled: false })
    expectStepUp(await send({ enabled: true }))

    expect([same.status, lower.status, off.status]).toEqual([200, 200, 200])
    expect(off.body).toMatchObject({
      ...{ enabled: false, threshold_credits: 9, monthly_cap_cents: 19_000 },
    })
    expect((await page.get('/v1/account/billing')).body).toMatchObject({
      auto_recharge: { enabled: false, threshold_credits: 9, monthly_cap_cents: 19_000 },
    })
  })
})

describe('a proof with the same key', () => {
  const rowOf = async ({ sessionId }: Page) => {
    const [row] = await gateway.database.query<Record<string, unknown>>(
      `SELECT id, auth_time, expires_at, ended_at, proven_at > now() - interval '1 minute' AS is_new
       FROM oauth.session WHERE id = $1`,
      [sessionId],
    )
    return row
  }

  test('keeps the session and its end; the cookie is new', async () => {
    const { page, plaintext, keyId, accountId } = await signIn()
    const before = await rowOf(page)

    const proven = await openPage(gateway.live, plaintext, page)

    expect(proven.sessionId).toBe(page.sessionId)
    expect(proven.cookie).not.toBe(page.cookie)
    expect(await rowOf(proven)).toEqual({ ...before, is_new: true })
    expect((await proven.send('POST', '/v1/account/keys', { name: 'New' })).status).toBe(201)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result, actor_kind, actor_id FROM usage.audit_event
         WHERE account_id = $1 AND resource_id = $2 ORDER BY id`,
        [accountId, page.sessionId],
      )
      const byKey = { result: 'succeeded', actor_kind: 'key', actor_id: keyId }
      expect(lines).toEqual([
        { action: 'session.open', ...byKey },
        { action: 'session.step_up', ...byKey },
      ])
    }, patience)
  })

  test('leaves the old cookie for 10 seconds more', async () => {
    const { page, plaintext } = await signIn()
    const proven = await openPage(gateway.live, plaintext, page)
    const left = await gateway.database.query(
      `SELECT extract(epoch FROM previous_until - proven_at)::int AS seconds
       FROM oauth.session WHERE id = $1`,
      [page.sessionId],
    )

    await setSession(gateway, page, "previous_until = now() + interval '1 hour'")
    const both = await Promise.all([page.get('/v1/account'), proven.get('/v1/account')])
    await setSession(gateway, page, "previous_until = now() - interval '1 ms'")
    const later = await Promise.all([page.get('/v1/account'), proven.get('/v1/account')])

    expect(left).toEqual([{ seconds: 10 }])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(later.map(({ status }) => status)).toEqual([401, 200])
  })

  test('is of the new cookie alone: a browser with the old one can change and approve nothing', async () => {
    const { page, plaintext } = await signIn()
    const query = requestOf(await registerApp(gateway))
    const proven = await openPage(gateway.live, plaintext, page)
    // A loaded machine may take longer than its ten seconds.
    await setSession(gateway, page, "previous_until = now() + interval '1 hour'")
    const asked = async ({ cookie }: Page) => {
      const { status, body } = await authorize(gateway.live, query, undefined, { cookie })
      return [status, Object(body).login_required ?? false]
    }

    const refused = await page.send('POST', '/v1/account/keys', { name: 'New' })

    expectStepUp(refused)
    expect([await asked(page), await asked(proven)]).toEqual([
      [200, true],
      [200, false],
    ])
    const { body } = await page.get('/v1/account/sessions/current')
    expect(Date.parse(Object(body).step_up_until)).toBeLessThan(Date.now())
    expect((await page.send('PATCH', '/v1/account/keys/key_1', {})).status).toBe(404)
    expect((await proven.send('POST', '/v1/account/keys', { name: 'New' })).status).toBe(201)
  })

  test('of a page of the sandbox is asked of the old cookie by key too', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const page = await openPage(gateway.sandbox, sandboxKey)
    await openPage(gateway.sandbox, sandboxKey, page)

    const refused = await page.send('POST', '/v1/account/keys', { name: 'New' })

    expect([refused.status, Object(refused.body).error.details]).toEqual([
      403,
      { methods: ['api_key'], return_url: null },
    ])
  })

  test('given twice at the same time, both pages stay signed in', async () => {
    const { page, plaintext } = await signIn()

    const both = await Promise.all([
      openPage(gateway.live, plaintext, page),
      openPage(gateway.live, plaintext, page),
    ])

    const answers = await Promise.all(both.map((one) => one.get('/v1/account')))
    expect(both.map(({ sessionId }) => sessionId)).toEqual([page.sessionId, page.sessionId])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  test('ends the session with the old cookie too, when that signs out', async () => {
    const { page, plaintext } = await signIn()
    const proven = await openPage(gateway.live, plaintext, page)

    const { status } = await page.send('DELETE', '/v1/oauth/session')

    expect(status).toBe(200)
    expect((await proven.get('/v1/account')).status).toBe(401)
  })

  test.each([
    ['another key of the account', async ({ liveKey }: Signed) => liveKey],
    ['a key of another account', async () => (await gateway.createAccount()).liveKey],
  ])('is not %s: that is another sign-in', async (_, keyOf) => {
    const signed = await signIn()
    const { page } = signed

    const other = await openPage(gateway.live, await keyOf(signed), page)

    expect(other.sessionId).not.toBe(page.sessionId)
    expect((await page.get('/v1/account')).status).toBe(401)
    expect((await other.get('/v1/account')).status).toBe(200)
  })

  test('is not a key that signed in a session that has ended meanwhile', async () => {
    const { page, plaintext } = await signIn()
    await setSession(gateway, page, 'ended_at = now()')

    const other = await openPage(gateway.live, plaintext, page)

    expect(other.sessionId).not.toBe(page.sessionId)
  })

  test('is not given by a wrong key: the session is as it was', async () => {
    const { page, plaintext } = await signIn()
    const wrong = `${plaintext.slice(0, -1)}${plaintext.endsWith('x') ? 'y' : 'x'}`

    const { status, headers } = await gateway.live.post('/v1/oauth/session', {}, wrong, {
      cookie: page.cookie,
    })

    expect([status, headers.get('set-cookie')]).toEqual([401, null])
    expect((await page.get('/v1/account')).status).toBe(200)
    expectStepUp(await page.send('POST', '/v1/account/keys', { name: 'New' }))
  })

  test('proves nothing on the other listener', async () => {
    const { page } = await signIn()
    const { sandboxKey } = await gateway.createAccount()

    const { headers } = await gateway.sandbox.post('/v1/oauth/session', {}, sandboxKey, {
      cookie: page.cookie.replace('gw_session', 'gw_sandbox_session'),
    })

    expect(cookieOf(headers)).toMatch(/^__Host-gw_sandbox_session=/)
    expectStepUp(await page.send('POST', '/v1/account/keys', { name: 'New' }))
  })
})
