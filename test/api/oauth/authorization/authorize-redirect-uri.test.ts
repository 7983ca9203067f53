import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'
import {
  approve,
  authorize,
  consent,
  newChallenge,
  queryOf,
  redirectUri,
  refusalOf,
  registerApp,
  requestOf,
} from '../../../support/oauth/asking.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0' })
})
afterAll(() => gateway.close())

const notRegistered = 'redirect_uri: is not registered for this app'

type App = Awaited<ReturnType<typeof registerApp>>

/** By its members: many requests name the same app, and none changes it. */
const apps = new Map<string, Promise<App>>()
let owner: Promise<TestAccount> | null = null

/** Asks with each of them, at the screen and at the decision: the status of both. */
async function statusesOf(members: object, redirect_uri: string): Promise<number[]> {
  const registering = apps.get(JSON.stringify(members)) ?? registerApp(gateway, members)
  apps.set(JSON.stringify(members), registering)
  owner ??= gateway.createAccount()
  const [app, { liveKey }] = await Promise.all([registering, owner])
  const query = requestOf(app, {
    redirect_uri,
    code_challenge: newChallenge(),
    code_challenge_method: 'S256',
  })
  const answers = [
    await authorize(gateway.live, query),
    await consent(gateway.live, query, liveKey),
  ]
  for (const answer of answers) {
    if (answer.status !== 200) expect(refusalOf(gateway, answer)).toEqual([notRegistered])
  }
  return answers.map(({ status }) => status)
}

describe('the comparison of redirect URIs, character by character,', () => {
  const registered = 'https://app.example/call/back?from=svc'

  test('accepts the registered one (docs/oauth-rules.md 23)', async () => {
    expect(await statusesOf({ redirect_uris: [registered] }, registered)).toEqual([200, 200])
  })

  test.each([
    'https://app.example:443/call/back?from=svc',
    'https://APP.example/call/back?from=svc',
    'HTTPS://app.example/call/back?from=svc',
    'http://app.example/call/back?from=svc',
    'https://app.example/call/back/?from=svc',
    'https://app.example/call/back',
    'https://app.example/call/back?',
    'https://app.example/call/back?from=svc&',
    'https://app.example/call/back?from=svc&x=y',
    'https://app.example/call/back?x=y&from=svc',
    'https://app.example/call/back?from=svc#',
    'https://app.example/call/back?from=svc#fragment',
    'https://app.example/call/back/more?from=svc',
    'https://app.example/call/backs?from=svc',
    'https://app.example/CALL/back?from=svc',
    'https://app.example/call%2Fback?from=svc',
    'https://app.example/c%61ll/back?from=svc',
    'https://app.example/call/./back?from=svc',
    'https://app.example/x/../call/back?from=svc',
    'https://app.example//call/back?from=svc',
    'https://app.example\\call\\back?from=svc',
    'https:/app.example/call/back?from=svc',
    'https:app.example/call/back?from=svc',
    '//app.example/call/back?from=svc',
    '/call/back?from=svc',
    'https://app.example./call/back?from=svc',
    'https://sub.app.example/call/back?from=svc',
    'https://app.example.evil.example/call/back?from=svc',
    'https://user@app.example/call/back?from=svc',
    'https://app.example@evil.example/call/back?from=svc',
    'https://evil.example/https://app.example/call/back?from=svc',
    ' https://app.example/call/back?from=svc',
    'https://app.example/call/back?from=svc ',
    'https://app.example/call/back?from=svc\n',
    'https://app.exаmple/call/back?from=svc',
    'https://evil.example/',
    'javascript:alert(1)',
  ])('refuses %j (docs/oauth-rules.md 23)', async (uri) => {
    expect(await statusesOf({ redirect_uris: [registered] }, uri)).toEqual([422, 422])
  })

  test('accepts each registered one, and none of another app (docs/oauth-rules.md 23)', async () => {
    const uris = ['https://one.example/', 'https://two.example/']
    const other = 'https://three.example/'
    await registerApp(gateway, { redirect_uris: [other] })

    expect(await statusesOf({ redirect_uris: uris }, uris[1] ?? '')).toEqual([200, 200])
    expect(await statusesOf({ redirect_uris: uris }, other)).toEqual([422, 422])
  })
})

describe('the port of a redirect URI on loopback', () => {
  const native = { application_type: 'native' }

  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:1/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:65535/callback'],
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1:9090/callback'],
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1/callback'],
    ['http://[::1]/callback', 'http://[::1]:49152/callback'],
    ['http://localhost/callback', 'http://localhost:49152/callback'],
    ['http://localhost', 'http://localhost:3000'],
    ['http://127.0.0.1/cb?from=svc', 'http://127.0.0.1:49152/cb?from=svc'],
    ['com.example.app:/callback', 'com.example.app:/callback'],
    ['https://app.example/callback', 'https://app.example/callback'],
  ])(
    'is free for native apps: registered %s, requested %s (docs/oauth-rules.md 24)',
    async (registered, asked) => {
      const members = { ...native, redirect_uris: [registered] }

      expect(await statusesOf(members, asked)).toEqual([200, 200])
    },
  )

  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:0/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:65536/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:99999/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:80a/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:-1/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback/'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/other'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback?x=y'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback#x'],
    ['http://127.0.0.1/callback', 'https://127.0.0.1:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.2:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.1:49152/callback'],
    ['http://127.0.0.1/callback', 'http://2130706433:49152/callback'],
    ['http://127.0.0.1/callback', 'http://localhost:49152/callback'],
    ['http://localhost/callback', 'http://127.0.0.1:49152/callback'],
    ['http://localhost/callback', 'http://LOCALHOST:49152/callback'],
    ['http://localhost/callback', 'http://localhost.evil.example:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:80@evil.example/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1@evil.example:80/callback'],
    ['http://127.0.0.1/callback', 'http://user:pw@127.0.0.1:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:80\\@evil.example/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:80/callback\n'],
    ['http://[::1]/callback', 'http://[0:0:0:0:0:0:0:1]:49152/callback'],
    ['http://[::1]/callback', 'http://[::ffff:127.0.0.1]:49152/callback'],
    ['http://[::1]/callback', 'http://[::1%25lo]:49152/callback'],
    ['http://127.0.0.1/cb?from=svc', 'http://127.0.0.1:49152/cb?from=other'],
    ['https://app.example/callback', 'https://app.example:8443/callback'],
    ['com.example.app:/callback', 'com.example.app:/other'],
    ['com.example.app:/callback', 'com.example.app://callback'],
  ])(
    'is compared: registered %s, requested %s (docs/oauth-rules.md 24)',
    async (registered, asked) => {
      const members = { ...native, redirect_uris: [registered] }

      expect(await statusesOf(members, asked)).toEqual([422, 422])
    },
  )

  test.each(['web', 'spa'])(
    'is fixed for an app of the type %s (docs/oauth-rules.md 24)',
    async (application_type) => {
      const members = { application_type, redirect_uris: ['http://127.0.0.1:8080/callback'] }

      expect(await statusesOf(members, 'http://127.0.0.1:8080/callback')).toEqual([200, 200])
      expect(await statusesOf(members, 'http://127.0.0.1:9090/callback')).toEqual([422, 422])
    },
  )

  test('of the request is bound to the code (docs/oauth-rules.md 24, 44)', async () => {
    const app = await registerApp(gateway, {
      ...native,
      redirect_uris: ['http://127.0.0.1/callback'],
    })
    const owner = await gateway.createAccount()
    const proof = { code_challenge: newChallenge(), code_challenge_method: 'S256' }
    const asked = 'http://127.0.0.1:49152/callback'

    const { redirectTo } = await approve(
      gateway.live,
      requestOf(app, { ...proof, redirect_uri: asked }),
      owner.liveKey,
    )

    expect(redirectTo.origin + redirectTo.pathname).toBe(asked)
    const codes = await gateway.database.query(
      'SELECT redirect_uri FROM oauth.authorization_code WHERE account_id = $1',
      [owner.id],
    )
    expect(codes).toEqual([{ redirect_uri: asked }])
  })
})

describe('the answer to the app in the query of its redirect URI', () => {
  test.each([
    ['https://app.example', 'https://app.example/?'],
    ['https://app.example/cb', 'https://app.example/cb?'],
    ['https://app.example/cb?', 'https://app.example/cb?'],
    ['https://app.example/cb?from=svc', 'https://app.example/cb?from=svc&'],
    [
      "https://app.example/cb?a=b%20c+d&empty=&flag&e=%C3%A9~'&a=/b",
      'https://app.example/cb?a=b%20c+d&empty=&flag&e=%C3%A9~%27&a=/b&',
    ],
    ['https://app.example:8443/a%20b/c', 'https://app.example:8443/a%20b/c?'],
    ['http://localhost:3000/cb', 'http://localhost:3000/cb?'],
    ['com.example.app:/cb', 'com.example.app:/cb?'],
    ['com.example.app:/cb?x=1', 'com.example.app:/cb?x=1&'],
  ])('leaves %s as it is (docs/oauth-rules.md 45)', async (uri, start) => {
    const isNative = uri.startsWith('com.')
    const app = await registerApp(gateway, {
      application_type: isNative ? 'native' : 'web',
      redirect_uris: [uri],
    })
    const owner = await gateway.createAccount()
    const query = requestOf(app, {
      redirect_uri: uri,
      code_challenge: newChallenge(),
      code_challenge_method: 'S256',
    })
    const iss = new URLSearchParams({ iss: `${gateway.baseUrl}/v1` })

    const { code, redirectTo } = await approve(gateway.live, query, owner.liveKey)
    const { body } = await consent(gateway.live, `${query}&decision=deny`, owner.liveKey)

    expect(redirectTo.href).toBe(`${start}code=${code}&${iss}`)
    expect(Object(body).redirect_to).toBe(`${start}error=access_denied&${iss}`)
  })

  test.each([
    'plain',
    'with space and + and %20',
    'a&code=evil&iss=https://evil.example',
    'a=b=c',
    'a#fragment',
    '"quoted" \'single\' `back`',
    '<script>alert(1)</script>',
    'ünïcödé 漢字',
    '😀🏴‍☠️',
    '\u200f\u202eright to left',
    '\ufeffmark',
    '%',
    '%zz%0d%0a',
    '/../..//?;:@[]{}|\\^~*!()',
    '{"json":[1,null]}',
    's'.repeat(4096),
  ])('returns the state %.30j unchanged (docs/oauth-rules.md 31, 45)', async (state) => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const query = requestOf(app, { state })

    const shown = await authorize(gateway.live, query)
    const approved = await consent(gateway.live, query, owner.liveKey)
    const denied = await consent(gateway.live, `${query}&decision=deny`, owner.liveKey)
    const refused = await authorize(gateway.live, `${query}&prompt=x`, owner.liveKey)

    expect(Object(shown.body).state).toBe(state)
    expect(Object(approved.body).state).toBe(state)
    expect(Object(denied.body).state).toBe(state)
    const addresses = [
      Object(approved.body).redirect_to,
      Object(denied.body).redirect_to,
      Object(refused.body).error.redirect_to,
    ]
    for (const address of addresses) {
      const { hash, origin, pathname, searchParams } = new URL(address)
      expect([origin + pathname, hash]).toEqual([redirectUri, ''])
      expect(searchParams.getAll('state')).toEqual([state])
      expect(searchParams.getAll('iss')).toEqual([`${gateway.baseUrl}/v1`])
      expect([...searchParams.keys()]).toHaveLength(3)
    }
  })

  test.each([null, ''])(
    'contains no state when the request has none (%j) (docs/oauth-rules.md 31)',
    async (state) => {
      const app = await registerApp(gateway)
      const owner = await gateway.createAccount()
      const query = queryOf({
        client_id: app.clientId,
        redirect_uri: redirectUri,
        scope: 'openid',
        state,
      })

      const { body } = await consent(gateway.live, query, owner.liveKey)
      const denied = await consent(gateway.live, `${query}&decision=deny`, owner.liveKey)

      expect(body).not.toHaveProperty('state')
      expect(denied.body).not.toHaveProperty('state')
      for (const answer of [body, denied.body]) {
        expect(new URL(Object(answer).redirect_to).searchParams.has('state')).toBe(false)
      }
    },
  )
})
