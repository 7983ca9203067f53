import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  authorize,
  newChallenge,
  type Parameters,
  queryOf,
  redirectUri,
  refusalOf,
  registerApp,
  requestOf,
  shownClient,
  unknownApp,
} from '../../../support/oauth/asking.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'authorize=0,register=0' })
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

/** The refusals of one request: the 422 as `field: message`, and the code for the app. */
async function refused(changes: Parameters, oauth_error = 'invalid_request'): Promise<string[]> {
  const response = await authorize(gateway.live, requestOf(app, changes))
  return refusalOf(gateway, response, { oauth_error })
}

/** The description of a request, without its expiry, which differs each time. */
async function acceptedQuery(query: string) {
  const { status, body } = await authorize(gateway.live, query)
  expect([status, body]).toEqual([200, expect.anything()])
  const { expires_at, ...shown } = Object(body)
  expect(expires_at).toMatch(/^\d{4}-.*Z$/)
  return shown
}

const accepted = (changes: Parameters) => acceptedQuery(requestOf(app, changes))

/** Where the app asks for a sign-in of its own. */
const continued = { continue_token: expect.stringMatching(/^\d+\.[\w-]+\.[\w-]+$/) }

describe('GET /v1/oauth/authorize, presence of parameters', () => {
  const everyParameter = [
    'client_id',
    'redirect_uri',
    'response_type',
    'response_mode',
    'scope',
    'state',
    'nonce',
    'code_challenge',
    'code_challenge_method',
    'prompt',
    'max_age',
    'resource',
    'request',
    'request_uri',
    'registration',
  ]

  test.each(everyParameter)(
    'refuses %s twice, also with the same value (docs/oauth-rules.md 4)',
    async (name) => {
      const single = new URLSearchParams(requestOf(app))
      const query = `?${single}&${queryOf({ [name]: single.has(name) ? 'x' : ['x', 'x'] }).slice(1)}`

      const named = refusalOf(gateway, await authorize(gateway.live, query))

      expect(named).toEqual([`${name}: must be sent once`])
    },
  )

  test('names every parameter that is sent twice (docs/oauth-rules.md 4)', async () => {
    const twice = Object.fromEntries(everyParameter.map((name) => [name, ['x', 'y']]))

    const named = refusalOf(gateway, await authorize(gateway.live, queryOf(twice)))

    expect(named).toEqual(everyParameter.map((name) => `${name}: must be sent once`))
  })

  test('treats an empty parameter as absent (docs/oauth-rules.md 4, 37)', async () => {
    const names = everyParameter.filter((name) => !/^(client_id|redirect_uri)$/.test(name))
    const empty = Object.fromEntries(names.map((name) => [name, '']))

    expect(await accepted(empty)).toEqual({
      client: shownClient(app),
      requested_scope: [],
      ignored_scope: [],
      redirect_uri: redirectUri,
      login_required: true,
      consent_required: true,
    })
  })

  test.each([
    'display',
    'ui_locales',
    'claims',
    'claims_locales',
    'acr_values',
    'login_hint',
    'id_token_hint',
    'extra',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'client_id[]',
    'client_id[0]',
    'redirect_uri[x]',
  ])('ignores %s, also twice (docs/oauth-rules.md 4, 38)', async (name) => {
    const plain = await accepted({})
    const query = `${requestOf(app)}&${queryOf({ [name]: ['{"a":1}', 'b'] }).slice(1)}`

    expect(await acceptedQuery(query)).toEqual(plain)
  })

  test.each([null, ''])(
    'requires client_id and redirect_uri, not %j (docs/oauth-rules.md 22)',
    async (value) => {
      const query = queryOf({ client_id: value, redirect_uri: value })

      const named = refusalOf(gateway, await authorize(gateway.live, query))

      expect(named).toEqual(['client_id: is required', 'redirect_uri: is required'])
    },
  )

  test('requires the redirect URI also when only one is registered (docs/oauth-rules.md 22)', async () => {
    const named = refusalOf(
      gateway,
      await authorize(gateway.live, requestOf(app, { redirect_uri: null })),
    )

    expect(named).toEqual(['redirect_uri: is required'])
  })

  test('names all mistakes at once (docs/oauth-rules.md §2)', async () => {
    const query = queryOf({
      client_id: app.clientId,
      response_type: 'token',
      response_mode: 'fragment',
      code_challenge: 'short',
      code_challenge_method: 'plain',
      scope: 'openid  email',
      state: 'a\tb',
      nonce: 'n'.repeat(513),
      prompt: 'none login',
      max_age: '-1',
      resource: 'https://elsewhere.example/',
      request: 'eyJ',
      request_uri: 'urn:x',
      registration: '{}',
    })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named.map((line) => line.split(':')[0])).toEqual([
      'redirect_uri',
      'request',
      'request_uri',
      'registration',
      'response_type',
      'response_mode',
      'code_challenge',
      'code_challenge_method',
      'scope',
      'state',
      'nonce',
      'prompt',
      'max_age',
      'resource',
    ])
  })

  test('names the other mistakes beside an unknown app too (docs/oauth-rules.md §2)', async () => {
    const query = requestOf(app, { client_id: 'app_nobody', response_type: 'token' })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual([unknownApp, 'response_type: must be code'])
  })

  test.each([
    ['client_id', 512],
    ['redirect_uri', 2048],
    ['scope', 8192],
    ['code_challenge', 8192],
  ])('limits %s to %i characters (docs/oauth-rules.md 4)', async (name, maxLength) => {
    const query = requestOf(app, { [name]: 'a'.repeat(maxLength + 1) })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual([`${name}: must have at most ${maxLength} characters`])
  })

  test('names a parameter that contains NUL (docs/oauth-rules.md 4)', async () => {
    const query = requestOf(app, { client_id: 'a\0', state: '\0' })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual(['client_id: must not contain NUL', 'state: must not contain NUL'])
  })

  test('reads a query of almost 16 KiB, and refuses a longer one (docs/oauth-rules.md 4)', async () => {
    const long = await authorize(gateway.live, `${requestOf(app)}&extra=${'x'.repeat(15 * 1024)}`)
    const longer = await authorize(gateway.live, `${requestOf(app)}&extra=${'x'.repeat(17 * 1024)}`)

    expect(long.status).toBe(200)
    expectError(gateway, longer, { status: 431, code: 'BAD_REQUEST' })
  })

  test('finds a second parameter behind a thousand others (docs/oauth-rules.md 4)', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => `a${index}=`).join('&')

    const query = `${requestOf(app)}&${many}&redirect_uri=https://evil.example/`
    const response = await authorize(gateway.live, query)

    expect(refusalOf(gateway, response)).toEqual(['redirect_uri: must be sent once'])
  })
})

describe('GET /v1/oauth/authorize, values of parameters', () => {
  test.each(['token', 'id_token', 'none', 'code id_token', 'code token', 'Code', ' code'])(
    'refuses the response_type %j (docs/oauth-rules.md 25)',
    async (response_type) => {
      expect(await refused({ response_type }, 'unsupported_response_type')).toEqual([
        'response_type: must be code',
      ])
    },
  )

  test('treats an absent response_type as code (docs/oauth-rules.md 25)', async () => {
    expect(await accepted({ response_type: 'code' })).toEqual(await accepted({}))
  })

  test.each(['fragment', 'form_post', 'query.jwt', 'jwt', 'QUERY'])(
    'refuses the response_mode %j (docs/oauth-rules.md 26)',
    async (response_mode) => {
      expect(await refused({ response_mode }, 'unsupported_response_mode')).toEqual([
        'response_mode: must be query',
      ])
    },
  )

  test('accepts query as response_mode (docs/oauth-rules.md 26)', async () => {
    expect(await accepted({ response_mode: 'query' })).toEqual(await accepted({}))
  })

  const noDefault = 'code_challenge_method: must be S256; it has no default here'
  const notOffered = 'code_challenge_method: transform algorithm not supported; use S256'
  const wrongForm = 'code_challenge: must be the base64url SHA-256 of a verifier: 43 characters'
  const challenge = newChallenge()

  test.each([
    ['27', { code_challenge: challenge }, [noDefault]],
    ['28', { code_challenge: challenge, code_challenge_method: 'plain' }, [notOffered]],
    ['28', { code_challenge: challenge, code_challenge_method: 's256' }, [notOffered]],
    ['28', { code_challenge: challenge, code_challenge_method: 'S512' }, [notOffered]],
    ['28', { code_challenge_method: 'S256' }, ['code_challenge: is required']],
    ['28', { code_challenge_method: 'plain' }, ['code_challenge: is required', notOffered]],
    ['29', { code_challenge: 'a'.repeat(42), code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: 'a'.repeat(44), code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: 'a'.repeat(128), code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: `${'a'.repeat(42)}=`, code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: `${'a'.repeat(42)}+`, code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: `${'a'.repeat(42)}/`, code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: `${'a'.repeat(43)}\n`, code_challenge_method: 'S256' }, [wrongForm]],
    ['29', { code_challenge: 'short' }, [wrongForm, noDefault]],
  ])('%s: refuses %j (docs/oauth-rules.md 27-29)', async (_, changes, named) => {
    expect(await refused(changes)).toEqual(named)
  })

  test.each([
    ['a public app', { token_endpoint_auth_method: 'none' }],
    ['a single-page app', { application_type: 'spa' }],
    ['a native app', { application_type: 'native' }],
    ['an app that says so', { require_pkce: true }],
  ])('requires a challenge of %s (docs/oauth-rules.md 30)', async (_, members) => {
    const own = await registerApp(gateway, members)
    const proof = { code_challenge: newChallenge(), code_challenge_method: 'S256' }

    const without = await authorize(gateway.live, requestOf(own))
    const withProof = await authorize(gateway.live, requestOf(own, proof))

    expect(refusalOf(gateway, without, { oauth_error: 'invalid_request' })).toEqual([
      'code_challenge: is required',
    ])
    expect(withProof.status).toBe(200)
  })

  const stateRule = 'state: must have at most 4096 characters, none of them a control character'
  test.each([
    ['4097 characters', 'x'.repeat(4097)],
    ['a tab', 'a\tb'],
    ['a line break', 'a\r\nSet-Cookie: x=y'],
    ['DEL', '\u007f'],
    ['a C1 control', '\u0085'],
    ['half a character', '\ufffd'],
  ])('refuses a state with %s (docs/oauth-rules.md 31)', async (_, state) => {
    expect(await refused({ state })).toEqual([stateRule])
  })

  test('refuses a state that is not UTF-8, because it cannot be returned unchanged (docs/oauth-rules.md 31)', async () => {
    const response = await authorize(gateway.live, `${requestOf(app)}&state=a%FFb`)

    const named = refusalOf(gateway, response, { oauth_error: 'invalid_request' })
    expect(named).toEqual([stateRule])
  })

  test('accepts a state of 4096 and a nonce of 512 characters (docs/oauth-rules.md 31, 32)', async () => {
    const longest = { state: 's'.repeat(4096), nonce: 'n'.repeat(512) }

    expect(await accepted(longest)).toMatchObject({ state: longest.state })
  })

  test.each(['n'.repeat(513), 'a\nb', '\ufffd'])(
    'refuses a nonce like %.8j (docs/oauth-rules.md 32)',
    async (nonce) => {
      expect(await refused({ nonce })).toEqual([
        'nonce: must have at most 512 characters, none of them a control character',
      ])
    },
  )

  test.each([
    'openid  email',
    ' openid',
    'openid ',
    'openid\temail',
    'openid\nemail',
    'openid "email"',
    'open\\id',
    'openid é',
    ' ',
  ])('refuses the scope %j (docs/oauth-rules.md 33)', async (scope) => {
    expect(await refused({ scope }, 'invalid_scope')).toEqual([
      'scope: must be scopes with single spaces between them',
    ])
  })

  test('counts each scope once, in the given order (docs/oauth-rules.md 33)', async () => {
    const { requested_scope: requested } = await accepted({ scope: 'email openid email openid' })

    expect(requested.map(({ name }: { name: string }) => name)).toEqual(['email', 'openid'])
  })

  test.each([
    ['billing:read', 'this app may not have billing:read'],
    ['openid keys:write billing:read', 'this app may not have keys:write billing:read'],
    ['*', 'this app may not have *'],
    ['oauth:consent', 'this app may not have oauth:consent'],
    ['address phone', 'names no scope that is known'],
    ['OPENID', 'names no scope that is known'],
    ['constructor', 'names no scope that is known'],
  ])('refuses the scope %j (docs/oauth-rules.md 34)', async (scope, problem) => {
    expect(await refused({ scope }, 'invalid_scope')).toEqual([`scope: ${problem}`])
  })

  test('leaves out unknown scopes (docs/oauth-rules.md 34)', async () => {
    expect(await accepted({ scope: 'address openid phone' })).toMatchObject({
      requested_scope: [{ name: 'openid' }],
      ignored_scope: ['address', 'phone'],
    })
  })

  test('never implies openid, and ignores nonce and max_age without it (docs/oauth-rules.md 35)', async () => {
    expect(await accepted({ scope: 'account:read', nonce: 'n', max_age: '5' })).toMatchObject({
      requested_scope: [{ name: 'account:read' }],
    })
  })

  test.each([
    ['always', 'must be of none, login, consent, select_account'],
    ['login  consent', 'must be of none, login, consent, select_account'],
    ['LOGIN', 'must be of none, login, consent, select_account'],
    ['none login', 'none must stand alone'],
    ['consent none', 'none must stand alone'],
  ])('refuses the prompt %j (docs/oauth-rules.md 36)', async (prompt, problem) => {
    expect(await refused({ prompt })).toEqual([`prompt: ${problem}`])
  })

  test.each(['none', 'login', 'consent', 'select_account', 'login consent', 'consent login'])(
    'accepts the prompt %j (docs/oauth-rules.md 36)',
    async (prompt) => {
      const isContinued = /login|select_account/.test(prompt)
      expect(await accepted({ prompt })).toEqual({
        ...(await accepted({})),
        ...(isContinued ? continued : {}),
      })
    },
  )

  test.each(['-1', 'abc', '1.5', '1e3', '0x10', ' 5', '+5', '9'.repeat(10)])(
    'refuses the max_age %j (docs/oauth-rules.md 37)',
    async (max_age) => {
      expect(await refused({ max_age })).toEqual([
        'max_age: must be a whole number of seconds, from 0',
      ])
    },
  )

  test.each(['0', '007', '300', '999999999'])(
    'accepts the max_age %j (docs/oauth-rules.md 37)',
    async (max_age) => {
      expect(await accepted({ max_age })).toEqual({
        ...(await accepted({})),
        ...(max_age === '0' ? continued : {}),
      })
    },
  )

  test.each(['request', 'request_uri', 'registration'])(
    'refuses %s (docs/oauth-rules.md 38)',
    async (name) => {
      const named = await refused({ [name]: 'anything' }, `${name}_not_supported`)

      expect(named).toEqual([`${name}: is not supported`])
    },
  )

  test('accepts this API as resource and nothing else (docs/oauth-rules.md 39)', async () => {
    const { baseUrl } = gateway
    for (const resource of [baseUrl, `${baseUrl}/`, `${baseUrl}/v1`, `${baseUrl}/v1/`]) {
      expect(await accepted({ resource })).toEqual(await accepted({}))
    }
    const others = ['https://elsewhere.example', `${baseUrl}/v2`, `${baseUrl}.evil.example`, 'x']
    for (const resource of others) {
      expect(await refused({ resource }, 'invalid_target')).toEqual([
        `resource: must be ${baseUrl}/v1`,
      ])
    }
  })
})
