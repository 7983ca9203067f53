import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../gateway/trial/embedded-postgres/free-port.ts'
import { isOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { isId, newId } from '../../../../schema/vocabulary/ids.ts'
import { scopes, tokenScopes } from '../../../../schema/vocabulary/scopes.ts'
import { registeredRedirectUriProblem } from '../../../../subgraphs/oauth/apps/checks/check-registered-redirect-uri.ts'
import { openTestGraph } from '../../../support/database/graph.ts'
import { whileHeld } from '../../../support/database/held-transaction.ts'
import { callerOf } from '../../../support/database/planted-tenant.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { plantApp } from '../../../support/oauth/oauth.ts'
import { plantPage } from '../../../support/oauth/sessions.ts'
import { createClient } from '../../../support/requests/client.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ OAUTH_LIMITS: 'register=0' })
})
afterAll(() => gateway.close())

const path = '/v1/oauth/apps'
const webApp = { client_name: 'Ledgerly', redirect_uris: ['https://ledgerly.example/cb?from=svc'] }
const instant = expect.stringMatching(/^\d{4}-.*Z$/)
const noApp = { status: 404, code: 'NOT_FOUND', message: 'No OAuth app has this id.' } as const

async function register(key: string, body: object = webApp, client = gateway.live) {
  const response = await client.post(path, body, key)
  expect(response.status).toBe(201)
  return Object(response.body)
}

/** All of a new app that can be read again, and who registered it: the key of an account, unless told. */
function readable(app: object): object {
  const secret = ['client_secret', 'client_secret_expires_at']
  const shown = Object.entries(app).filter(([name]) => !secret.includes(name))
  return { ...Object.fromEntries(shown), created_by: expect.stringMatching(/^key_/) }
}

function suspend(key: string, clientId: string, client = gateway.live) {
  return client.request(`${path}/${clientId}`, { method: 'DELETE', key })
}

async function list(key: string, client = gateway.live): Promise<object[]> {
  const { status, body } = await client.get(path, key)
  expect(status).toBe(200)
  return Object(body).items
}

/** The 422 of one request, as `field: message`. */
async function refusal(key: string, body: object): Promise<string[]> {
  const response = await gateway.live.post(path, body, key)
  const { details } = Object(Object(response.body).error)
  expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  return details.map((one: { field: string; message: string }) => `${one.field}: ${one.message}`)
}

/** The lines of the audit trail that tell of an app, once all of them are written. */
async function linesOf(clientId: string, count: number): Promise<object[]> {
  const read = () =>
    gateway.database.query(
      `SELECT action, result, account_id, actor_kind, details FROM usage.audit_event
       WHERE resource_id = $1 ORDER BY id`,
      [clientId],
    )
  await vi.waitFor(async () => {
    const [jobs] = await gateway.database.query(
      `SELECT count(*)::int AS open FROM jobs.job
       WHERE name = 'RecordAuditEvents' AND state < 'completed' AND data::text LIKE $1`,
      [`%${clientId}%`],
    )
    expect([jobs, (await read()).length >= count]).toEqual([{ open: 0 }, true])
  }, patience)
  return read()
}

describe('POST /v1/oauth/apps', () => {
  test('registers a confidential app and shows its secret only now (docs/oauth-rules.md 12, 16)', async () => {
    const { liveKey } = await gateway.createAccount()
    const uris = {
      logo_uri: 'https://ledgerly.example/logo.png',
      tos_uri: 'http://localhost:3000/t',
    }

    const response = await gateway.live.post(path, { ...webApp, ...uris }, liveKey)

    const app = Object(response.body)
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.body).toEqual({
      client_id: expect.toSatisfy((id) => isId('app', id)),
      client_secret: expect.toSatisfy((secret) => isOAuthSecret(secret, 'svc', 'ocs')),
      client_secret_expires_at: 0,
      client_id_issued_at: Math.floor(Date.parse(app.created_at) / 1000),
      client_name: 'Ledgerly',
      redirect_uris: ['https://ledgerly.example/cb?from=svc'],
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: tokenScopes.join(' '),
      require_pkce: false,
      ...uris,
      status: 'active',
      created_at: instant,
    })
    expect(await list(liveKey)).toEqual([readable(app)])
  })

  test.each(['native', 'spa', 'web'])(
    'gives a public %s app a generated id, no secret, and mandatory PKCE (docs/oauth-rules.md 12, 15, 16, 30)',
    async (application_type) => {
      const { liveKey } = await gateway.createAccount()
      const method = application_type === 'web' ? { token_endpoint_auth_method: 'none' } : {}

      const app = await register(liveKey, {
        ...webApp,
        ...method,
        application_type,
        scope: 'openid',
      })

      expect(app).toEqual({
        client_id: expect.stringMatching(/^app_[0-9a-hjkmnp-tv-z]{26}$/),
        ...{ client_id_issued_at: expect.any(Number), ...webApp },
        ...{ application_type, token_endpoint_auth_method: 'none', response_types: ['code'] },
        ...{ grant_types: ['authorization_code', 'refresh_token'], scope: 'openid' },
        ...{ require_pkce: true, status: 'active', created_at: instant },
      })
    },
  )

  test('stores the SHA-256 of the secret, and the secret nowhere (docs/oauth-rules.md 16)', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const { client_id, client_secret } = await register(liveKey)

    const rows = await gateway.database.query<{ row: string; secret_hash: string }>(
      'SELECT a::text AS row, secret_hash FROM oauth.app a WHERE account_id = $1',
      [id],
    )
    expect(rows).toEqual([{ row: expect.any(String), secret_hash: sha256(client_secret) }])
    const [found] = await gateway.database.query<{ hits: number }>(
      `SELECT (SELECT count(*) FROM oauth.app a WHERE a::text LIKE $1)::int
         + (SELECT count(*) FROM oauth.done_change d WHERE d::text LIKE $1)::int
         + (SELECT count(*) FROM jobs.job j WHERE j::text LIKE $1)::int AS hits`,
      [`%${client_secret.slice('svc_ocs_'.length)}%`],
    )
    expect([client_id.startsWith('app_'), found]).toEqual([true, { hits: 0 }])
  })

  test('stores redirect URIs as they are written, character by character (docs/oauth-rules.md 13)', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const redirect_uris = [
      'HTTPS://Ledgerly.Example:443/a/CB/?q=a%2fb&next=https://x.example/?a=1,2',
      "https://ledgerly.example/cb;v=1/(x)'$!+,",
      'http://[::1]:0/cb',
      'https://ledgerly.example',
    ]

    const app = await register(liveKey, { ...webApp, redirect_uris })

    const stored = await gateway.database.query(
      'SELECT redirect_uris FROM oauth.app WHERE account_id = $1',
      [id],
    )
    expect([app.redirect_uris, stored]).toEqual([redirect_uris, [{ redirect_uris }]])
  })

  test('names each bad redirect URI by its index, with every other offending field (docs/oauth-rules.md 13, 14)', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const details = await refusal(liveKey, {
      client_name: 'Bad',
      application_type: 'spa',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: ['https://a.example/cb', 'http://a.example/cb', '/cb', 'https://a.example/#x'],
      scope: 'openid keys:read seo:eat',
      client_uri: 'javascript:alert(1)',
      grant_types: ['refresh_token'],
    })

    expect(details).toEqual([
      'redirect_uris.1: must be https unless its host is localhost, 127.0.0.1 or [::1]',
      'redirect_uris.2: must be an absolute URI',
      'redirect_uris.3: must not have a fragment',
      'token_endpoint_auth_method: must be none for an spa',
      'grant_types: must have authorization_code',
      'scope: no app can have keys:read',
      'scope: no app can have seo:eat',
      'client_uri: must be an absolute https URL',
    ])
    expect(
      await gateway.database.query('SELECT 1 FROM oauth.app WHERE account_id = $1', [id]),
    ).toEqual([])
  })

  test('names every ill-shaped member at once (docs/oauth-rules.md 12)', async () => {
    const { liveKey } = await gateway.createAccount()

    const details = await refusal(liveKey, {
      client_name: ' ',
      application_type: 'desktop',
      token_endpoint_auth_method: 'private_key_jwt',
      redirect_uris: [],
      scope: 'openid  profile',
      grant_types: ['implicit'],
      response_types: ['token'],
      require_pkce: 'yes',
      logo_uri: 7,
      client_id: newId('app'),
      client_secret: 'mine',
    })

    expect(details).toEqual([
      'client_name: must not be blank',
      'redirect_uris: must have at least one entry',
      'application_type: must be web, native, spa',
      'token_endpoint_auth_method: must be client_secret_basic, client_secret_post, none',
      'grant_types.0: must be authorization_code or refresh_token',
      'response_types.0: must be code',
      'scope: must be scopes separated by single spaces',
      'require_pkce: must be true or false',
      expect.stringMatching(/^logo_uri: /),
      'client_id: is not known here',
      'client_secret: is not known here',
    ])
  })

  test.each(['\u200b\u200d', '\u{e0041}\u{e0042}', '\u3164 \ufeff'])(
    'refuses a name without visible characters: %j (docs/oauth-rules.md 12)',
    async (client_name) => {
      const { liveKey } = await gateway.createAccount()

      const details = await refusal(liveKey, { ...webApp, client_name })

      expect(details).toEqual(['client_name: must not be blank'])
    },
  )

  test.each([
    ['client_name', 'x'.repeat(101)],
    ['client_name', 'Bank\u202eknaB'],
    ['client_name', 'two\nlines'],
    ['redirect_uris', Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`)],
    ['redirect_uris', 'https://a.example/cb'],
    ['redirect_uris.0', [`https://a.example/${'x'.repeat(2048)}`]],
    ['redirect_uris.0', [7]],
    ['response_types', ['code', 'code']],
    ['grant_types', []],
    ['scope', ''],
    ['scope', 'openid\u0000'],
    ['logo_uri', 'http://a.example/logo.png'],
    ['policy_uri', 'https://user@a.example/'],
    ['tos_uri', 'data:text/html,x'],
    ['client_uri', '//a.example/'],
  ])('refuses %s %j (docs/oauth-rules.md 12)', async (field, value) => {
    const { liveKey } = await gateway.createAccount()

    const member = field.split('.')[0] ?? ''
    const details = await refusal(liveKey, { ...webApp, [member]: value })

    expect(details.every((detail) => detail.startsWith(`${field}: `))).toBe(true)
  })

  test('has no address of this gateway, in any spelling (docs/oauth-rules.md 13, 14)', async () => {
    const [port, sandboxPort] = [String(await freePort()), String(await freePort())]
    const addressed = await startTestGateway({
      PORT: port,
      SANDBOX_PORT: sandboxPort,
      BASE_URL: 'https://api.example',
      SANDBOX_BASE_URL: 'https://sandbox.example:8443/gw',
    })
    try {
      const { liveKey, sandboxKey, id } = await addressed.createAccount()
      const ours = [
        'https://api.example/v1/seo/keywords?topic=tea',
        'https://API.example:443/',
        'https://api.example./x',
        'https://sandbox.example:8443/console',
      ]
      const others = [
        'https://app.example/',
        'https://sandbox.example/',
        'https://api.example.app.example/',
      ]
      const fields = ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri'] as const
      for (const [place, key] of [
        [createClient(`http://127.0.0.1:${port}`), liveKey],
        [createClient(`http://127.0.0.1:${sandboxPort}`), sandboxKey],
      ] as const) {
        for (const uri of ours) {
          const links = Object.fromEntries(fields.map((field) => [field, uri]))
          const app = { ...webApp, redirect_uris: [uri], ...links }
          const { status, body } = await place.post('/v1/oauth/apps', app, key)

          const named = ['redirect_uris.0', ...fields].sort()
          const details: { field: string; message: string }[] = Object(body).error.details
          expect([uri, status]).toEqual([uri, 422])
          expect(details.map(({ field }) => field).sort()).toEqual(named)
          expect(new Set(details.map(({ message }) => message))).toEqual(
            new Set(['must not lead to this gateway']),
          )
        }
        for (const uri of others) {
          const links = Object.fromEntries(fields.map((field) => [field, uri]))
          const app = { ...webApp, redirect_uris: [uri], ...links }
          expect((await place.post('/v1/oauth/apps', app, key)).status).toBe(201)
        }
      }
      const stored = await addressed.database.query(
        'SELECT client_uri FROM oauth.app WHERE account_id = $1',
        [id],
      )
      expect(stored).toHaveLength(others.length * 2)
    } finally {
      await addressed.close()
    }
  })

  test('gives an app no scope that the calling key lacks, and by default all that it covers (docs/oauth-rules.md 19)', async () => {
    const { id } = await gateway.createAccount()
    const held = ['oauth:write', 'oauth:read', 'billing:read', 'seo:write', 'billing:write']
    const narrow = await gateway.createKey(id, { scopes: held })

    const refused = await refusal(narrow.plaintext, {
      ...webApp,
      scope: 'openid billing:read contacts:write usage:read',
    })
    const all = await register(narrow.plaintext)
    const some = await register(narrow.plaintext, { ...webApp, scope: 'seo:write openid openid' })

    expect(refused).toEqual([
      'scope: the calling key lacks contacts:write',
      'scope: the calling key lacks usage:read',
    ])
    expect(all.scope).toBe('openid profile email offline_access billing:read seo:write')
    expect(some.scope).toBe('seo:write openid')
  })

  test.each(scopes.filter((scope) => !tokenScopes.includes(scope)))(
    'allows %s to keys only (docs/oauth-rules.md 19)',
    async (scope) => {
      const { liveKey } = await gateway.createAccount()

      expect(await refusal(liveKey, { ...webApp, scope })).toEqual([
        `scope: no app can have ${scope}`,
      ])
    },
  )

  test('leaves one line in the audit trail, and one when it is refused (docs/oauth-rules.md 118)', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const { client_id } = await register(liveKey, { ...webApp, scope: 'openid' })
    await refusal(liveKey, { ...webApp, scope: 'keys:read' })

    const line = { action: 'oauth_app.create', account_id: id, actor_kind: 'key' }
    const details = { client_name: 'Ledgerly', application_type: 'web', scopes: ['openid'] }
    expect(await linesOf(client_id, 1)).toEqual([{ ...line, result: 'succeeded', details }])
    await vi.waitFor(async () => {
      const refused = await gateway.database.query(
        `SELECT action FROM usage.audit_event WHERE account_id = $1 AND result = 'INVALID_REQUEST'`,
        [id],
      )
      expect(refused).toEqual([{ action: 'oauth_app.create' }])
    }, patience)
  })

  test('with an idempotency key registers one app, and replays its secret (docs/oauth-rules.md 16)', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const once = { 'idempotency-key': 'one app' }

    const first = await gateway.live.post(path, webApp, liveKey, once)
    const again = await gateway.live.post(path, webApp, liveKey, once)
    const other = await gateway.live.post(path, { ...webApp, client_name: 'B' }, liveKey, once)

    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(other.status).toBe(422)
    expect(await list(liveKey)).toHaveLength(1)
    const [kept] = await gateway.database.query<{ kept: string }>(
      'SELECT string_agg(k::text, $2) AS kept FROM account.idempotency_key k WHERE account_id = $1',
      [id, ' '],
    )
    expect(kept?.kept).not.toContain(Object(first.body).client_secret)
  })
})

describe('an attempt to register whose answer was lost', () => {
  const input = {
    ...webApp,
    application_type: 'web',
    grant_types: ['authorization_code'],
    require_pkce: false,
  } as const
  const account = () => newId('acct')

  async function withGraph(
    work: (graph: Awaited<ReturnType<typeof openTestGraph>>) => Promise<void>,
  ) {
    const graph = await openTestGraph()
    try {
      await work(graph)
    } finally {
      await graph.close()
    }
  }

  /** A caller with what the facade derives from its credential and its idempotency key. */
  const newCaller = (accountId = account()) => ({
    ...callerOf(accountId),
    replayKey: randomBytes(32).toString('base64url'),
  })

  test('has registered the app that the next is shown, with the same secret (docs/oauth-rules.md 16)', () =>
    withGraph(async (graph) => {
      const caller = newCaller()
      const once = { reference: 'r', seconds: 600 }
      const attempt = () =>
        graph.as('RegisterApp', { ...input, once }, { ...caller, requestId: newId('req') })

      const first = Object(await attempt())
      const second = Object(await attempt())

      expect(second).toEqual(first)
      expect(await graph.database.query('SELECT client_id, secret_hash FROM oauth.app')).toEqual([
        { client_id: first.client_id, secret_hash: sha256(second.client_secret) },
      ])
    }))

  test('keeps the secret sealed: it opens for nobody with another credential (docs/oauth-rules.md 16)', () =>
    withGraph(async (graph) => {
      const caller = newCaller()
      const once = { reference: 'r', seconds: 600 }
      const first = Object(await graph.as('RegisterApp', { ...input, once }, caller))

      const foreign = graph.as('RegisterApp', { ...input, once }, newCaller(caller.accountId))

      await expect(foreign).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
      const [stored] = await graph.database.query<{ row: string }>(
        'SELECT d::text AS row FROM oauth.done_change d',
      )
      expect(stored?.row).toContain('sealed')
      expect(stored?.row).not.toContain(first.client_secret.slice('svc_ocs_'.length))
      expect(await graph.database.query('SELECT secret_hash FROM oauth.app')).toEqual([
        { secret_hash: sha256(first.client_secret) },
      ])
    }))

  test('does not touch the secret of a later attempt, which somebody may have (docs/oauth-rules.md 16)', () =>
    withGraph(async (graph) => {
      const early = callerOf(account())
      const late = { ...early, requestId: newId('req') }
      const once = { reference: 'r', seconds: 600 }
      const { client_secret } = Object(await graph.as('RegisterApp', { ...input, once }, late))

      const stray = graph.as('RegisterApp', { ...input, once }, early)

      await expect(stray).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
      expect(await graph.database.query('SELECT secret_hash FROM oauth.app')).toEqual([
        { secret_hash: sha256(client_secret) },
      ])
    }))

  test('is not continued by a key with fewer rights (docs/oauth-rules.md 19)', () =>
    withGraph(async (graph) => {
      const wide = callerOf(account())
      const narrow = { ...wide, requestId: newId('req'), scopes: ['oauth:write'] }
      const once = { reference: 'r', seconds: 600 }
      await graph.as('RegisterApp', { ...input, once }, wide)

      const taken = graph.as('RegisterApp', { ...input, once }, narrow)

      await expect(taken).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    }))

  test('twenty at once leave one app, whose secret all of them have (docs/oauth-rules.md 16)', () =>
    withGraph(async (graph) => {
      const caller = newCaller()
      const once = { reference: 'r', seconds: 600 }

      const attempts = await Promise.allSettled(
        Array.from({ length: 20 }, () =>
          graph.as('RegisterApp', { ...input, once }, { ...caller, requestId: newId('req') }),
        ),
      )

      const secrets = attempts.flatMap((attempt) =>
        attempt.status === 'fulfilled' ? [Object(attempt.value).client_secret] : [],
      )
      const apps = await graph.database.query<{ secret_hash: string }>(
        'SELECT secret_hash FROM oauth.app',
      )
      expect(apps).toHaveLength(1)
      expect(secrets.map(sha256)).toEqual(Array(20).fill(apps[0]?.secret_hash))
    }))
})

describe('GET /v1/oauth/apps', () => {
  test("lists the account's own apps of this environment, newest first, without a secret (docs/oauth-rules.md 17)", async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const older = await register(own.liveKey, { ...webApp, client_name: 'Older' })
    const newer = await register(own.liveKey, { ...webApp, client_name: 'Newer' })
    await register(own.sandboxKey, { ...webApp, client_name: 'Play' }, gateway.sandbox)
    await register(foreign.liveKey, { ...webApp, client_name: 'Foreign' })

    const { status, body } = await gateway.live.get(path, own.liveKey)

    expect(status).toBe(200)
    expect(body).toEqual({ items: [readable(newer), readable(older)], next_cursor: null })
    expect(await list(own.sandboxKey, gateway.sandbox)).toMatchObject([{ client_name: 'Play' }])
  })

  test('pages through until next_cursor is null (docs/oauth-rules.md 17)', async () => {
    const { liveKey } = await gateway.createAccount()
    const ids: string[] = []
    for (let made = 0; made < 3; made += 1) ids.unshift((await register(liveKey)).client_id)

    const first = Object((await gateway.live.get(`${path}?limit=2`, liveKey)).body)
    const query = `?limit=2&cursor=${first.next_cursor}`
    const second = Object((await gateway.live.get(path + query, liveKey)).body)

    const idsOf = (page: { items: { client_id: string }[] }) =>
      page.items.map((app) => app.client_id)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    expect([typeof first.next_cursor, second.next_cursor]).toEqual(['string', null])
  })
})

/** The statement that gives a live grant and a consent to each of these accounts. */
function grantFor(clientId: string, accountIds: readonly string[]): [string, unknown[]] {
  return [
    `WITH g AS (
       INSERT INTO oauth.authorization_grant (id, account_id, environment, client_id, scopes,
         approved_by_key_id, auth_time, expires_at)
       SELECT 'grant_' || granter || client_id, granter, environment, client_id, '{openid}',
         'key_x', now(), now() + interval '1 day'
       FROM oauth.app CROSS JOIN unnest($2::text[]) AS granter WHERE client_id = $1
       RETURNING account_id, environment
     )
     INSERT INTO oauth.consent (account_id, environment, client_id, scopes, key_id)
     SELECT account_id, environment, $1, '{openid}', 'key_x' FROM g`,
    [clientId, accountIds],
  ]
}

async function plantGrants(clientId: string, accountIds: readonly string[]): Promise<void> {
  await gateway.database.query(...grantFor(clientId, accountIds))
}

function grantsOf(clientId: string) {
  return gateway.database.query<{ account_id: string; revoked_because: string | null }>(
    `SELECT g.account_id, revoked_because, c.revoked_at IS NOT NULL AS is_withdrawn
     FROM oauth.authorization_grant g JOIN oauth.consent c USING (account_id, client_id)
     WHERE client_id = $1 ORDER BY g.account_id`,
    [clientId],
  )
}

describe('DELETE /v1/oauth/apps/{client_id}', () => {
  test('suspends the app, ends all its grants and consents, and answers with it (docs/oauth-rules.md 18, 71)', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const app = await register(liveKey)
    const other = await register(liveKey)
    const users = [id, newId('acct'), newId('acct')].toSorted()
    await plantGrants(app.client_id, users)
    await plantGrants(other.client_id, users)

    const response = await suspend(liveKey, app.client_id)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({ ...readable(app), status: 'suspended' })
    const ended = { revoked_because: 'app_suspended', is_withdrawn: true }
    const alive = { revoked_because: null, is_withdrawn: false }
    const all = (state: object) => users.map((account_id) => ({ account_id, ...state }))
    expect(await grantsOf(app.client_id)).toEqual(all(ended))
    expect(await grantsOf(other.client_id)).toEqual(all(alive))
    expect(await list(liveKey)).toMatchObject([{ status: 'active' }, { status: 'suspended' }])
  })

  test('changes nothing the second time, repeats the answer and leaves no line (docs/oauth-rules.md 18, 118)', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const { client_id } = await register(liveKey)
    await plantGrants(client_id, [newId('acct'), newId('acct')])

    const first = await suspend(liveKey, client_id)
    const state = await gateway.database.query('SELECT * FROM oauth.app WHERE client_id = $1', [
      client_id,
    ])
    const again = await suspend(liveKey, client_id)

    expect([again.status, again.body]).toEqual([200, first.body])
    expect(
      await gateway.database.query('SELECT * FROM oauth.app WHERE client_id = $1', [client_id]),
    ).toEqual(state)
    expect(await linesOf(client_id, 2)).toMatchObject([
      { action: 'oauth_app.create' },
      {
        ...{ action: 'oauth_app.suspend', result: 'succeeded', account_id: id },
        details: { accounts_affected: 2 },
      },
    ])
  })

  test('called twenty times at once leaves one line and one instant (docs/oauth-rules.md 18, 118)', async () => {
    const { liveKey } = await gateway.createAccount()
    const { client_id } = await register(liveKey)
    await plantGrants(
      client_id,
      Array.from({ length: 50 }, () => newId('acct')),
    )

    // All have begun before one of them gets on.
    const hold = 'SELECT 1 FROM oauth.app WHERE client_id = $1 FOR UPDATE'
    const responses = await whileHeld(gateway.database, [hold, [client_id]], {
      waiting: 2,
      started: () => Promise.all(Array.from({ length: 20 }, () => suspend(liveKey, client_id))),
    })

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    const lines = await linesOf(client_id, 2)
    expect(lines).toMatchObject([
      { action: 'oauth_app.create' },
      { action: 'oauth_app.suspend', details: { accounts_affected: 50 } },
    ])
  })

  test('waits for an approval of the app that is under way, and ends that grant too (docs/oauth-rules.md 18)', async () => {
    const { liveKey } = await gateway.createAccount()
    const { client_id } = await register(liveKey)

    const { status } = await whileHeld(gateway.database, grantFor(client_id, [newId('acct')]), {
      ...{ started: () => suspend(liveKey, client_id), waiting: 1 },
    })

    expect(status).toBe(200)
    expect(await grantsOf(client_id)).toMatchObject([
      { revoked_because: 'app_suspended', is_withdrawn: true },
    ])
  })

  test("answers 404 for another account's app, one of the other environment and an unknown one (docs/oauth-rules.md 18)", async () => {
    const [own, foreign] = [await gateway.createAccount(), await gateway.createAccount()]
    const theirs = await register(foreign.liveKey)
    const play = await register(own.sandboxKey, webApp, gateway.sandbox)

    for (const id of [theirs.client_id, play.client_id, newId('app'), own.id, 'nonsense']) {
      expectError(gateway, await suspend(own.liveKey, id), noApp)
    }
    expect(await list(foreign.liveKey)).toMatchObject([{ status: 'active' }])
    expect(await list(own.sandboxKey, gateway.sandbox)).toMatchObject([{ status: 'active' }])
  })

  test('suspends a sandbox app on the sandbox listener (docs/oauth-rules.md 18)', async () => {
    const { sandboxKey } = await gateway.createAccount()
    const { client_id } = await register(sandboxKey, webApp, gateway.sandbox)

    const { status, body } = await suspend(sandboxKey, client_id, gateway.sandbox)

    expect([status, Object(body).status]).toEqual([200, 'suspended'])
  })
})

describe('the apps of an account', () => {
  const query = `query ($id: ID!, $first: Int!, $after: String, $environment: EnvironmentInput) {
    account(id: $id) {
      oauthApps(first: $first, after: $after, environment: $environment) {
        nodes { clientId clientName status scope }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`

  test('are shown to internal tools, page by page, of both environments (docs/oauth-rules.md 17)', async () => {
    const { id, liveKey, sandboxKey } = await gateway.createAccount()
    const body = { ...webApp, scope: 'openid' }
    await register(liveKey, { ...body, client_name: 'A' })
    await register(liveKey, { ...body, client_name: 'B' })
    await register(sandboxKey, { ...body, client_name: 'Play' }, gateway.sandbox)

    const ask = async (variables: object) => {
      const { account } = Object(await gateway.graphql(query, { id, first: 1, ...variables }))
      return account.oauthApps
    }
    const first = await ask({})
    const second = await ask({ after: first.pageInfo.endCursor })
    const play = await ask({ environment: 'SANDBOX' })

    const node = { clientId: expect.any(String), status: 'active', scope: 'openid' }
    expect([first.nodes, first.pageInfo.hasNextPage]).toEqual([
      [{ ...node, clientName: 'B' }],
      true,
    ])
    expect(second).toEqual({
      nodes: [{ ...node, clientName: 'A' }],
      pageInfo: { hasNextPage: false, endCursor: null },
    })
    expect(play.nodes).toEqual([{ ...node, clientName: 'Play' }])
    await expect(ask({ first: 201 })).rejects.toThrow('first: must be 1 to 200')
  })
})

/** Whether it may be registered, by kind of app: web and spa alike, native. */
const redirectUris: readonly (readonly [uri: string, web: boolean, native: boolean])[] = [
  ['https://a.example/cb', true, true],
  ['https://a.example', true, true],
  ['https://a.example/', true, true],
  ['https://a.example:8443/cb', true, true],
  ['https://a.example/cb?x=1&y=%20', true, true],
  ['https://a.example/cb?next=https://b.example/', true, true],
  ['https://xn--bcher-kva.example/cb', true, true],
  ['https://192.0.2.1/cb', true, true],
  ['https://[2001:db8::1]/cb', true, true],
  ['https://localhost/cb', true, true],
  ['https://intranet/cb', true, true],
  ['HTTPS://A.EXAMPLE/cb', true, true],
  ['https://a.example/@me', true, true],
  ['https://a.example/cb?user=me@a.example', true, true],
  ['http://localhost/cb', true, true],
  ['http://localhost:3000/cb', true, true],
  ['http://LOCALHOST:3000/cb', true, true],
  ['http://127.0.0.1/cb', true, true],
  ['http://127.0.0.1:49152/cb', true, true],
  ['http://[::1]/cb', true, true],
  ['http://[::1]:3000/cb', true, true],
  ['com.example.app:/cb', false, true],
  ['com.example.app://cb', false, true],
  ['com.example.app:cb', false, true],
  ['COM.Example.App:/cb?x=1', false, true],
  ['http://a.example/cb', false, false],
  ['http://localhost.evil.example/cb', false, false],
  ['http://127.0.0.1.evil.example/cb', false, false],
  ['http://127.0.0.2/cb', false, false],
  ['http://127.1/cb', false, false],
  ['http://0x7f.0.0.1/cb', false, false],
  ['http://2130706433/cb', false, false],
  ['http://0.0.0.0/cb', false, false],
  ['http://[::]/cb', false, false],
  ['http://[::ffff:127.0.0.1]/cb', false, false],
  ['http://localhost@evil.example/cb', false, false],
  ['http://localhost%2eevil.example/cb', false, false],
  ['https://user@a.example/cb', false, false],
  ['https://user:pass@a.example/cb', false, false],
  ['https://@a.example/cb', false, false],
  ['https://a.example@evil.example', false, false],
  ['https://a.example\\@evil.example/cb', false, false],
  ['https://a.example\\cb', false, false],
  ['https://a.example/cb#', false, false],
  ['https://a.example/cb#x', false, false],
  ['https://*.a.example/cb', false, false],
  ['https://a.example/x/../cb', false, false],
  ['https://a.example/x/%2E%2e/cb', false, false],
  ['https://a.example/./cb', false, false],
  ['https://a.example/..cb/.well', true, true],
  ['https://a.example/cb?code=1', false, false],
  ['https://a.example/cb?x=1&%69ss=evil', false, false],
  ['https://a.example/cb?state', false, false],
  ['https://a.example/cb?codes=1', true, true],
  ['https://a.example/*', false, false],
  ['https://a.example/cb?x=*', false, false],
  ['https://a.example/c b', false, false],
  [' https://a.example/cb', false, false],
  ['https://a.example/cb ', false, false],
  ['https://a.example/cb\n', false, false],
  ['https://a.example/\tcb', false, false],
  ['ht\ntps://a.example/cb', false, false],
  ['https://a.example/\u0000', false, false],
  ['https://a.example/\u007f', false, false],
  ['https://a.example/\u00e9', false, false],
  ['https://b\u00fccher.example/cb', false, false],
  ['https://a.example/\u202ecb', false, false],
  ['https://a.example/%zz', false, false],
  ['https://a.example/%', false, false],
  ['https://a.example/"><script>', false, false],
  ['https://a.example/{tenant}/cb', false, false],
  ['https:a.example/cb', false, false],
  ['https:/a.example/cb', false, false],
  ['https:///a.example/cb', false, false],
  ['https://', false, false],
  ['https://?x', false, false],
  ['https://:443/cb', false, false],
  ['https://a.example:99999/cb', false, false],
  ['https://a%00b.example/cb', false, false],
  ['https://[::1/cb', false, false],
  ['//a.example/cb', false, false],
  ['/cb', false, false],
  ['a.example/cb', false, false],
  ['', false, false],
  ['cb', false, false],
  ['javascript:alert(1)', false, false],
  ['JavaScript://a.example/%0aalert(1)', false, false],
  ['data:text/html,x', false, false],
  ['vbscript:x', false, false],
  ['file:///etc/passwd', false, false],
  ['blob:https://a.example/x', false, false],
  ['about:blank', false, false],
  ['ws://a.example/cb', false, false],
  ['wss://a.example/cb', false, false],
  ['ftp://a.example/cb', false, false],
  ['mailto:me@a.example', false, false],
  ['urn:ietf:wg:oauth:2.0:oob', false, false],
  ['myapp://cb', false, false],
  ['com.example.app:', false, false],
  ['com.example.app:/cb#x', false, false],
  ['com.example.app://user@host/cb', false, false],
  ['.app:/cb', false, false],
  ['com.:/cb', false, false],
  ['com..app:/cb', false, false],
  [`https://a.example/${'x'.repeat(2030)}`, true, true],
  [`https://a.example/${'x'.repeat(2031)}`, false, false],
]

describe('a redirect URI', () => {
  test.each(redirectUris)(
    '%j may be registered for web %j, for native %j (docs/oauth-rules.md 13, 14)',
    (uri, web, native) => {
      const mayBe = (kind: 'web' | 'spa' | 'native') =>
        registeredRedirectUriProblem(uri, kind) === null

      expect([mayBe('web'), mayBe('spa'), mayBe('native')]).toEqual([web, web, native])
    },
  )

  test.each(['web', 'spa', 'native'] as const)(
    'is accepted by the endpoint as the table says for %s (docs/oauth-rules.md 13, 14)',
    async (application_type) => {
      const { liveKey } = await gateway.createAccount()
      const short = redirectUris.filter(
        ([uri]) => uri !== '' && uri.length <= 2048 && !uri.includes('\0'),
      )
      const isGood = ([, web, native]: (typeof redirectUris)[number]) =>
        application_type === 'native' ? native : web
      const batches = (rows: typeof short) =>
        Array.from({ length: Math.ceil(rows.length / 20) }, (_, index) =>
          rows.slice(index * 20, index * 20 + 20).map(([uri]) => uri),
        )

      for (const redirect_uris of batches(short.filter(isGood))) {
        const app = await register(liveKey, { ...webApp, application_type, redirect_uris })
        expect(app.redirect_uris).toEqual(redirect_uris)
      }
      for (const redirect_uris of batches(short.filter((row) => !isGood(row)))) {
        const details = await refusal(liveKey, { ...webApp, application_type, redirect_uris })
        expect(details.map((detail) => detail.split(': ')[0])).toEqual(
          redirect_uris.map((_, index) => `redirect_uris.${index}`),
        )
      }
    },
  )
})

describe('the number of apps of an account', () => {
  test('is limited to a hundred active ones; a suspended app makes room', async () => {
    const { id, liveKey } = await gateway.createAccount()
    const clientIds = await Promise.all(
      Array.from({ length: 99 }, async () => (await plantApp(gateway, { ownerId: id })).clientId),
    )
    const ask = () => gateway.live.post('/v1/oauth/apps', webApp, liveKey)

    const together = await Promise.all([ask(), ask(), ask()])

    expect(together.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    expectError(gateway, await ask(), {
      status: 409,
      code: 'CONFLICT',
      message: 'An account has at most 100 apps; suspend one.',
    })
    const path = `/v1/oauth/apps/${clientIds[0]}`
    await gateway.live.request(path, { method: 'DELETE', key: liveKey })
    expect((await ask()).status).toBe(201)
  })
})

describe('created_by of an app', () => {
  test('names the key, or the person of the session', async () => {
    const account = await gateway.createAccount()
    const issuer = await gateway.createKey(account.id, { scopes: ['*'] })
    const page = await plantPage(gateway, account, { role: 'DEVELOPER', actor: 'Jane Doe' })
    const byKey = await register(issuer.plaintext, { ...webApp, scope: 'openid' })
    const byPerson = await page.send('POST', path, { ...webApp, scope: 'openid' })
    expect(byPerson.status).toBe(201)

    const made = await list(account.liveKey)

    const { client_id: id } = Object(byPerson.body)
    expect(made).toMatchObject([
      { client_id: id, created_by: 'session:Jane Doe' },
      { client_id: byKey.client_id, created_by: issuer.id },
    ])
    const one = await gateway.live.get(`${path}/${id}`, account.liveKey)
    expect([one.status, one.body]).toEqual([200, made[0]])
  })
})
