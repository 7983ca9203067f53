import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { whileHeld } from '../../../support/database/held-transaction.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  consent,
  refusalOf,
  registerApp,
  requestOf,
  shownTo,
  signIn,
} from '../../../support/oauth/asking.ts'
import { formType, redeem, tokensOf } from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0,token=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

const path = '/v1/oauth/consents'
const scope = 'openid account:read contacts:write'
const forbidden = { status: 403, code: 'FORBIDDEN' } as const

/** An approval by key, with further parameters; returns an access token. */
async function approve({ liveKey }: TestAccount, more = ''): Promise<string> {
  const { status, body } = await consent(gateway.live, requestOf(app, { scope }) + more, liveKey)
  expect([status, Object(body).status]).toEqual([200, 'approved'])
  const { clientId, clientSecret = null } = app
  const registered = { clientId, secret: clientSecret, developer: app.developer }
  const form = { redirect_uri: 'https://app.example/callback' }
  const response = await redeem(gateway.live, registered, Object(body).code, form)
  return tokensOf(response).accessToken
}

/** Costs 5 credits. */
const spend = async (token: string) =>
  (await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, token)).status

function change({ liveKey }: Pick<TestAccount, 'liveKey'>, body: unknown, clientId = app.clientId) {
  return gateway.live.request(`${path}/${clientId}`, { method: 'PATCH', key: liveKey, body })
}

async function budgetsOf({ liveKey }: TestAccount): Promise<object[]> {
  const { status, body } = await gateway.live.get(path, liveKey)
  expect(status).toBe(200)
  return Object(body).items.flatMap(({ budgets }: { budgets: object[] }) => budgets)
}

const daily = (limit_credits: number, used_credits = 0) => ({
  ...{ period: 'day', limit_credits, used_credits },
})

describe('PATCH /v1/oauth/consents/{client_id}', () => {
  test('caps what the app spends; the budgets survive a withdrawal and a second consent', async () => {
    const owner = await gateway.createAccount()
    const token = await approve(owner)
    expect(await spend(token)).toBe(200)

    const set = await change(owner, { budgets: [{ period: 'day', limit_credits: 9 }] })
    const spent = [await spend(token), await spend(token)]
    const kept = await change(owner, {})
    const withdrawn = await gateway.live.request(`${path}/${app.clientId}`, {
      ...{ method: 'DELETE', key: owner.liveKey },
    })
    const after = await change(owner, { budgets: [] })
    const second = await approve(owner)

    expect([set.status, set.body]).toMatchObject([
      200,
      { client_id: app.clientId, client_name: 'Acme', status: 'active', budgets: [daily(9)] },
    ])
    expect(spent).toEqual([200, 402])
    expect([kept.status, Object(kept.body).budgets]).toMatchObject([200, [daily(9, 5)]])
    expect(Object(withdrawn.body)).toMatchObject({ status: 'revoked', budgets: [daily(9, 5)] })
    expectError(gateway, after, {
      ...{ status: 409, code: 'CONFLICT', message: 'This consent was withdrawn.' },
    })
    expect(await spend(second)).toBe(402)
    expect(await budgetsOf(owner)).toMatchObject([daily(9, 5)])
    expect((await change(owner, { budgets: [] })).status).toBe(200)
    expect(await spend(second)).toBe(200)
  })

  test('refuses wrong budgets, each named, and a consent that there is not', async () => {
    const owner = await gateway.createAccount()
    await approve(owner)
    const limit = 'must be an integer from 1 to 9007199254740991'

    const wrong = await change(owner, { budgets: [{ period: 'day', limit_credits: 0 }], x: 1 })
    const unknown = await change(owner, { budgets: [] }, newId('app'))
    const foreign = await change(await gateway.createAccount(), { budgets: [] })

    expectError(gateway, wrong, {
      ...{ status: 422, code: 'INVALID_REQUEST' },
      details: [
        { field: 'budgets.0.limit_credits', in: 'body', message: limit },
        { field: 'x', in: 'body', message: 'is not known here' },
      ],
    })
    const message = 'No consent has this id.'
    for (const response of [unknown, foreign]) {
      expectError(gateway, response, { status: 404, code: 'NOT_FOUND', message })
    }
  })

  test('tokens of a capped consent whose budgets are missing are refused', async () => {
    const owner = await gateway.createAccount()
    const token = await approve(owner, '&budgets=day:100')
    expect(await spend(token)).toBe(200)

    await gateway.database.query('DELETE FROM account.budget WHERE account_id = $1', [owner.id])

    await vi.waitUntil(async () => (await spend(token)) === 401, patience)
  })
})

describe('POST /v1/oauth/consent with budgets', () => {
  test('caps the app from the beginning; an approval without budgets leaves them', async () => {
    const owner = await gateway.createAccount()

    const token = await approve(owner, '&budgets=day:7,month:5000')
    const spent = [await spend(token), await spend(token)]
    await approve(owner)
    await approve(owner, '&budgets=')

    expect(spent).toEqual([200, 402])
    expect(await budgetsOf(owner)).toMatchObject([
      daily(7, 5),
      { period: 'month', limit_credits: 5000, used_credits: 5 },
    ])
  })

  test('refuses wrong ones, each named, and a denial ignores right ones', async () => {
    const owner = await gateway.createAccount()
    const query = requestOf(app, { scope })

    const refused = await consent(gateway.live, `${query}&budgets=day:0,hour:5`, owner.liveKey)
    const denied = await consent(
      gateway.live,
      `${query}&budgets=day:5&decision=deny`,
      owner.liveKey,
    )

    expect(refusalOf(gateway, refused)).toEqual([
      expect.stringContaining('budgets: "day:0" must be written like day:500'),
      expect.stringContaining('budgets: "hour:5" must be written like day:500'),
    ])
    expect([denied.status, Object(denied.body).status]).toEqual([200, 'denied'])
    await approve(owner)
    expect(await budgetsOf(owner)).toEqual([])
  })

  test('takes them from the form of the page, and shows a page that says what is wrong', async () => {
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    // The app's wish for budgets does not count, and the page does not repeat it.
    const asked = `${requestOf(app, { scope })}&budgets=total:999`
    const query = requestOf(app, { scope })
    const page = { ...browser.headers, accept: 'text/html' }
    async function load(path: string, init: RequestInit = {}) {
      const response = await fetch(gateway.baseUrl + path, {
        ...{ redirect: 'manual', headers: page },
        ...init,
      })
      return { status: response.status, text: await response.text() }
    }
    const screen = await load(`/v1/oauth/authorize${asked}`)
    const token = await shownTo(gateway.live, browser, query)
    const answer = `/v1/oauth/consent${query}&consent_token=${token}&decision=allow`
    const send = (budgets: string) =>
      load(answer, {
        method: 'POST',
        headers: { ...page, 'content-type': formType },
        body: new URLSearchParams({ budgets }).toString(),
      })

    const wrong = await send('day:many')
    const right = await send(' day:500 , month:5000 ')
    const replayed = await send('day:1')

    expect(screen.text).toContain('name="budgets"')
    expect(screen.text).not.toContain('total:999')
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('day:many')
    expect(wrong.text).toContain('Answer again')
    expect(right.status).toBe(303)
    expect(replayed.status).toBe(422)
    expect(await budgetsOf(owner)).toMatchObject([
      daily(500),
      { period: 'month', limit_credits: 5000 },
    ])
  })
})

test('of two decisions with one consent token, only the one that is made sets its budgets', async () => {
  const owner = await gateway.createAccount()
  const browser = await signIn(gateway.live, owner.liveKey)
  const query = requestOf(app, { scope })
  const token = await shownTo(gateway.live, browser, query)
  const decide = (limit: number) => {
    const asked = `${query}&consent_token=${token}&budgets=day:${limit}`
    return consent(gateway.live, asked, undefined, browser.headers)
  }

  // Under this lock both requests can look whether the token was used, and neither can use it.
  const lock = 'LOCK TABLE oauth.used_consent_token IN EXCLUSIVE MODE'
  const answers = await whileHeld(gateway.database, [lock, []], {
    waiting: 2,
    async started(untilOneWaits) {
      const first = decide(100)
      await untilOneWaits()
      return Promise.all([first, decide(200)])
    },
  })

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]))
  const made = answers[0]?.status === 200 ? 100 : 200
  expect(await budgetsOf(owner)).toMatchObject([daily(made)])
})

describe('a key with a budget', () => {
  test('may neither approve apps, also by a session, nor change or withdraw consents', async () => {
    const owner = await gateway.createAccount()
    await approve(owner)
    const budgets = [{ period: 'day', limit_credits: 500 }]
    const created = await gateway.live.post(
      '/v1/account/keys',
      { name: 'Capped', budgets },
      owner.liveKey,
    )
    expect(created.status).toBe(201)
    const liveKey: string = Object(created.body).plaintext
    const browser = await signIn(gateway.live, liveKey)
    const query = requestOf(app, { scope })
    const token = await shownTo(gateway.live, browser, query)

    const attempts = [
      await consent(gateway.live, query, liveKey),
      await consent(gateway.live, `${query}&consent_token=${token}`, undefined, browser.headers),
      await change({ liveKey }, { budgets: [] }),
      await gateway.live.request(`${path}/${app.clientId}`, { method: 'DELETE', key: liveKey }),
    ]

    for (const response of attempts) expectError(gateway, response, forbidden)
    const denied = await consent(gateway.live, `${query}&decision=deny`, liveKey)
    expect([denied.status, Object(denied.body).status]).toEqual([200, 'denied'])
  })
})
