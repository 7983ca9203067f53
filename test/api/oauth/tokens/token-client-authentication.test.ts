import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  basicOf,
  credentialsOf,
  expectFailure,
  type Form,
  formType,
  invalidClient,
  invalidGrant,
  postForm,
  type RegisteredApp,
  registerApp,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'

let gateway: TestGateway
let apps: { readonly secret: RegisteredApp; readonly open: RegisteredApp }
beforeAll(async () => {
  // Apps are believed for an hour: only a notice makes the gateway forget one.
  gateway = await startTestGateway({ ...withoutMinuteLimits, KEY_CACHE_SECONDS: '3600' })
  // The rows of the table only authenticate, so the apps are shared.
  const [secret, open] = await Promise.all([
    registerApp(gateway),
    registerApp(gateway, { isPublic: true }),
  ])
  apps = { secret, open }
})
afterAll(() => gateway.close())

interface Presented {
  readonly form?: Form
  readonly authorization?: string
}

interface Row {
  readonly what: string
  readonly present: (app: { readonly id: string; readonly secret: string }) => Presented
  /**
   * The results of a confidential and a public app: accepted, refused with 401, or the malformed
   * fields.
   */
  readonly confidential: Outcome
  readonly open: Outcome
}

/** A made-up secret that a public app may send. */
const madeUp = newOAuthSecret('svc', 'ocs')

type Outcome = 'in' | 'refused' | readonly string[]

const scheme = 'Authorization must be Basic with client_id and client_secret'
const twoWays = 'Authorization must not be sent beside client_secret'
const otherId = 'Authorization names another client_id'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const basic = (text: string) => `Basic ${base64(text)}`
const same = (outcome: Outcome) => ({ confidential: outcome, open: outcome })
const secretOnly = { confidential: 'in', open: 'refused' } as const
const openOnly = { confidential: 'refused', open: 'in' } as const
const everyCharacterEncoded = (text: string) =>
  Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')

const wrongSecrets: Readonly<Record<string, (secret: string) => string>> = {
  another: () => newOAuthSecret('svc', 'ocs'),
  'one character less': (secret) => secret.slice(0, -1),
  'one character more': (secret) => `${secret}A`,
  'in another case': (secret) => secret.toUpperCase(),
  'a space before it': (secret) => ` ${secret}`,
  'a line after it': (secret) => `${secret}\n`,
  NUL: () => '\0',
  null: () => 'null',
  'not ASCII': () => 'пароль',
  'half of a pair': () => '\ud800',
  'very long': () => 'x'.repeat(8000),
  'a statement': () => "' OR 1=1 --",
}

const rows: readonly Row[] = [
  // RFC 6749 §2.3.1: an app with a secret may use both methods, whichever it registered.
  {
    what: 'id and secret in the body',
    present: ({ id, secret }) => ({ form: { client_id: id, client_secret: secret } }),
    ...secretOnly,
  },
  {
    what: 'Basic',
    present: ({ id, secret }) => ({ authorization: basic(`${id}:${secret}`) }),
    ...secretOnly,
  },
  {
    what: 'Basic, every character percent-encoded (strict)',
    present: ({ id, secret }) => ({
      authorization: basic(`${everyCharacterEncoded(id)}:${everyCharacterEncoded(secret)}`),
    }),
    ...secretOnly,
  },
  {
    what: 'Basic, as encodeURIComponent leaves it (loose)',
    present: ({ id, secret }) => ({
      authorization: basic(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`),
    }),
    ...secretOnly,
  },
  {
    what: 'Basic, the scheme in lower case',
    present: ({ id, secret }) => ({ authorization: basic(`${id}:${secret}`).replace('B', 'b') }),
    ...secretOnly,
  },
  {
    what: 'Basic, the scheme in upper case and two spaces',
    present: ({ id, secret }) => ({ authorization: `BASIC  ${base64(`${id}:${secret}`)}` }),
    ...secretOnly,
  },
  {
    what: 'Basic without padding',
    present: ({ id, secret }) => ({
      authorization: basic(`${id}:${secret}`).replace(/=+$/, ''),
    }),
    ...secretOnly,
  },
  {
    what: 'Basic and the same client_id in the body (docs/oauth-rules.md 54)',
    present: ({ id, secret }) => ({
      authorization: basic(`${id}:${secret}`),
      form: { client_id: id },
    }),
    ...secretOnly,
  },
  {
    what: 'Basic and an empty client_secret in the body',
    present: ({ id, secret }) => ({
      authorization: basic(`${id}:${secret}`),
      form: { client_secret: '' },
    }),
    ...secretOnly,
  },
  {
    what: 'an empty Authorization header and the body',
    present: ({ id, secret }) => ({
      authorization: '',
      form: { client_id: id, client_secret: secret },
    }),
    ...secretOnly,
  },
  // No secret: only for apps that have none (docs/oauth-rules.md 52).
  { what: 'the id alone', present: ({ id }) => ({ form: { client_id: id } }), ...openOnly },
  {
    what: 'the id and an empty secret',
    present: ({ id }) => ({ form: { client_id: id, client_secret: '' } }),
    ...openOnly,
  },
  {
    what: 'Basic with an empty secret',
    present: ({ id }) => ({ authorization: basic(`${id}:`) }),
    ...openOnly,
  },
  {
    what: 'Basic with an empty secret, and the id',
    present: ({ id }) => ({ authorization: basic(`${id}:`), form: { client_id: id } }),
    ...openOnly,
  },
  ...Object.entries(wrongSecrets).flatMap(([what, change]): Row[] => [
    {
      what: `a wrong secret in the body: ${what}`,
      present: ({ id, secret }) => ({ form: { client_id: id, client_secret: change(secret) } }),
      ...same('refused'),
    },
    {
      what: `a wrong secret in Basic: ${what}`,
      present: ({ id, secret }) => ({
        authorization: basic(`${id}:${encodeURIComponent(change(secret).toWellFormed())}`),
      }),
      ...same('refused'),
    },
  ]),
  {
    what: 'a secret with colons in Basic: only the first divides',
    present: ({ id, secret }) => ({ authorization: basic(`${id}:${secret}:`) }),
    ...same('refused'),
  },
  // Unknown apps look like wrong secrets (docs/oauth-rules.md 55).
  ...['app_unknown', newId('app'), newId('acct'), '0', '*', 'x'.repeat(9000), 'a\0b', '😀'].flatMap(
    (unknown): Row[] => [
      {
        what: `an app that is not there, in the body: ${JSON.stringify(unknown.slice(0, 20))}`,
        present: ({ secret }) => ({ form: { client_id: unknown, client_secret: secret } }),
        ...same('refused'),
      },
      {
        what: `an app that is not there, in Basic: ${JSON.stringify(unknown.slice(0, 20))}`,
        present: ({ secret }) => ({
          authorization: basic(`${encodeURIComponent(unknown)}:${secret}`),
        }),
        ...same('refused'),
      },
    ],
  ),
  {
    what: 'the id in upper case',
    present: ({ id, secret }) => ({
      form: { client_id: id.toUpperCase(), client_secret: secret },
    }),
    ...same('refused'),
  },
  // Malformed (docs/oauth-rules.md 53).
  {
    what: 'Basic and client_secret at once',
    present: ({ id, secret }) => ({
      authorization: basic(`${id}:${secret}`),
      form: { client_secret: secret },
    }),
    ...same([twoWays]),
  },
  {
    what: 'Basic and another client_id in the body',
    present: ({ id, secret }) => ({
      authorization: basic(`${id}:${secret}`),
      form: { client_id: `${id}x` },
    }),
    ...same([otherId]),
  },
  {
    what: 'Basic, another client_id and a client_secret',
    present: ({ id, secret }) => ({
      authorization: basic(`${id}:${secret}`),
      form: { client_id: `${id}x`, client_secret: 'x' },
    }),
    ...same([twoWays, otherId]),
  },
  {
    what: 'Bearer',
    present: ({ id, secret }) => ({
      authorization: `Bearer ${secret}`,
      form: { client_id: id },
    }),
    ...same([scheme]),
  },
  {
    what: 'Bearer and client_secret',
    present: ({ id, secret }) => ({
      authorization: 'Bearer x',
      form: { client_id: id, client_secret: secret },
    }),
    ...same([scheme, twoWays]),
  },
  ...[
    ['Digest', 'Digest username="x"'],
    ['no scheme', base64('a:b')],
    ['Basic without anything', 'Basic'],
    ['bad base64', 'Basic !!!!'],
    ['base64 with a space inside', 'Basic YTpi YTpi'],
    ['base64 that is cut', 'Basic YTpiA'],
    ['base64 with bits left over', 'Basic YTpj/x=='],
    ['base64url', 'Basic _-__'],
    ['no colon', basic('app_x')],
    ['no id', basic(':secret')],
    ['a stray percent sign', basic('app%:secret')],
    ['percent-encoding that is no UTF-8', basic('app_x:%ff')],
  ].map(
    ([what = '', authorization = '']): Row => ({
      what: `malformed: ${what}`,
      present: ({ id }) => ({ authorization, form: { client_id: id } }),
      ...same([scheme]),
    }),
  ),
]

const endpoints = [
  { path: '/v1/oauth/token', form: { grant_type: 'refresh_token', refresh_token: 'x' } },
  { path: '/v1/oauth/revoke', form: { token: 'x' } },
  { path: '/v1/oauth/introspect', form: { token: 'x' } },
] as const

describe.each(endpoints)('POST $path, authentication of the app', ({ path, form }) => {
  test.each(
    rows.flatMap((row) => [
      { ...row, kind: 'secret' as const, outcome: row.confidential, app: 'a confidential app' },
      { ...row, kind: 'open' as const, outcome: row.open, app: 'a public app' },
    ]),
  )('$app, $what (docs/oauth-rules.md 51-55, 93, 100)', async ({ kind, present, outcome }) => {
    const { clientId: id, secret } = apps[kind]
    const { form: presented = {}, authorization } = present({ id, secret: secret ?? madeUp })
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }

    const response = await postForm(gateway.live, path, { ...form, ...presented }, headers)

    const isChallenged = Boolean(authorization)
    // docs/oauth-rules.md 9: the account's, once the app has proven who it is.
    const limitRps = kind === 'secret' ? '100' : '100000'
    const isPublicIntrospection = path === '/v1/oauth/introspect' && kind === 'open'
    if (typeof outcome === 'object') {
      const details = outcome.map((problem) => {
        const [field = '', ...words] = problem.split(' ')
        return { field, in: 'header', message: words.join(' ') } as const
      })
      expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
      expect(response.headers.get('www-authenticate')).toBeNull()
    } else if (outcome === 'refused' || isPublicIntrospection) {
      // RFC 7662 §4: without authentication there is no information.
      expectFailure(gateway, response, { ...invalidClient, isChallenged })
      expect(response.headers.get('x-ratelimit-limit')).toBe('100000')
    } else if (path === '/v1/oauth/token') {
      expectFailure(gateway, response, invalidGrant)
      expect(response.headers.get('x-ratelimit-limit')).toBe(limitRps)
    } else {
      const body = path === '/v1/oauth/introspect' ? { active: false } : {}
      expect([response.status, response.body]).toEqual([200, body])
      expect(response.headers.get('x-ratelimit-limit')).toBe(limitRps)
    }
  })
})

test('the table has at least forty rows (docs/oauth-rules.md 51)', () => {
  expect(rows.length).toBeGreaterThanOrEqual(40)
})

describe('the caller of token, revoke and introspect', () => {
  test('is 422 without any credentials, but 401 at introspect (docs/oauth-rules.md 53, 93)', async () => {
    const details = [{ field: 'client_id', in: 'body', message: 'is required' }] as const
    for (const { path, form } of endpoints) {
      for (const presented of [{}, { client_id: '' }, { client_secret: 'x' }]) {
        const response = await postForm(gateway.live, path, { ...form, ...presented })

        if (path === '/v1/oauth/introspect') expectFailure(gateway, response, invalidClient)
        else expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
      }
    }
  })

  test('is told all malformed members at once (docs/oauth-rules.md 53)', async () => {
    const response = await postForm(
      gateway.live,
      '/v1/oauth/token',
      { client_id: 'other', client_secret: 'x', grant_type: 'authorization_code' },
      basicOf('app_x', 'y'),
    )

    const missing = (field: string) => ({ field, in: 'body', message: 'is required' }) as const
    const header = { field: 'Authorization', in: 'header' } as const
    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      details: [
        { ...header, message: 'must not be sent beside client_secret' },
        { ...header, message: 'names another client_id' },
        missing('code'),
        missing('redirect_uri'),
      ],
    })
  })

  test('is refused everywhere when the app was suspended a moment ago (docs/oauth-rules.md 18, 55)', async () => {
    const app = await registerApp(gateway)
    const ask = (path: string, form: Form) =>
      postForm(gateway.live, path, { ...form, ...credentialsOf(app) })
    expect((await ask('/v1/oauth/introspect', { token: 'x' })).status).toBe(200)

    await gateway.live.request(`/v1/oauth/apps/${app.clientId}`, {
      method: 'DELETE',
      key: app.developer.liveKey,
    })

    for (const { path, form } of endpoints) {
      expectFailure(gateway, await ask(path, form), invalidClient)
    }
  })

  test('is refused by the token endpoint also when the notice of the suspension was lost (docs/oauth-rules.md 18, 51)', async () => {
    const app = await registerApp(gateway)
    const headers = basicOf(app.clientId, app.secret ?? '')
    const form = { grant_type: 'refresh_token', refresh_token: 'x' }
    const ask = () => postForm(gateway.live, '/v1/oauth/token', form, headers)
    expectFailure(gateway, await ask(), invalidGrant)

    await gateway.database.query(
      `SET session_replication_role = replica;
       UPDATE oauth.app SET suspended_at = now() WHERE client_id = '${app.clientId}';
       RESET session_replication_role;`,
    )

    expectFailure(gateway, await ask(), { ...invalidClient, isChallenged: true })
  })

  test('is unknown while the account of the app is suspended, and known again afterwards (docs/oauth-rules.md 73)', async () => {
    const app = await registerApp(gateway)
    const ask = () =>
      postForm(gateway.live, '/v1/oauth/revoke', { token: 'x', ...credentialsOf(app) })
    const setStatus = (status: string) =>
      gateway.graphql(
        'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
        { input: { id: app.developer.id, status } },
      )
    expect((await ask()).status).toBe(200)

    await setStatus('SUSPENDED')
    expectFailure(gateway, await ask(), invalidClient)

    await setStatus('ACTIVE')
    expect((await ask()).status).toBe(200)
  })

  test('cannot use the hash of a secret as the secret (docs/oauth-rules.md 16)', async () => {
    const app = await registerApp(gateway)
    const [row] = await gateway.database.query<{ secret_hash: string }>(
      'SELECT secret_hash FROM oauth.app WHERE client_id = $1',
      [app.clientId],
    )

    const response = await postForm(gateway.live, '/v1/oauth/introspect', {
      token: 'x',
      client_id: app.clientId,
      client_secret: row?.secret_hash,
    })

    expectFailure(gateway, response, invalidClient)
  })

  test('gets answers that no cache may keep (docs/oauth-rules.md 3)', async () => {
    for (const { path } of endpoints) {
      for (const [type, body] of [
        [formType, ''],
        ['application/json', '{}'],
        [formType, 'a=1&a=1'],
      ] as const) {
        const response = await postForm(gateway.live, path, body, { 'content-type': type })
        expect(response.headers.get('cache-control')).toBe('no-store')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      }
    }
  })
})
