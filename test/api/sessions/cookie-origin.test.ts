import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { ofOwnPage, openPage, type Page } from '../../support/oauth/sessions.ts'
import { openRequest } from '../../support/requests/open-request.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

const foreign = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'The session may not be used from the page of another origin.',
} as const

type Headers = Readonly<Record<string, string>>

/** A request of a session for each kind of route, and the status of the answer if it may ask. */
const requests = {
  read: { method: 'GET', path: '/v1/account', status: 200 },
  list: { method: 'GET', path: '/v1/account/keys', status: 200 },
  document: { method: 'GET', path: `/v1/billing/invoices/${newId('inv')}.pdf`, status: 404 },
  change: {
    method: 'PATCH',
    path: '/v1/account/keys/OWN',
    body: { name: 'Renamed' },
    status: 200,
  },
  removal: { method: 'DELETE', path: `/v1/account/webhooks/${newId('whe')}`, status: 404 },
  quote: {
    method: 'POST',
    path: '/v1/quotes',
    body: { calls: [{ method: 'GET', path: '/v1/seo/keywords?topic=tea' }] },
    status: 200,
  },
  'free product': { method: 'GET', path: '/v1/cloud/files', status: 200 },
  product: { method: 'POST', path: '/v1/contacts/search', body: { query: 'a' }, status: 200 },
} as const

type RequestName = keyof typeof requests
const all = Object.keys(requests) as RequestName[]

interface Signed {
  readonly accountId: string
  readonly keyId: string
  readonly page: Page
}

async function signIn(): Promise<Signed> {
  const { id: accountId } = await gateway.createAccount()
  const { id: keyId, plaintext } = await gateway.createKey(accountId)
  return { accountId, keyId, page: await openPage(gateway.live, plaintext) }
}

function ask({ page, keyId }: Signed, name: RequestName, headers: Headers) {
  const { method, path, ...rest } = requests[name]
  const body = 'body' in rest ? rest.body : undefined
  const sent = { method, body, headers: { cookie: page.cookie, ...headers } }
  return gateway.live.request(path.replace('OWN', keyId), sent)
}

const free = ['read', 'list', 'document'] as const

describe('a cookie counts', () => {
  test.each<[string, Headers, readonly RequestName[]]>([
    ['for a page of its own origin', ofOwnPage, all],
    ['for its own page, as browsers say it', { ...ofOwnPage, origin: 'OWN' }, all],
    ['for the own Origin of an older browser', { origin: 'OWN' }, all],
    [
      'for no more than a document from the address bar',
      { 'sec-fetch-site': 'none' },
      ['document'],
    ],
    [
      'for no more than a document from the address bar, whatever the Origin',
      { 'sec-fetch-site': 'none', origin: 'OWN' },
      ['document'],
    ],
    ['for free reads without both headers', {}, free],
    ['for nothing of the same site', { 'sec-fetch-site': 'same-site' }, []],
    [
      'for nothing of the same site, though it names our Origin',
      { 'sec-fetch-site': 'same-site', origin: 'OWN' },
      [],
    ],
    ['for nothing of another site', { 'sec-fetch-site': 'cross-site' }, []],
    ['for nothing with two values', { 'sec-fetch-site': 'same-origin, cross-site' }, []],
    ['for nothing with an unknown value', { 'sec-fetch-site': 'Same-Origin' }, []],
    ['for nothing of another Origin', { origin: 'https://evil.example' }, []],
    ['for nothing of a sandboxed frame', { origin: 'null' }, []],
    ['for nothing of the other listener', { origin: 'SANDBOX' }, []],
    ['for nothing of our origin with another scheme', { origin: 'HTTPS' }, []],
    ['for nothing of an origin that begins as ours', { origin: 'OWN.evil.example' }, []],
  ])('%s', async (_, given, allowed) => {
    const signed = await signIn()
    const own = gateway.baseUrl
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value
          .replace('OWN', own)
          .replace('SANDBOX', gateway.sandbox.url)
          .replace('HTTPS', own.replace('http:', 'https:')),
      ]),
    )
    const readState = () =>
      gateway.database.query(
        `SELECT k.name, b.balance FROM keys.api_key k JOIN account.balance b
           ON b.account_id = k.account_id AND b.environment = 'live' WHERE k.id = $1`,
        [signed.keyId],
      )
    const before = await readState()

    for (const name of all) {
      const response = await ask(signed, name, headers)
      if (!allowed.includes(name)) expectError(gateway, response, foreign)
      else expect([name, response.status]).toEqual([name, requests[name].status])
    }

    if (!allowed.includes('change')) expect(await readState()).toEqual(before)
  })

  test('for no page of FIRST_PARTY_ORIGINS: those ask for consent only', async () => {
    const dashboard = 'https://dashboard.example'
    const named = await startTestGateway(
      { FIRST_PARTY_ORIGINS: dashboard },
      { database: gateway.database },
    )
    try {
      const { liveKey } = await gateway.createAccount()
      const page = await openPage(named.live, liveKey)
      const { cookie } = page
      const get = (headers: Headers) =>
        named.live.get('/v1/account', undefined, { cookie, ...headers })

      expectError(named, await get({ origin: dashboard }), foreign)
      expect((await get({ origin: named.baseUrl })).status).toBe(200)
    } finally {
      await named.close()
    }
  })
})

describe('a product call by session', () => {
  /** With exactly these headers: `fetch` writes its own mode. */
  async function rawly(method: string, path: string, headers: Headers, body?: object) {
    const text = body === undefined ? '' : JSON.stringify(body)
    const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const url = gateway.baseUrl + path
    return (await openRequest(url, { method, headers: { ...headers, ...type }, body: text })).send()
  }

  const unspent = async ({ accountId }: Signed) => {
    const charges = await gateway.database.query(
      `SELECT 1 FROM account.ledger_entry WHERE account_id = $1 AND kind = 'charge'`,
      [accountId],
    )
    expect(charges).toEqual([])
  }

  test.each<[string, string | undefined, string | undefined]>([
    ['a link', 'navigate', 'document'],
    ['a frame', 'navigate', 'iframe'],
    ['an image', 'no-cors', 'image'],
    ['an image with crossorigin', 'cors', 'image'],
    ['a script element', 'no-cors', 'script'],
    ['a style sheet', 'no-cors', 'style'],
    ['a prefetch', 'no-cors', 'empty'],
    ['a ping', 'no-cors', 'empty'],
    ['a browser without Sec-Fetch-Dest', 'cors', undefined],
    ['a browser without Sec-Fetch-Mode', undefined, 'empty'],
  ])('is refused to %s of the own page, and costs nothing', async (_, mode, dest) => {
    const signed = await signIn()
    const headers = {
      'sec-fetch-site': 'same-origin',
      ...(mode === undefined ? {} : { 'sec-fetch-mode': mode }),
      ...(dest === undefined ? {} : { 'sec-fetch-dest': dest }),
      cookie: signed.page.cookie,
    }

    const answers = [
      await rawly('GET', '/v1/seo/keywords?topic=tea', headers),
      await rawly('GET', `/v1/contacts/${newId('req')}`, headers),
      await rawly('POST', '/v1/contacts/search', headers, { query: 'a' }),
    ]

    for (const answer of answers) {
      expectError(gateway, answer, {
        ...{ status: 403, code: 'FORBIDDEN' },
        message:
          'A session calls a product only by a script of the page, not by a link or an image.',
      })
    }
    await unspent(signed)
    // What costs nothing may be asked for so.
    expect((await rawly('GET', '/v1/account', headers)).status).toBe(200)
  })

  test.each(['cors', 'same-origin'])('is served to a script in the mode %s', async (mode) => {
    const { page } = await signIn()

    const { status, headers } = await rawly('GET', '/v1/seo/keywords?topic=tea', {
      ...{ ...ofOwnPage, 'sec-fetch-mode': mode, cookie: page.cookie },
    })

    expect([status, headers.get('x-credits-charged')]).toEqual([200, '2'])
  })
})

describe('a change by session', () => {
  test.each<[string, Headers]>([
    ['of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['of a form with files', { 'content-type': 'multipart/form-data; boundary=a' }],
    ['of a page without CORS', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['with a type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ['with a type that hides a form', { 'content-type': 'text/plain; application/json' }],
    ['with an empty type', { 'content-type': '' }],
  ])('must be JSON, not %s', async (_, headers) => {
    const { keyId, page } = await signIn()
    const change = { name: 'Renamed' }

    const refused = await page.send('PATCH', `/v1/account/keys/${keyId}`, change, headers)
    const called = await page.send('POST', '/v1/contacts/search', { query: 'a' }, headers)

    for (const response of [refused, called]) {
      expectError(gateway, response, {
        status: 403,
        code: 'FORBIDDEN',
        message: 'A session changes something only with a body of application/json.',
      })
    }
    const [key] = await gateway.database.query('SELECT name FROM keys.api_key WHERE id = $1', [
      keyId,
    ])
    expect(key).not.toMatchObject(change)
  })

  test('needs no type without a body', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { id: keyId } = await gateway.createKey(id)
    const page = await openPage(gateway.live, liveKey)

    const { status } = await page.send('DELETE', `/v1/account/keys/${keyId}`)

    expect(status).toBe(200)
  })
})

describe('what a foreign page asks for in the name of a session', () => {
  test('leaves a line in the audit trail, and uses up nothing of the account', async () => {
    const signed = await signIn()

    const refused = await ask(signed, 'product', { 'sec-fetch-site': 'cross-site' })

    expectError(gateway, refused, foreign)
    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        `SELECT action, result, account_id, actor_kind, actor_id, details
         FROM usage.audit_event WHERE request_id = $1`,
        [refused.headers.get('x-request-id')],
      )
      expect(lines).toEqual([
        {
          ...{ action: 'access.deny', result: 'FORBIDDEN', account_id: signed.accountId },
          ...{ actor_kind: 'key', actor_id: signed.keyId },
          details: { method: 'POST', endpoint: '/v1/contacts/search', not_recorded_before: 0 },
        },
      ])
    }, patience)
  })

  test('is readable by no page: no answer of a session permits credentials', async () => {
    const signed = await signIn()

    for (const name of all) {
      for (const origin of [gateway.baseUrl, 'https://evil.example']) {
        const { headers } = await ask(signed, name, { origin })
        expect([name, headers.get('access-control-allow-credentials')]).toEqual([name, null])
      }
    }
    const { headers } = await gateway.live.request('/v1/account/keys', {
      method: 'OPTIONS',
      headers: { origin: gateway.baseUrl, 'access-control-request-method': 'POST' },
    })
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('with a header Authorization', () => {
  test.each([
    ['Bearer', 'AUTHENTICATION_REQUIRED'],
    ['Basic YTpi', 'AUTHENTICATION_REQUIRED'],
    ['', 'AUTHENTICATION_REQUIRED'],
    [`Bearer svc_live_${'a'.repeat(39)}`, 'INVALID_API_KEY'],
  ])('%j the cookie is ignored', async (authorization, code) => {
    const { liveKey } = await gateway.createAccount()
    const page = await openPage(gateway.live, liveKey)

    const response = await page.get('/v1/account', { authorization })

    expectError(gateway, response, { status: 401, code })
  })

  test('of another account, that account is the caller', async () => {
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()]
    const page = await openPage(gateway.live, one.liveKey)

    const own = await page.get('/v1/account')
    const other = await page.get('/v1/account', { authorization: `Bearer ${two.liveKey}` })

    expect([own.status, Object(own.body).id]).toEqual([200, one.id])
    expect([other.status, Object(other.body).id]).toEqual([200, two.id])
  })
})
