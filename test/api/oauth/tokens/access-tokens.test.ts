import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { routes } from '../../../../rest-facade/routes/index.ts'
import { newOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { scopes as keyScopes, tokenScopes } from '../../../../schema/vocabulary/scopes.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts'
import { chosen } from '../../../support/extent/extent.ts'
import { createAccountOnTier } from '../../../support/gateway/account-on-tier.ts'
import { expectExactBooks } from '../../../support/gateway/books.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'
import { type PlantedGrant, plantAccessToken, plantGrant } from '../../../support/oauth/oauth.ts'
import { admitted } from '../../../support/requests/admitted.ts'
import type { TestResponse } from '../../../support/requests/client.ts'
import { productRows, routeRows } from '../../../support/requests/every-row.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../../support/stubs/stub-backend.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const badToken = {
  status: 401,
  code: 'INVALID_API_KEY',
  message: 'This API key is not valid here.',
} as const

interface Granted extends PlantedGrant {
  readonly owner: TestAccount
  readonly account: TestAccount
}

/** Two accounts: one has the app, the other has granted it these scopes. */
async function grant(scopes: readonly string[], credits = 1000): Promise<Granted> {
  const [owner, account] = [await gateway.createAccount(), await gateway.createAccount({ credits })]
  const planted = await plantGrant(gateway, { ownerId: owner.id, accountId: account.id, scopes })
  return { ...planted, owner, account }
}

/** All of an answer but what tells requests apart. */
function gist({ status, headers, body }: TestResponse) {
  const text = JSON.stringify(body).replaceAll(headers.get('x-request-id') ?? '', '')
  return { status, text, challenge: headers.get('www-authenticate') }
}

const everything = [...tokenScopes]

interface Forgery {
  readonly title: string
  /** The token that is presented instead; it may change the grant first. */
  readonly forge: (granted: Granted) => Promise<string> | string
}

/** The token itself, after a change of the objects that it depends on. */
function after(sql: string, of: (granted: Granted) => string) {
  return async (granted: Granted): Promise<string> => {
    await gateway.database.query(sql, [of(granted)])
    return granted.accessToken
  }
}

const tokenHash = ({ accessToken }: Granted) => sha256(accessToken)
const grantId = (granted: Granted) => granted.grantId
const clientId = (granted: Granted) => granted.clientId

const forgeries: readonly Forgery[] = [
  { title: 'that nobody was given', forge: () => newOAuthSecret('svc', 'oat') },
  { title: 'of another gateway', forge: () => newOAuthSecret('acme', 'oat') },
  { title: 'with a wrong prefix', forge: ({ accessToken }) => accessToken.replace('oat', 'oax') },
  { title: 'without a prefix', forge: ({ accessToken }) => accessToken.slice('svc_oat_'.length) },
  { title: 'one character short', forge: ({ accessToken }) => accessToken.slice(0, -1) },
  { title: 'one character long', forge: ({ accessToken }) => `${accessToken}A` },
  { title: 'padded', forge: ({ accessToken }) => `${accessToken}=` },
  { title: 'upper-cased', forge: ({ accessToken }) => accessToken.toUpperCase() },
  { title: 'lower-cased', forge: ({ accessToken }) => accessToken.toLowerCase() },
  { title: 'by its hash', forge: ({ accessToken }) => sha256(accessToken) },
  { title: 'that is a refresh token', forge: ({ refreshToken }) => refreshToken },
  { title: 'that is a code', forge: ({ code }) => code },
  { title: 'that is a client secret', forge: ({ clientSecret }) => clientSecret },
  { title: 'that is a client id', forge: ({ clientId }) => clientId },
  { title: 'that is a grant id', forge: ({ grantId }) => grantId },
  {
    title: 'that is an id token',
    forge: ({ account }) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const iss = `${gateway.baseUrl}/v1`
      return `${part({ alg: 'RS256' })}.${part({ iss, sub: account.id })}.${'A'.repeat(342)}`
    },
  },
  {
    title: 'of the other environment',
    forge: async ({ owner, account }) => {
      const ids = { ownerId: owner.id, accountId: account.id }
      const place = { environment: 'sandbox', scopes: everything } as const
      return (await plantGrant(gateway, { ...ids, ...place })).accessToken
    },
  },
  {
    title: 'that has expired',
    forge: after(
      `UPDATE oauth.access_token SET expires_at = now() - interval '1 ms' WHERE token_hash = $1`,
      tokenHash,
    ),
  },
  {
    title: 'that was revoked',
    forge: after(
      'UPDATE oauth.access_token SET revoked_at = now() WHERE token_hash = $1',
      tokenHash,
    ),
  },
  {
    title: 'of a grant that was revoked',
    forge: after(
      `UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'test'
       WHERE id = $1`,
      grantId,
    ),
  },
  {
    title: 'of a grant that has expired',
    forge: after(
      `UPDATE oauth.authorization_grant SET expires_at = now() - interval '1 ms' WHERE id = $1`,
      grantId,
    ),
  },
  {
    title: 'of a suspended app',
    forge: after('UPDATE oauth.app SET suspended_at = now() WHERE client_id = $1', clientId),
  },
  {
    title: 'of a closed account',
    forge: async ({ account, accessToken }) => {
      await setStatus(account.id, 'CLOSED')
      return accessToken
    },
  },
]

async function setStatus(id: string, status: string): Promise<void> {
  await gateway.graphql(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
    { input: { id, status } },
  )
}

describe('an access token', () => {
  test.each(forgeries)(
    '$title gets the answer of an unknown token (docs/oauth-rules.md 85, 91)',
    async ({ forge }) => {
      const granted = await grant(everything)
      const paths = ['/v1/account', '/v1/oauth/userinfo', '/v1/account/usage/log']
      const nonsense = await Promise.all(paths.map((path) => gateway.live.get(path, 'nonsense')))

      const token = await forge(granted)
      const answers = await Promise.all(paths.map((path) => gateway.live.get(path, token)))

      for (const answer of answers) expectError(gateway, answer, badToken)
      expect(answers.map(gist)).toEqual(nonsense.map(gist))
    },
  )

  test('is accepted as it was granted, by the listener of its environment (docs/oauth-rules.md 92)', async () => {
    const { owner, account, accessToken } = await grant(['account:read'])
    const ids = { ownerId: owner.id, accountId: account.id }
    const played = await plantGrant(gateway, {
      ...{ ...ids, environment: 'sandbox', scopes: ['account:read'] },
    })

    const live = await gateway.live.get('/v1/account', accessToken)
    const sandbox = await gateway.sandbox.get('/v1/account', played.accessToken)

    expect(live.body).toMatchObject({ id: account.id, environment: 'live' })
    expect(sandbox.body).toMatchObject({ id: account.id, environment: 'sandbox' })
    expect((await gateway.sandbox.get('/v1/account', accessToken)).status).toBe(401)
  })

  test('never covers the scopes that no token may have, whatever is stored (docs/oauth-rules.md 92)', async () => {
    const { accessToken } = await grant([...keyScopes, '*'])

    for (const [method, path, scope] of [
      ['POST', '/v1/account/subscription/cancel', 'account:write'],
      ['PATCH', '/v1/account/auto-recharge', 'billing:write'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const response = await gateway.live.request(path, { method, key: accessToken, body })

      expectError(gateway, response, {
        status: 403,
        code: 'FORBIDDEN',
        message: `This access token lacks the scope ${scope}.`,
      })
    }
  })
})

const keysOnly = new Set(
  routes.flatMap(({ keysOnly, method, path }) => (keysOnly ? [`${method} ${path}`] : [])),
)
const rows = [...routeRows(), ...productRows()].flatMap(({ scope, ...row }) => {
  if (scope === undefined) return []
  const isKeysOnly = keysOnly.has(`${row.method.toLowerCase()} ${row.template}`)
  return [{ ...row, scope, isKeysOnly }]
})

interface Ask {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
}

function ask({ method, path, hasBody }: Ask, key: string): Promise<TestResponse> {
  const body = hasBody ? {} : undefined
  return admitted(() => gateway.live.request(path, { method, key, body }))
}

function expectLacking(response: TestResponse, scope: string): void {
  expectError(gateway, response, {
    status: 403,
    code: 'FORBIDDEN',
    message: `This access token lacks the scope ${scope}.`,
  })
  const challenge = `Bearer realm="${gateway.baseUrl}/v1", error="insufficient_scope"`
  expect(response.headers.get('www-authenticate')).toBe(`${challenge}, scope="${scope}"`)
}

const rowsForKeys = rows.filter(({ isKeysOnly }) => isKeysOnly)
const rowsForTokens = rows.filter(({ isKeysOnly }) => !isKeysOnly)

describe.each(chosen('rows for keys', rowsForKeys, 8))('$title', (row) => {
  test('accepts API keys only, and treats a token as unknown (docs/oauth-rules.md 20, 92)', async () => {
    const { accessToken } = await grant([...everything, row.scope, '*'])

    const response = await ask(row, accessToken)

    expectError(gateway, response, badToken)
    const isOAuth = row.path.startsWith('/v1/oauth/')
    expect(response.headers.get('www-authenticate')).toBe(
      isOAuth ? `Bearer realm="${gateway.baseUrl}/v1", error="invalid_token"` : 'Bearer',
    )
  })
})

describe.each(chosen('rows for tokens', rowsForTokens, 30))('$title', (row) => {
  const { scope } = row

  test('refuses a token that has every scope but its own, and names the missing scope (docs/oauth-rules.md 86, 92)', async () => {
    const opens = [scope, row.orScope]
    const { accessToken } = await grant(everything.filter((name) => !opens.includes(name)))

    expectLacking(await ask(row, accessToken), scope)
  })

  test('accepts a token with its scope alone, if tokens may have that scope (docs/oauth-rules.md 92)', async () => {
    const { accessToken } = await grant([scope])

    const response = await ask(row, accessToken)

    if (!tokenScopes.includes(scope)) return expectLacking(response, scope)
    const { status } = response
    const isPast = (status >= 200 && status < 300) || [402, 404, 409, 422].includes(status)
    expect([status, isPast]).toEqual([status, true])
  })
})

describe('a metered call with an access token', () => {
  const reveal = (token: string) =>
    admitted(() => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, token))

  test('is charged to the account that granted it, 50 at once, while its credits last (docs/oauth-rules.md 92)', async () => {
    const { owner, account, accessToken } = await grant(['contacts:write'], 150)

    const answers = await Promise.all(Array.from({ length: 50 }, () => reveal(accessToken)))

    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect({ 200: count(200), 402: count(402) }).toEqual({ 200: 30, 402: 20 })
    for (const [key, balance] of [
      [account.liveKey, 0],
      [owner.liveKey, 1000],
    ] as const) {
      const { body } = await admitted(() => gateway.live.get('/v1/account/credits', key))
      expect(body).toMatchObject({ balance, held: 0, available: balance })
    }
    await expectExactBooks(gateway)
  })

  test("spends the same balance as a call with the account's key (docs/oauth-rules.md 92)", async () => {
    const { account, accessToken } = await grant(['contacts:write'], 100)

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        reveal(index % 2 === 0 ? accessToken : account.liveKey),
      ),
    )

    const succeeded = answers.filter(({ status }) => status === 200)
    expect(succeeded).toHaveLength(20)
    await expectExactBooks(gateway)
  })

  test("is in the usage log of that account, and not of the app's owner (docs/oauth-rules.md 92)", async () => {
    const { owner, account, accessToken } = await grant(['contacts:write'])
    const { headers } = await reveal(accessToken)
    const request_id = headers.get('x-request-id')

    const log = await gateway.live.get('/v1/account/usage/log', account.liveKey)
    const owners = await gateway.live.get('/v1/account/usage/log', owner.liveKey)

    expect(Object(log.body).items).toEqual([
      expect.objectContaining({ request_id, service: 'contacts', status: 200, credits: 5 }),
    ])
    expect(JSON.stringify(owners.body)).not.toContain(request_id)
    const stored = await gateway.database.query(
      'SELECT account_id, key_id FROM usage.usage_log WHERE request_id = $1',
      [request_id],
    )
    expect(stored).toEqual([{ account_id: account.id, key_id: null }])
  })
})

describe('the rate limit of an access token', () => {
  test('is the limit of the account that granted it (docs/oauth-rules.md 9, 92)', async () => {
    const [owner, account] = [
      await gateway.createAccount(),
      await createAccountOnTier(gateway, 'STARTER'),
    ]
    const ids = { ownerId: owner.id, accountId: account.id }
    const { accessToken } = await plantGrant(gateway, { ...ids, scopes: ['account:read'] })
    const ask = () => gateway.live.get('/v1/account', accessToken)

    const refused = await vi.waitUntil(async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, ask))
      return answers.find(({ status }) => status === 429)
    }, patience)

    expectError(gateway, refused, {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'The limit of 10 requests per second is exceeded.',
      page: 'rate-limits',
    })
    expect(refused.headers.get('x-ratelimit-limit')).toBe('10')
    expect((await gateway.live.get('/v1/account', owner.liveKey)).status).toBe(200)
  })
})

describe('a cached token', () => {
  let database: TestDatabase
  let gateways: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    database = await createTestDatabase()
    // Tokens are believed for an hour: only a notice can make a gateway forget one.
    const variables = { KEY_CACHE_SECONDS: '3600' }
    gateways = await Promise.all([
      startTestGateway(variables, { database }),
      startTestGateway(variables, { database }),
    ])
  })
  afterAll(async () => {
    await Promise.all(gateways.map((one) => one.close()))
    await database.drop()
  })

  async function accepted(): Promise<Granted & { accountId: string }> {
    const [here, there] = gateways
    const [owner, account] = [await here.createAccount(), await here.createAccount()]
    const { id: accountId } = account
    const ids = { ownerId: owner.id, accountId }
    const planted = await plantGrant(here, { ...ids, scopes: ['account:read'] })
    for (const one of [here, there]) {
      expect((await one.live.get('/v1/account', planted.accessToken)).status).toBe(200)
    }
    return { ...planted, owner, account, accountId }
  }

  async function expectForgotten(token: string, refusal = 401): Promise<void> {
    for (const { live } of gateways) {
      const status = async () => (await live.get('/v1/account', token)).status
      await expect.poll(status, patience).toBe(refusal)
    }
  }

  test('is refused by every gateway once it is revoked, and other tokens of its grant are not (docs/oauth-rules.md 102)', async () => {
    const { accessToken, grantId, accountId } = await accepted()
    const issued = { grantId, accountId, scopes: ['account:read'] }
    const sister = await plantAccessToken({ database }, issued)

    await database.query('UPDATE oauth.access_token SET revoked_at = now() WHERE token_hash = $1', [
      sha256(accessToken),
    ])

    await expectForgotten(accessToken)
    expect((await gateways[0].live.get('/v1/account', sister)).status).toBe(200)
  })

  test('is refused by every gateway once its grant is revoked (docs/oauth-rules.md 62, 71)', async () => {
    const { accessToken, grantId } = await accepted()

    await database.query(
      `UPDATE oauth.authorization_grant SET revoked_at = now(), revoked_because = 'test'
       WHERE id = $1`,
      [grantId],
    )

    await expectForgotten(accessToken)
  })

  test.each([
    ['the account withdraws its consent (docs/oauth-rules.md 71)', 'consents', 'account'],
    ['its app is suspended (docs/oauth-rules.md 18)', 'apps', 'owner'],
  ] as const)('is refused at once, then by every gateway, when %s', async (_, list, by) => {
    const granted = await accepted()
    const [here] = gateways

    const { status } = await here.live.request(`/v1/oauth/${list}/${granted.clientId}`, {
      method: 'DELETE',
      key: granted[by].liveKey,
    })

    expect(status).toBe(200)
    expect((await here.live.get('/v1/account', granted.accessToken)).status).toBe(401)
    await expectForgotten(granted.accessToken)
  })

  test('is refused at once where its account is suspended, then everywhere (docs/oauth-rules.md 73)', async () => {
    const { accessToken, accountId } = await accepted()
    const [here] = gateways

    await here.graphql(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }',
      { input: { id: accountId, status: 'SUSPENDED' } },
    )

    expect((await here.live.get('/v1/account', accessToken)).status).toBe(403)
    await expectForgotten(accessToken, 403)
  })

  test('is refused when it expires (docs/oauth-rules.md 85)', async () => {
    const { accessToken } = await accepted()

    await database.query(
      `UPDATE oauth.access_token SET expires_at = now() - interval '1 ms' WHERE token_hash = $1`,
      [sha256(accessToken)],
    )
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
    try {
      const { status } = await gateways[0].live.get('/v1/account', accessToken)

      expect(status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the audit trail of a refused access token', () => {
  interface Line {
    readonly account_id: string
    readonly actor_kind: string
    readonly actor_id: string
    readonly action: string
    readonly result: string
  }

  test.each([
    ['a scope that it lacks (docs/oauth-rules.md 86)', '/v1/billing/invoices', 'FORBIDDEN'],
    ['a route for keys only (docs/oauth-rules.md 92)', '/v1/account/keys', 'INVALID_API_KEY'],
  ])('names app and account for %s', async (_, path, result) => {
    const { account, clientId, accessToken } = await grant(['account:read'])

    const { headers } = await gateway.live.get(path, accessToken)

    const lines = await vi.waitUntil(async () => {
      const found = await gateway.database.query<Line>(
        `SELECT account_id, actor_kind, actor_id, action, result FROM usage.audit_event
         WHERE request_id = $1`,
        [headers.get('x-request-id')],
      )
      return found.length > 0 ? found : null
    }, patience)
    expect(lines).toEqual([
      {
        account_id: account.id,
        actor_kind: 'oauth_client',
        actor_id: clientId,
        action: 'access.deny',
        result,
      },
    ])
  })

  test('contains nothing of the token, and neither does any other record (docs/oauth-rules.md 10)', async () => {
    const { accessToken } = await grant(['account:read'])
    const { headers } = await gateway.live.get(`/v1/account/${accessToken}`, accessToken)
    await gateway.live.get('/v1/account/keys', accessToken)

    await vi.waitFor(async () => {
      const lines = await gateway.database.query(
        "SELECT 1 FROM usage.audit_event WHERE result = 'INVALID_API_KEY'",
      )
      expect(lines.length).toBeGreaterThan(0)
    }, patience)
    expect(headers.get('x-request-id')).toMatch(/^req_/)
    const kept = await gateway.database.query<{ text: string }>(
      `SELECT to_jsonb(u)::text AS text FROM usage.usage_log u
       UNION ALL SELECT to_jsonb(a)::text FROM usage.audit_event a
       UNION ALL SELECT to_jsonb(t)::text FROM oauth.access_token t`,
    )
    const secret = accessToken.slice('svc_oat_'.length)
    expect(kept.filter(({ text }) => text.includes(secret))).toEqual([])
  })
})

describe("the facade's own queries about tokens and origins", () => {
  test.each(['verifiedAccessToken(tokenHash: "x") { id }', 'clientOrigins { origin }'])(
    '%s are refused for internal tools (docs/oauth-rules.md 117)',
    async (field) => {
      await expect(gateway.graphql(`{ ${field} }`)).rejects.toThrow(
        'This caller may not use this operation.',
      )
    },
  )
})
