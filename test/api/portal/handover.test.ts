import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { plantGrant } from '../../support/oauth/oauth.ts'
import { cookieOf, linkToken, previewOf, secretOf, signInWith } from '../../support/oauth/portal.ts'
import { ofOwnPage, openPage, type Page, pageOf, setSession } from '../../support/oauth/sessions.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const path = '/v1/account/sessions/handover'
const person = { role: 'OWNER', actor: 'Jane Doe' } as const

/** Signed in by a link. */
async function personPage(
  { id: accountId }: TestAccount,
  environment: Environment = 'live',
): Promise<Page> {
  const proof = {
    portal_token: await linkToken(gateway, {
      ...{ accountId, ...person, returnUrl: `${gateway.live.url}/back` },
      environment: environment === 'live' ? 'LIVE' : 'SANDBOX',
    }),
  }
  return opened(gateway[environment], await signInWith(gateway[environment], proof))
}

function opened(client: TestGateway['live'], answer: TestResponse): Page {
  expect(answer.status).toBe(201)
  return pageOf(client, cookieOf(answer) ?? '', Object(answer.body).id)
}

/** The code that the page gets. */
async function codeOf(page: Page): Promise<{ handover_code: string }> {
  const { status, body } = await page.send('POST', path)
  expect([status, body]).toEqual([201, { url: expect.any(String), expires_at: expect.any(String) }])
  return { handover_code: secretOf(Object(body).url) }
}

/** Follows a new code to the listener that it is for. */
async function follow(page: Page, to: Environment, cookie?: string): Promise<Page> {
  const client = gateway[to]
  return opened(client, await signInWith(client, await codeOf(page), cookie))
}

interface SessionRow {
  readonly id: string
  readonly environment: Environment
  readonly key_id: string | null
  readonly role: string | null
  readonly actor: string | null
  readonly return_url: string | null
  readonly parent_id: string | null
  readonly expires_at: Date
  readonly is_open: boolean
  readonly is_proven: boolean
}

async function sessionOf({ sessionId }: Pick<Page, 'sessionId'>): Promise<SessionRow> {
  const [row] = await gateway.database.query<SessionRow>(
    `SELECT id, environment, key_id, role, actor, return_url, parent_id, expires_at,
       ended_at IS NULL AS is_open, proven_at >= auth_time AS is_proven
     FROM oauth.session WHERE id = $1`,
    [sessionId],
  )
  if (!row) throw new Error('There is no such session.')
  return row
}

const statusOf = async (page: Page) => (await page.get('/v1/account')).status

const message = 'This link is invalid or no longer works. Ask for another one.'

function expectRefused(...answers: readonly TestResponse[]): void {
  for (const answer of answers) {
    expectError(gateway, answer, { status: 404, code: 'NOT_FOUND', message })
    expect(cookieOf(answer)).toBeNull()
  }
}

describe('POST /v1/account/sessions/handover', () => {
  test('answers with a code for the other listener that lives 60 seconds', async () => {
    const account = await gateway.createAccount()
    const page = await openPage(gateway.live, account.liveKey)
    const before = Date.now()

    const answer = await page.send('POST', path)

    const { url, expires_at: expiresAt } = Object(answer.body)
    const code = secretOf(url)
    expect(answer.status).toBe(201)
    expect(url).toBe(`${gateway.sandbox.url}/console/handover#${code}`)
    expect(code).toMatch(/^svc_ohc_[A-Za-z0-9_-]{43}$/)
    expect(Date.parse(expiresAt) - before).toBeLessThan(70_000)
    expect(Date.parse(expiresAt) - before).toBeGreaterThan(50_000)
    expect(cookieOf(answer)).toBeNull()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const stored = await gateway.database.query(
      'SELECT h.* FROM oauth.session_handover h WHERE session_id = $1',
      [page.sessionId],
    )
    expect(stored).toMatchObject([
      { code_hash: sha256(code), environment: 'sandbox', account_id: account.id, used_at: null },
    ])
    expect(JSON.stringify(stored)).not.toContain(code)
  })

  test('is for sessions of browsers, on their own pages', async () => {
    const account = await gateway.createAccount()
    const { accessToken } = await plantGrant(gateway, {
      ...{ ownerId: account.id, accountId: account.id, scopes: ['account:read'] },
    })
    const { cookie } = await openPage(gateway.live, account.liveKey)
    const post = (key: string | undefined, headers = {}) =>
      gateway.live.request(path, { method: 'POST', key, headers })
    const foreign = { cookie, 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }

    expectError(gateway, await post(account.liveKey, { ...ofOwnPage, cookie }), {
      ...{ status: 403, code: 'FORBIDDEN' },
      message: 'Only the session of a browser can be handed over.',
    })
    expectError(gateway, await post(accessToken), { status: 401, code: 'INVALID_API_KEY' })
    expectError(gateway, await post(undefined), { status: 401, code: 'AUTHENTICATION_REQUIRED' })
    expectError(gateway, await post(undefined, { cookie }), { status: 403, code: 'FORBIDDEN' })
    expectError(gateway, await post(undefined, foreign), { status: 403, code: 'FORBIDDEN' })
  })

  test.each([
    ['a key', (account: TestAccount) => openPage(gateway.sandbox, account.sandboxKey)],
    ['a link', (account: TestAccount) => personPage(account, 'sandbox')],
  ])('never leads from the sandbox to live what %s opened there', async (_by, open) => {
    const account = await gateway.createAccount()
    const here = await open(account)
    // The code does not sign in here, even where the same browser, key and person have a session.
    await openPage(gateway.live, account.liveKey)
    await personPage(account)

    const answer = await here.send('POST', path)

    expectError(gateway, answer, {
      ...{ status: 403, code: 'FORBIDDEN' },
      message: 'A session that was opened on the sandbox stays there.',
    })
  })
})

describe('POST /v1/account/sessions with a code', () => {
  test('opens a session of the same key, which ends with its parent', async () => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)

    const sandbox = await follow(live, 'sandbox')

    const [parent, child] = [await sessionOf(live), await sessionOf(sandbox)]
    expect(sandbox.cookie).toMatch(/^__Host-gw_sandbox_session=/)
    expect(child).toEqual({
      ...parent,
      ...{ id: sandbox.sessionId, environment: 'sandbox', parent_id: live.sessionId },
      // Requests that need a fresh proof are refused.
      is_proven: false,
    })
    const [here, there] = [await sandbox.get('/v1/account'), await live.get('/v1/account')]
    expect([here, there]).toMatchObject([
      { status: 200, body: { id: account.id, environment: 'sandbox' } },
      { status: 200, body: { id: account.id, environment: 'live' } },
    ])
    // A cookie is of one listener.
    const strays = [
      await gateway.sandbox.get('/v1/account', undefined, { ...ofOwnPage, cookie: live.cookie }),
      await gateway.live.get('/v1/account', undefined, { ...ofOwnPage, cookie: sandbox.cookie }),
    ]
    expect(strays.map(({ status }) => status)).toEqual([401, 401])
  })

  test('opens a session of the same person', async () => {
    const account = await gateway.createAccount()
    const live = await personPage(account)

    const sandbox = await follow(live, 'sandbox')

    expect(await sessionOf(sandbox)).toMatchObject({
      ...{ ...person, key_id: null, parent_id: live.sessionId, is_proven: false },
      return_url: `${gateway.live.url}/back`,
    })
  })

  test.each([
    ['a key', (account: TestAccount) => openPage(gateway.live, account.liveKey), null],
    ['a person', personPage, person],
  ])('says before whom it would sign in: %s', async (_who, open, who) => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const live = await open(account)
    const otherPage = await openPage(gateway.sandbox, other.sandboxKey)
    const code = await codeOf(live)

    const preview = await previewOf(gateway.sandbox, code)
    const elsewhere = await previewOf(gateway.sandbox, code, otherPage.cookie)

    expect(preview).toMatchObject({ status: 200 })
    expect(preview.body).toEqual({
      ...{ account_id: account.id, account_name: 'Test', environment: 'sandbox' },
      ...{ role: who?.role ?? null, actor: who?.actor ?? null },
      return_url: who ? `${gateway.live.url}/back` : null,
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      signed_in_as: null,
    })
    expect(elsewhere.body).toEqual({
      ...Object(preview.body),
      signed_in_as: { account_id: other.id, account_name: 'Test' },
    })
    expect(await statusOf(otherPage)).toBe(200)
    opened(gateway.sandbox, await signInWith(gateway.sandbox, code, otherPage.cookie))
    expect(await statusOf(otherPage)).toBe(401)
  })

  test('takes a code once, of 20 requests at once', async () => {
    const account = await gateway.createAccount()
    const code = await codeOf(await openPage(gateway.live, account.liveKey))

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signInWith(gateway.sandbox, code)),
    )

    const won = answers.filter(({ status }) => status === 201)
    expect(won).toHaveLength(1)
    expectRefused(...answers.filter((answer) => !won.includes(answer)))
    expectRefused(await previewOf(gateway.sandbox, code))
  })

  const ends: readonly (readonly [string, (page: Page, account: TestAccount) => Promise<void>])[] =
    [
      [
        'an expired code',
        async ({ sessionId }) => {
          await gateway.database.query(
            'UPDATE oauth.session_handover SET expires_at = now() WHERE session_id = $1',
            [sessionId],
          )
        },
      ],
      [
        'a session that has signed out',
        async (page) => {
          expect((await page.send('DELETE', '/v1/oauth/session')).status).toBe(200)
        },
      ],
      [
        'a session that has expired',
        async (page) => setSession(gateway, page, `expires_at = now()`),
      ],
      [
        'a key that was revoked',
        async (page, { liveKey }) => {
          const { key_id: id } = await sessionOf(page)
          const answer = await gateway.live.request(`/v1/account/keys/${id}`, {
            ...{ method: 'DELETE', key: liveKey },
          })
          expect(answer.status).toBe(200)
        },
      ],
      [
        'a suspended account',
        async (_, { id }) => {
          await gateway.graphql(
            'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
            { input: { id, status: 'SUSPENDED' } },
          )
        },
      ],
    ]

  test.each(ends)('refuses %s', async (_what, end) => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    const code = await codeOf(live)
    await end(live, account)

    expectRefused(await previewOf(gateway.sandbox, code), await signInWith(gateway.sandbox, code))
    const rows = await gateway.database.query(
      `SELECT id FROM oauth.session WHERE account_id = $1 AND environment = 'sandbox'`,
      [account.id],
    )
    expect(rows).toEqual([])
  })

  test('refuses a code on the listener that it comes from', async () => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    const code = await codeOf(live)

    expectRefused(
      await previewOf(gateway.live, code, live.cookie),
      await signInWith(gateway.live, code, live.cookie),
    )
    expect(await statusOf(live)).toBe(200)
    opened(gateway.sandbox, await signInWith(gateway.sandbox, code))
  })
})

describe('the way back to live', () => {
  test('leads to the session that the browser has there, as it was', async () => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    const before = await sessionOf(live)
    const sandbox = await follow(live, 'sandbox')

    const back = await follow(sandbox, 'live', live.cookie)

    expect(back.sessionId).toBe(live.sessionId)
    expect(back.cookie).not.toBe(live.cookie)
    expect(await sessionOf(back)).toEqual(before)
    // Requests that are under way have the cookie of before.
    expect([await statusOf(back), await statusOf(live), await statusOf(sandbox)]).toEqual([
      ...[200, 200, 200],
    ])
    await setSession(gateway, live, 'previous_until = now()')
    expect([await statusOf(back), await statusOf(live)]).toEqual([200, 401])
  })

  test('needs the cookie of the session there, also where another account is signed in', async () => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const live = await openPage(gateway.live, account.liveKey)
    const sandbox = await follow(live, 'sandbox')
    const elsewhere = await openPage(gateway.live, other.liveKey)
    const sameKey = await openPage(gateway.live, account.liveKey)
    const code = await codeOf(sandbox)

    for (const cookie of [undefined, elsewhere.cookie, sameKey.cookie]) {
      expectRefused(
        await previewOf(gateway.live, code, cookie),
        await signInWith(gateway.live, code, cookie),
      )
    }
    // No session has ended, and the code has not been used.
    expect([await statusOf(elsewhere), await statusOf(sameKey)]).toEqual([200, 200])
    const back = opened(gateway.live, await signInWith(gateway.live, code, live.cookie))
    expect(back.sessionId).toBe(live.sessionId)
  })

  test('does not make a proven cookie of one from before a step-up', async () => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    const sandbox = await follow(live, 'sandbox')
    const proven = await openPage(gateway.live, account.liveKey, live)
    const code = await codeOf(sandbox)

    const { status, headers } = await signInWith(gateway.live, code, live.cookie)

    expect([status, headers.get('set-cookie')]).toEqual([404, null])
    expect(await statusOf(proven)).toBe(200)
    const back = opened(gateway.live, await signInWith(gateway.live, code, proven.cookie))
    expect(back.sessionId).toBe(live.sessionId)
  })

  test('and there again uses the same two sessions', async () => {
    const account = await gateway.createAccount()
    const live = await personPage(account)
    const sandbox = await follow(live, 'sandbox')
    const back = await follow(sandbox, 'live', live.cookie)

    const there = await follow(back, 'sandbox', sandbox.cookie)

    expect([back.sessionId, there.sessionId]).toEqual([live.sessionId, sandbox.sessionId])
    expect(await sessionOf(there)).toMatchObject({ is_proven: false, is_open: true })
  })
})

describe('a session that was handed over ends with its parent', () => {
  const ends: readonly (readonly [string, (page: Page, account: TestAccount) => Promise<void>])[] =
    [
      [
        'signed out',
        async (page) => {
          expect((await page.send('DELETE', '/v1/oauth/session')).status).toBe(200)
        },
      ],
      [
        'signed in anew with another key',
        async (page, account) => {
          const { plaintext } = await gateway.createKey(account.id)
          await openPage(gateway.live, plaintext, page)
        },
      ],
      [
        'its key revoked',
        async (page, { liveKey }) => {
          const { key_id: id } = await sessionOf(page)
          const answer = await gateway.live.request(`/v1/account/keys/${id}`, {
            ...{ method: 'DELETE', key: liveKey },
          })
          expect(answer.status).toBe(200)
        },
      ],
    ]

  test.each(ends)('%s', async (_how, end) => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    const sandbox = await follow(live, 'sandbox')
    expect(await statusOf(sandbox)).toBe(200)

    await end(live, account)

    expect(await statusOf(sandbox)).toBe(401)
  })

  test('expired: it has the end of its parent', async () => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    await setSession(gateway, live, `expires_at = now() + interval '10 minutes'`)

    const sandbox = await follow(live, 'sandbox')

    expect((await sessionOf(sandbox)).expires_at).toEqual((await sessionOf(live)).expires_at)
  })

  test('its own end leaves the parent', async () => {
    const account = await gateway.createAccount()
    const live = await openPage(gateway.live, account.liveKey)
    const sandbox = await follow(live, 'sandbox')

    expect((await sandbox.send('DELETE', '/v1/oauth/session')).status).toBe(200)

    expect([await statusOf(live), await statusOf(sandbox)]).toEqual([200, 401])
  })
})

describe('the session of a live key on the sandbox', () => {
  test('acts on what the sandbox has, with the scopes of the key', async () => {
    const account = await gateway.createAccount()
    const scopes = ['account:read', 'keys:read', 'contacts:write']
    const { plaintext } = await gateway.createKey(account.id, { scopes })
    const sandbox = await follow(await openPage(gateway.live, plaintext), 'sandbox')

    const keys = await sandbox.get('/v1/account/keys')
    const call = await sandbox.send('POST', '/v1/contacts/reveal', { contact_id: 'con_1' })
    const billing = await sandbox.get('/v1/account/billing')

    const environments = Object(keys.body).items.map((key: object) => Object(key).environment)
    expect([keys.status, environments]).toEqual([200, ['sandbox']])
    expect([call.status, call.headers.get('x-credits-charged')]).toEqual([200, '0'])
    expectError(gateway, billing, { status: 403, code: 'FORBIDDEN' })
  })
})

describe('what needs a fresh proof in a session that was handed over', () => {
  test.each([
    ['a live key: one steps up in live', 'key', []],
    ['a person: by a link of the sandbox', 'person', ['portal_link']],
  ])('names no method that cannot work for %s', async (_who, who, methods) => {
    const account = await gateway.createAccount()
    const live =
      who === 'key' ? await openPage(gateway.live, account.liveKey) : await personPage(account)
    const sandbox = await follow(live, 'sandbox')
    const create = (page: Page) => page.send('POST', '/v1/account/keys', { name: 'Mine' })

    const refused = await create(sandbox)

    const returnUrl = who === 'key' ? null : `${gateway.live.url}/back`
    expect(refused.status).toBe(403)
    expect(Object(refused.body).error).toMatchObject({
      code: 'STEP_UP_REQUIRED',
      details: { methods, return_url: returnUrl },
    })
    if (who === 'key') return
    const link = { accountId: account.id, environment: 'SANDBOX', ...person } as const
    const proof = { portal_token: await linkToken(gateway, link) }
    const proven = opened(gateway.sandbox, await signInWith(gateway.sandbox, proof, sandbox.cookie))
    expect(proven.sessionId).toBe(sandbox.sessionId)
    expect((await create(proven)).status).toBe(201)
  })
})

describe('the audit trail', () => {
  test('has a line of the handover in live, and of the session in the sandbox', async () => {
    const account = await gateway.createAccount()
    const live = await personPage(account)
    const sandbox = await follow(live, 'sandbox')
    const lines = () =>
      gateway.database.query(
        `SELECT environment, actor_kind, actor_id, action, resource_id, details
         FROM usage.audit_event WHERE account_id = $1
           AND (action = 'session.hand_over' OR action = 'session.open' AND environment = 'sandbox')
         ORDER BY occurred_at, id`,
        [account.id],
      )

    await vi.waitFor(async () => expect(await lines()).toHaveLength(2), patience)
    const by = { actor_kind: 'session', actor_id: person.actor }
    expect(await lines()).toEqual([
      {
        ...{ ...by, environment: 'live', action: 'session.hand_over' },
        ...{ resource_id: live.sessionId, details: { environment: 'sandbox' } },
      },
      {
        ...{ ...by, environment: 'sandbox', action: 'session.open' },
        ...{ resource_id: sandbox.sessionId, details: { parent_id: live.sessionId } },
      },
    ])
  })
})
