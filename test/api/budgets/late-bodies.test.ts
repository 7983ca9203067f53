import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import {
  type AskingApp,
  approve,
  registerApp,
  requestOf,
  shownTo,
  signIn,
} from '../../support/oauth/asking.ts'
import { formType, redeem, tokensOf } from '../../support/oauth/oauth-flow.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { openRequest } from '../../support/requests/open-request.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0,token=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

const daily = (limit_credits: number) => [{ period: 'day', limit_credits }]
const forbidden = { status: 403, code: 'FORBIDDEN' } as const

/** A request whose caller is known, and whose body is not sent yet. */
async function begin(method: string, path: string, key: string, body: object) {
  // From here on its key is cached, so that it is known as soon as the headers are read.
  expect((await gateway.live.get('/v1/account/credits', key)).status).toBe(200)
  return openRequest(gateway.live.url + path, {
    ...{ method, body: JSON.stringify(body) },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
}

/** Costs 5 credits. */
const beginCall = (key: string) =>
  begin('POST', '/v1/contacts/reveal', key, { contact_id: 'con_0123456789' })

async function change(method: string, path: string, key: string, body?: object): Promise<void> {
  const { status } = await gateway.live.request(`/v1${path}`, { method, key, body })
  expect(status).toBe(200)
}

async function keyOf({ liveKey }: TestAccount, details: object = {}) {
  const body = { name: 'Team', ...details }
  const issued = await gateway.live.post('/v1/account/keys', body, liveKey)
  expect(issued.status).toBe(201)
  const { id, plaintext }: { id: string; plaintext: string } = Object(issued.body)
  return { id, plaintext }
}

async function tokenOf({ liveKey }: TestAccount): Promise<string> {
  const query = requestOf(app, { scope: 'openid account:read contacts:write' })
  const { code } = await approve(gateway.live, query, liveKey)
  const { clientId, clientSecret = null, developer } = app
  const registered = { clientId, secret: clientSecret, developer }
  const form = { redirect_uri: 'https://app.example/callback' }
  return tokensOf(await redeem(gateway.live, registered, code, form)).accessToken
}

interface Layer {
  /** What calls, and how its first budget is set. */
  open(account: TestAccount): Promise<{ key: string; cap: (limit: number) => Promise<void> }>
}

const layers: [string, Layer['open']][] = [
  [
    'its key',
    async (account) => {
      const { id, plaintext } = await keyOf(account)
      const cap = (limit: number) =>
        change('PATCH', `/account/keys/${id}`, account.liveKey, { budgets: daily(limit) })
      return { key: plaintext, cap }
    },
  ],
  [
    'its external id',
    async (account) => {
      const { plaintext } = await keyOf(account, { external_id: 'team' })
      const path = '/account/external-ids/team/budgets'
      const cap = (limit: number) => change('PUT', path, account.liveKey, { budgets: daily(limit) })
      return { key: plaintext, cap }
    },
  ],
  [
    'its consent',
    async (account) => {
      const path = `/oauth/consents/${app.clientId}`
      const cap = (limit: number) =>
        change('PATCH', path, account.liveKey, { budgets: daily(limit) })
      return { key: await tokenOf(account), cap }
    },
  ],
  [
    'its account',
    async (account) => {
      const cap = (limit: number) =>
        change('PUT', '/account/budgets', account.liveKey, { budgets: daily(limit) })
      return { key: account.liveKey, cap }
    },
  ],
]

describe.each(layers)('a call whose body comes after the first budget of %s', (_, open) => {
  test('is refused by it', async () => {
    const { key, cap } = await open(await gateway.createAccount())
    const call = await beginCall(key)
    await cap(4)

    const answer = await call.send()

    expect(answer).toMatchObject({
      ...{ status: 402, body: { error: { code: 'BUDGET_EXCEEDED' } } },
    })
  })

  test('counts in it', async () => {
    const { key, cap } = await open(await gateway.createAccount())
    const call = await beginCall(key)
    await cap(12)

    const answer = await call.send()

    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-budget-remaining')).toBe('7')
  })
})

test('a call whose key ends before its body comes is refused like any other of this key', async () => {
  const account = await gateway.createAccount()
  const { id, plaintext } = await keyOf(account)
  const call = await beginCall(plaintext)
  await change('DELETE', `/account/keys/${id}`, account.liveKey)

  expectError(gateway, await call.send(), { status: 401, code: 'INVALID_API_KEY' })
})

test('a quote whose body comes after the first budget shows it', async () => {
  const account = await gateway.createAccount()
  const { plaintext } = await keyOf(account, { external_id: 'team' })
  const call = { method: 'POST', path: '/v1/contacts/reveal', body: { contact_id: 'con_1' } }
  const quote = await begin('POST', '/v1/quotes', plaintext, { calls: [call] })
  await change('PUT', '/account/external-ids/team/budgets', account.liveKey, { budgets: daily(4) })

  expect(await quote.send()).toMatchObject({
    ...{ status: 200, body: { budget_remaining: 4, items: [{ would_succeed: false }] } },
  })
})

describe('a key that has its first budget, through its external id, before its body comes', () => {
  type Attempt = (own: { id: string; plaintext: string }) => ReturnType<typeof begin>

  async function attempt(open: Attempt): Promise<TestResponse> {
    const account = await gateway.createAccount()
    const own = await keyOf(account, { external_id: 'team' })
    const attempted = await open(own)
    await change('PUT', '/account/external-ids/team/budgets', account.liveKey, {
      budgets: daily(500),
    })
    return attempted.send()
  }

  const keys = '/v1/account/keys'
  const attempts: [string, Attempt][] = [
    ['issues no key', ({ plaintext }) => begin('POST', keys, plaintext, { name: 'Child' })],
    [
      'does not leave its external id',
      ({ id, plaintext }) => begin('PATCH', `${keys}/${id}`, plaintext, { external_id: null }),
    ],
    [
      'does not change the budgets of its account',
      ({ plaintext }) => begin('PUT', '/v1/account/budgets', plaintext, { budgets: daily(1) }),
    ],
    [
      'does not lift those of its external id',
      ({ plaintext }) =>
        begin('PUT', '/v1/account/external-ids/team/budgets', plaintext, { budgets: [] }),
    ],
  ]

  test.each(attempts)('%s', async (_, open) => {
    expectError(gateway, await attempt(open), forbidden)
  })

  test('does not approve an app, by the session that it has opened', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await keyOf(account, { external_id: 'team' })
    const browser = await signIn(gateway.live, plaintext)
    const query = requestOf(app, { scope: 'openid contacts:write' })
    const token = await shownTo(gateway.live, browser, query)
    const path = `/v1/oauth/consent${query}&consent_token=${token}&decision=allow`
    const consent = await openRequest(gateway.live.url + path, {
      ...{ method: 'POST', body: 'budgets=day%3A500' },
      headers: { ...browser.headers, 'content-type': formType },
    })
    await change('PUT', '/account/external-ids/team/budgets', account.liveKey, {
      budgets: daily(500),
    })

    expectError(gateway, await consent.send(), forbidden)
  })
})
