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

/** Of one request: the 422 as `field: message`, and the code for the app. */
async function refused(changes: Parameters, oauth_error = 'invalid_request'): Promise<string[]> {
  const response = await authorize(gateway.live, requestOf(app, changes))
  return refusalOf(gateway, response, { oauth_error })
}

/** What is shown of a request, but for its end, which differs from one time to the next. */
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

describe('GET /v1/oauth/authorize: which parameters are there', () => {
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

  test.each(everyParameter)('rule 4: refuses %s twice, also with the same value', async (name) => {
    const single = new URLSearchParams(requestOf(app))
    const query = `?${single}&${queryOf({ [name]: single.has(name) ? 'x' : ['x', 'x'] }).slice(1)}`

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual([`${name}: must be sent once`])
  })

  test('rule 4: names every parameter that is there twice', async () => {
    const twice = Object.fromEntries(everyParameter.map((name) => [name, ['x', 'y']]))

    const named = refusalOf(gateway, await authorize(gateway.live, queryOf(twice)))

    expect(named).toEqual(everyParameter.map((name) => `${name}: must be sent once`))
  })

  test('rules 4, 37: an empty parameter is an absent one', async () => {
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
  ])('rules 4, 38: ignores %s, also twice', async (name) => {
    const plain = await accepted({})
    const query = `${requestOf(app)}&${queryOf({ [name]: ['{"a":1}', 'b'] }).slice(1)}`

    expect(await acceptedQuery(query)).toEqual(plain)
  })

  test.each([null, ''])('rule 22: requires client_id and redirect_uri, not %j', async (value) => {
    const query = queryOf({ client_id: value, redirect_uri: value })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual(['client_id: is required', 'redirect_uri: is required'])
  })

  test('rule 22: a redirect URI is never taken for granted, also where there is only one', async () => {
    const named = refusalOf(
      gateway,
      await authorize(gateway.live, requestOf(app, { redirect_uri: null })),
    )

    expect(named).toEqual(['redirect_uri: is required'])
  })

  test('§2: names everything that is wrong at once', async () => {
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

  test('§2: names what is wrong beside an unknown app too', async () => {
    const query = requestOf(app, { client_id: 'app_nobody', response_type: 'token' })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual([unknownApp, 'response_type: must be code'])
  })

  test.each([
    ['client_id', 512],
    ['redirect_uri', 2048],
    ['scope', 8192],
    ['code_challenge', 8192],
  ])('rule 4: %s has at most %i characters', async (name, maxLength) => {
    const query = requestOf(app, { [name]: 'a'.repeat(maxLength + 1) })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual([`${name}: must have at most ${maxLength} characters`])
  })

  test('rule 4: NUL is named', async () => {
    const query = requestOf(app, { client_id: 'a\0', state: '\0' })

    const named = refusalOf(gateway, await authorize(gateway.live, query))

    expect(named).toEqual(['client_id: must not contain NUL', 'state: must not contain NUL'])
  })

  test('rule 4: a query of almost 16 KiB is read, and a longer one is refused', async () => {
    const long = await authorize(gateway.live, `${requestOf(app)}&extra=${'x'.repeat(15 * 1024)}`)
    const longer = await authorize(gateway.live, `${requestOf(app)}&extra=${'x'.repeat(17 * 1024)}`)

    expect(long.status).toBe(200)
    expectError(gateway, longer, { status: 431, code: 'BAD_REQUEST' })
  })

  test('rule 4: a thousand parameters more cannot hide a second one', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => `a${index}=`).join('&')

    const query = `${requestOf(app)}&${many}&redirect_uri=https://evil.example/`
    const response = await authorize(gateway.live, query)

    expect(refusalOf(gateway, response)).toEqual(['redirect_uri: must be sent once'])
  })
})

describe('GET /v1/oauth/authorize: each parameter', () => {
  test.each(['token', 'id_token', 'none', 'code id_token', 'code token', 'Code', ' code'])(
    'rule 25: refuses the response_type %j',
    async (response_type) => {
      expect(await refused({ response_type }, 'unsupported_response_type')).toEqual([
        'response_type: must be code',
      ])
    },
  )

  test('rule 25: response_type is code, said or unsaid', async () => {
    expect(await accepted({ response_type: 'code' })).toEqual(await accepted({}))
  })

  test.each(['fragment', 'form_post', 'query.jwt', 'jwt', 'QUERY'])(
    'rule 26: refuses the response_mode %j',
    async (response_mode) => {
      expect(await refused({ response_mode }, 'unsupported_response_mode')).toEqual([
        'response_mode: must be query',
      ])
    },
  )

  test('rule 26: response_mode may be query', async () => {
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
  ])('rules 27-29, here %s: refuses %j', async (_, changes, named) => {
    expect(await refused(changes)).toEqual(named)
  })

  test.each([
    ['a public app', { token_endpoint_auth_method: 'none' }],
    ['a single-page app', { application_type: 'spa' }],
    ['a native app', { application_type: 'native' }],
    ['an app that says so', { require_pkce: true }],
  ])('rule 30: %s needs a challenge', async (_, members) => {
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
  ])('rule 31: refuses a state with %s', async (_, state) => {
    expect(await refused({ state })).toEqual([stateRule])
  })

  test('rule 31: what is no UTF-8 cannot be given back as it came, and is refused', async () => {
    const response = await authorize(gateway.live, `${requestOf(app)}&state=a%FFb`)

    const named = refusalOf(gateway, response, { oauth_error: 'invalid_request' })
    expect(named).toEqual([stateRule])
  })

  test('rules 31, 32: takes a state of 4096 and a nonce of 512 characters', async () => {
    const longest = { state: 's'.repeat(4096), nonce: 'n'.repeat(512) }

    expect(await accepted(longest)).toMatchObject({ state: longest.state })
  })

  test.each(['n'.repeat(513), 'a\nb', '\ufffd'])(
    'rule 32: refuses a nonce like %.8j',
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
  ])('rule 33: refuses the scope %j', async (scope) => {
    expect(await refused({ scope }, 'invalid_scope')).toEqual([
      'scope: must be scopes with single spaces between them',
    ])
  })

  test('rule 33: each scope counts once, in the order in which it came', async () => {
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
  ])('rule 34: refuses the scope %j', async (scope, problem) => {
    expect(await refused({ scope }, 'invalid_scope')).toEqual([`scope: ${problem}`])
  })

  test('rule 34: a scope that nobody knows is left out', async () => {
    expect(await accepted({ scope: 'address openid phone' })).toMatchObject({
      requested_scope: [{ name: 'openid' }],
      ignored_scope: ['address', 'phone'],
    })
  })

  test('rule 35: openid is never implied, and nonce and max_age without it are ignored', async () => {
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
  ])('rule 36: refuses the prompt %j', async (prompt, problem) => {
    expect(await refused({ prompt })).toEqual([`prompt: ${problem}`])
  })

  test.each(['none', 'login', 'consent', 'select_account', 'login consent', 'consent login'])(
    'rule 36: takes the prompt %j',
    async (prompt) => {
      const isContinued = /login|select_account/.test(prompt)
      expect(await accepted({ prompt })).toEqual({
        ...(await accepted({})),
        ...(isContinued ? continued : {}),
      })
    },
  )

  test.each(['-1', 'abc', '1.5', '1e3', '0x10', ' 5', '+5', '9'.repeat(10)])(
    'rule 37: refuses the max_age %j',
    async (max_age) => {
      expect(await refused({ max_age })).toEqual([
        'max_age: must be a whole number of seconds, from 0',
      ])
    },
  )

  test.each(['0', '007', '300', '999999999'])('rule 37: takes the max_age %j', async (max_age) => {
    expect(await accepted({ max_age })).toEqual({
      ...(await accepted({})),
      ...(max_age === '0' ? continued : {}),
    })
  })

  test.each(['request', 'request_uri', 'registration'])('rule 38: refuses %s', async (name) => {
    const named = await refused({ [name]: 'anything' }, `${name}_not_supported`)

    expect(named).toEqual([`${name}: is not supported`])
  })

  test('rule 39: resource is this API and nothing else', async () => {
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
