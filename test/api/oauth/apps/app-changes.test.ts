import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  approve,
  consent,
  linesOf,
  redirectUri,
  refusalOf,
  registerApp,
  requestOf,
  shownTo,
  signIn,
} from '../../../support/oauth/asking.ts'
import {
  aliveOf,
  allAlive,
  allDead,
  authorize,
  expectFailure,
  invalidGrant,
  redeem,
  refresh,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
})
afterAll(() => gateway.close())

const noApp = { status: 404, code: 'NOT_FOUND', message: 'No OAuth app has this id.' } as const
const scope = 'openid offline_access account:read'
const changedMeanwhile = 'client_id: has changed since it was shown; ask again'

function read({ clientId, developer }: Pick<AskingApp, 'clientId' | 'developer'>) {
  return gateway.live.get(`/v1/oauth/apps/${clientId}`, developer.liveKey)
}

function change(
  { clientId, developer }: Pick<AskingApp, 'clientId' | 'developer'>,
  body: object,
  key = developer.liveKey,
  client = gateway.live,
) {
  return client.request(`/v1/oauth/apps/${clientId}`, {
    ...{ method: 'PATCH', key },
    ...{ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
  })
}

/** The app as `oauth-flow.ts` names it. */
function flowOf({ clientId, clientSecret, developer }: AskingApp) {
  return { clientId, secret: clientSecret ?? null, developer }
}

/** An app with the tokens of an owner. */
async function granted(members: object = {}) {
  const app = await registerApp(gateway, { scope, ...members })
  const owner = await gateway.createAccount()
  const tokens = await authorize(gateway, flowOf(app), { owner, scope, redirectUri })
  return { app, owner, tokens }
}

async function consentsOf({ liveKey }: TestAccount): Promise<object[]> {
  const { status, body } = await gateway.live.get('/v1/oauth/consents', liveKey)
  expect(status).toBe(200)
  return Object(body).items
}

async function revocationsOf({ id }: TestAccount): Promise<object[]> {
  return gateway.database.query(
    "SELECT data FROM account.event WHERE account_id = $1 AND type = 'consent.revoked'",
    [id],
  )
}

describe('GET /v1/oauth/apps/{client_id}', () => {
  test("answers as the list does, and 404 for another account's app (docs/oauth-rules.md 17)", async () => {
    const app = await registerApp(gateway)
    const foreign = await gateway.createAccount()

    const { status, body } = await read(app)

    const list = await gateway.live.get('/v1/oauth/apps', app.developer.liveKey)
    expect([status, [body]]).toEqual([200, Object(list.body).items])
    expectError(gateway, await read({ ...app, developer: foreign }), noApp)
  })
})

describe('PATCH /v1/oauth/apps/{client_id}', () => {
  test('changes the given members, keeps the others, and removes a link by null (docs/oauth-rules.md 139)', async () => {
    const logo_uri = 'https://app.example/logo.png'
    const app = await registerApp(gateway, { logo_uri, client_uri: 'https://app.example' })
    const before = Object((await read(app)).body)
    const redirect_uris = [redirectUri, 'https://app.example/other']
    const tos_uri = 'https://app.example/terms'

    const { status, body } = await change(app, {
      ...{ client_name: 'Acme Two', redirect_uris, tos_uri },
      ...{ logo_uri: null, scope: 'openid email' },
    })

    const { logo_uri: _, ...rest } = before
    const after = {
      ...rest,
      client_name: 'Acme Two',
      redirect_uris,
      tos_uri,
      scope: 'openid email',
    }
    expect([status, body]).toEqual([200, after])
    expect((await read(app)).body).toEqual(after)
    expect(await linesOf(gateway, app.clientId, 1)).toMatchObject([
      {
        ...{ action: 'oauth_app.update', result: 'succeeded', account_id: app.developer.id },
        details: {
          changed: ['client_name', 'redirect_uris', 'scope', 'logo_uri', 'tos_uri'],
          ...{ clientName: 'Acme Two', scopes: ['openid', 'email'], accounts_affected: 0 },
        },
      },
    ])
  })

  test('without a change answers with the app, and leaves no line (docs/oauth-rules.md 139)', async () => {
    const app = await registerApp(gateway)
    const { body: before } = await read(app)

    const same = await change(app, { client_name: 'Acme', redirect_uris: [redirectUri] })
    const empty = await change(app, {})

    expect([same.status, same.body, empty.status, empty.body]).toEqual([200, before, 200, before])
    const renamed = await change(app, { client_name: 'Acme Two' })
    expect(renamed.status).toBe(200)
    expect(await linesOf(gateway, app.clientId, 1)).toHaveLength(1)
  })

  test.each([
    [{ client_name: ' ' }, ['client_name: must not be blank']],
    [{ redirect_uris: [] }, ['redirect_uris: must have at least one entry']],
    [
      { redirect_uris: ['http://app.example/cb'], client_uri: 'ftp://app.example' },
      [
        'redirect_uris.0: must be https unless its host is localhost, 127.0.0.1 or [::1]',
        'client_uri: must be an absolute https URL',
      ],
    ],
    [{ scope: 'openid keys:read' }, ['scope: no app can have keys:read']],
    [{ application_type: 'spa' }, ['application_type: is unknown']],
    [{ client_name: null }, ['client_name: must be a text']],
  ])(
    'refuses %j, and changes nothing (docs/oauth-rules.md 13, 14, 139)',
    async (body, problems) => {
      const app = await registerApp(gateway)
      const { body: before } = await read(app)

      const response = await change(app, body)

      expect(response.status).toBe(422)
      const { details } = Object(Object(response.body).error)
      const named = details.map((one: { field: string; message: string }) => {
        return `${one.field}: ${one.message}`
      })
      expect(named.map((one: string) => one.split(':')[0])).toEqual(
        problems.map((one) => one.split(':')[0]),
      )
      expect((await read(app)).body).toEqual(before)
    },
  )

  test('adds only scopes that the calling key covers; it may keep the others (docs/oauth-rules.md 19, 139)', async () => {
    const app = await registerApp(gateway, { scope: 'openid account:read' })
    const { liveKey } = app.developer
    const scopes = ['oauth:read', 'oauth:write', 'usage:read']
    const issued = await gateway.live.post('/v1/account/keys', { name: 'Apps', scopes }, liveKey)
    expect(issued.status).toBe(201)
    const key = Object(issued.body).plaintext

    const refused = await change(app, { scope: 'openid account:read billing:read' }, key)
    const added = await change(app, { scope: 'openid account:read usage:read' }, key)

    expect(refused.status).toBe(422)
    expect(Object(refused.body).error.details).toMatchObject([
      { field: 'scope', message: 'the calling key lacks billing:read' },
    ])
    expect([added.status, Object(added.body).scope]).toEqual([
      200,
      'openid account:read usage:read',
    ])
  })

  test.each([
    ['another host', { redirect_uris: ['https://other.example/cb'] }],
    ['one more host', { redirect_uris: [redirectUri, 'https://other.example/cb'] }],
    ['another port', { redirect_uris: [`${redirectUri}`, 'https://app.example:8443/callback'] }],
    ['one more scope', { scope: `${scope} usage:read` }],
  ])(
    'with %s ends every consent and grant at once, and tells the owners (docs/oauth-rules.md 140)',
    async (_, body) => {
      const { app, owner, tokens } = await granted()
      const other = await granted()
      expect(await aliveOf(gateway.live, flowOf(app), tokens)).toEqual(allAlive)

      const response = await change(app, body)

      expect([response.status, response.body]).toEqual([200, expect.objectContaining(body)])
      expect(await consentsOf(owner)).toEqual([])
      expect(await aliveOf(gateway.live, flowOf(app), tokens)).toEqual(allDead)
      const refreshed = await refresh(gateway.live, flowOf(app), tokens.refreshToken)
      expectFailure(gateway, refreshed, invalidGrant)
      expect(await aliveOf(gateway.live, flowOf(other.app), other.tokens)).toEqual(allAlive)
      const named = { client_id: app.clientId, client_name: 'Acme' }
      await expect
        .poll(() => revocationsOf(owner), patience)
        .toEqual([{ data: { ...named, reason: 'app_changed' } }])
      expect(await linesOf(gateway, app.clientId, 2)).toContainEqual(
        expect.objectContaining({
          ...{ action: 'oauth_app.update', account_id: app.developer.id },
          details: expect.objectContaining({ accounts_affected: 1 }),
        }),
      )
    },
  )

  test.each([
    ['another path', { redirect_uris: ['https://app.example/other'] }],
    ['fewer scopes', { scope: 'openid' }],
    ['another name', { client_name: 'Acme Two' }],
    ['another link', { client_uri: 'https://elsewhere.example' }],
  ])('with %s ends nothing (docs/oauth-rules.md 140)', async (_, body) => {
    const { app, owner, tokens } = await granted()

    const { status } = await change(app, body)

    expect(status).toBe(200)
    expect(await aliveOf(gateway.live, flowOf(app), tokens)).toEqual(allAlive)
    expect(await consentsOf(owner)).toMatchObject([{ client_id: app.clientId, scope }])
  })

  test('with fewer scopes and then all of them again ends what was granted (docs/oauth-rules.md 140)', async () => {
    const { app, tokens } = await granted()

    const fewer = await change(app, { scope: 'openid' })
    const again = await change(app, { scope })

    expect([fewer.status, again.status]).toEqual([200, 200])
    expect(await aliveOf(gateway.live, flowOf(app), tokens)).toEqual(allDead)
  })

  test('with fewer hosts ends nothing; a code that is on its way is still redeemed (docs/oauth-rules.md 140)', async () => {
    const uris = [redirectUri, 'https://other.example/cb']
    const { app, owner } = await granted({ redirect_uris: uris })
    const { code } = await approve(gateway.live, requestOf(app), owner.liveKey)

    const { status } = await change(app, { redirect_uris: [redirectUri] })

    expect(status).toBe(200)
    const redeemed = await redeem(gateway.live, flowOf(app), code, { redirect_uri: redirectUri })
    expect(redeemed.status).toBe(200)
  })

  test("answers 404 for another account's app, one of the other environment and an unknown one; 409 for a suspended one (docs/oauth-rules.md 139)", async () => {
    const app = await registerApp(gateway)
    const play = await registerApp(gateway, {}, 'sandbox')
    const foreign = await gateway.createAccount()
    const body = { client_name: 'Taken' }
    const { body: before } = await read(app)

    expectError(gateway, await change(app, body, foreign.liveKey), noApp)
    expectError(gateway, await change({ ...app, clientId: play.clientId }, body), noApp)
    expectError(gateway, await change({ ...app, clientId: newId('app') }, body), noApp)
    expect((await read(app)).body).toEqual(before)
    const path = `/v1/oauth/apps/${app.clientId}`
    const { liveKey: key } = app.developer
    expect((await gateway.live.request(path, { method: 'DELETE', key })).status).toBe(200)
    const message = 'This app is suspended.'
    expectError(gateway, await change(app, body), { status: 409, code: 'CONFLICT', message })
  })

  test('cannot be called with an access token (docs/oauth-rules.md 20)', async () => {
    const { app, tokens } = await granted()

    const { status, body } = await change(app, { client_name: 'Taken' }, tokens.accessToken)

    expect([status, Object(body).error.code]).toEqual([401, 'INVALID_API_KEY'])
  })
})

describe('a change of an app and a decision about it', () => {
  const widened = { redirect_uris: [redirectUri, 'https://other.example/cb'] }

  test('that was shown before: the decision is refused (docs/oauth-rules.md 141)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const browser = await signIn(gateway.live, owner.liveKey)
    const query = requestOf(app)
    const token = await shownTo(gateway.live, browser, query)
    const renamed = await change(app, { client_name: 'Your bank' })
    expect(renamed.status).toBe(200)

    const decided = `${query}&consent_token=${token}`
    const response = await consent(gateway.live, decided, undefined, browser.headers)

    expect(refusalOf(gateway, response)).toEqual(['consent_token: is not for this request'])
    expect(await consentsOf(owner)).toEqual([])
  })

  test('at the same time: a decision that waits for the change is refused (docs/oauth-rules.md 141)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()

    const response = await whileHeld(
      gateway.database,
      [
        `WITH locked AS MATERIALIZED (
           SELECT client_id FROM oauth.app WHERE client_id = $1 FOR UPDATE
         )
         UPDATE oauth.app a SET redirect_uris = '{https://other.example/cb}' FROM locked l
         WHERE a.client_id = l.client_id`,
        [app.clientId],
      ],
      { started: () => consent(gateway.live, requestOf(app), owner.liveKey), waiting: 1 },
    )

    expect(refusalOf(gateway, response)).toEqual([changedMeanwhile])
    expect(await consentsOf(owner)).toEqual([])
  })

  test('many at the same time: no consent and no grant of before a change outlives it (docs/oauth-rules.md 140, 141)', async () => {
    const { app, owner, tokens } = await granted()
    const others = await Promise.all(Array.from({ length: 6 }, () => gateway.createAccount()))

    // All have begun before one of them gets on.
    const hold = 'SELECT 1 FROM oauth.app WHERE client_id = $1 FOR UPDATE'
    const [changed, refreshed, ...decided] = await whileHeld(
      gateway.database,
      [hold, [app.clientId]],
      {
        waiting: 4,
        started: () =>
          Promise.all([
            change(app, widened),
            refresh(gateway.live, flowOf(app), tokens.refreshToken),
            ...others.map(({ liveKey }) => consent(gateway.live, requestOf(app), liveKey)),
          ]),
      },
    )

    expect(changed.status).toBe(200)
    // It came before the change.
    expect(refreshed.status).toBe(200)
    const later = Object(refreshed.body)
    const fresh = { accessToken: later.access_token, refreshToken: later.refresh_token }
    expect(await aliveOf(gateway.live, flowOf(app), fresh)).toEqual(allDead)
    expect(await consentsOf(owner)).toEqual([])
    for (const [index, response] of decided.entries()) {
      expect([200, 422]).toContain(response.status)
      if (response.status === 422) expect(refusalOf(gateway, response)).toEqual([changedMeanwhile])
      const one = others[index]
      if (one) expect(await consentsOf(one)).toEqual([])
    }
  })
})
