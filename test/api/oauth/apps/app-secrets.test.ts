import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOAuthSecret } from '../../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../../schema/credentials/secrets.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { whileHeld } from '../../../support/database/held-transaction.ts'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { linesOf } from '../../../support/oauth/asking.ts'
import {
  authorize,
  introspect,
  type RegisteredApp,
  refresh,
  registerApp,
  withoutMinuteLimits,
} from '../../../support/oauth/oauth-flow.ts'
import { patience } from '../../../support/time/patience.ts'

let gateway: TestGateway
let other: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(withoutMinuteLimits)
  other = await startTestGateway(withoutMinuteLimits, { database: gateway.database })
})
afterAll(async () => {
  await other.close()
  await gateway.close()
})

const noApp = { status: 404, code: 'NOT_FOUND', message: 'No OAuth app has this id.' } as const
const week = 7 * 24 * 3600

interface Rotating {
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

function rotate(
  { clientId, developer }: RegisteredApp,
  body: object = {},
  { key = developer.liveKey, headers = {} }: Rotating = {},
) {
  return gateway.live.post(`/v1/oauth/apps/${clientId}/rotate`, body, key, headers)
}

async function rotated(app: RegisteredApp, body: object = {}) {
  const { status, body: answer } = await rotate(app, body)
  expect([status, answer]).toEqual([200, expect.anything()])
  return { ...app, secret: String(Object(answer).client_secret), answer: Object(answer) }
}

/** What each secret is answered with: 200, or 401 once it is not accepted. */
function statusesOf(apps: readonly RegisteredApp[], client = gateway.live): Promise<number[]> {
  return Promise.all(apps.map(async (app) => (await introspect(client, app, 'x')).status))
}

function read({ clientId, developer }: RegisteredApp) {
  return gateway.live.get(`/v1/oauth/apps/${clientId}`, developer.liveKey)
}

/** Moves the end of an overlap back. */
async function endOverlap({ clientId }: RegisteredApp): Promise<void> {
  await gateway.database.query(
    'UPDATE oauth.app SET previous_secret_expires_at = now() WHERE client_id = $1',
    [clientId],
  )
}

describe('POST /v1/oauth/apps/{client_id}/rotate', () => {
  test('shows another secret this once, stores its hash, and says until when the one before is accepted (docs/oauth-rules.md 142)', async () => {
    const app = await registerApp(gateway)
    const { body: before } = await read(app)

    const { status, headers, body } = await rotate(app, { overlap_seconds: 3600 })

    const answer = Object(body)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const previous_secret_expires_at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body).toEqual({
      ...Object(before),
      client_secret: expect.toSatisfy((secret) => isOAuthSecret(secret, 'svc', 'ocs')),
      ...{ client_secret_expires_at: 0, previous_secret_expires_at, created_by: undefined },
    })
    const [stored] = await gateway.database.query(
      `SELECT secret_hash, previous_secret_hash,
         round(extract(epoch FROM previous_secret_expires_at - now()) / 600)::int AS tens
       FROM oauth.app WHERE client_id = $1`,
      [app.clientId],
    )
    expect(stored).toEqual({
      ...{ secret_hash: sha256(answer.client_secret), tens: 6 },
      previous_secret_hash: sha256(app.secret ?? ''),
    })
    const shown = { ...Object(before), previous_secret_expires_at }
    expect((await read(app)).body).toEqual(shown)
    const list = await gateway.live.get('/v1/oauth/apps', app.developer.liveKey)
    expect(Object(list.body).items).toEqual([shown])
    expect(await linesOf(gateway, app.clientId, 1)).toMatchObject([
      { action: 'oauth_app.rotate', result: 'succeeded', details: { overlap_seconds: 3600 } },
    ])
  })

  test('accepts both secrets during the overlap, then the newest alone, in every process (docs/oauth-rules.md 142)', async () => {
    const app = await registerApp(gateway)

    const newest = await rotated(app, { overlap_seconds: week })

    for (const { live } of [gateway, other]) {
      expect(await statusesOf([app, newest], live)).toEqual([200, 200])
    }
    await endOverlap(app)
    // Another app of the account makes no difference; a process that has seen no notice asks again at the end.
    const late = await startTestGateway(withoutMinuteLimits, { database: gateway.database })
    expect(await statusesOf([app, newest], late.live)).toEqual([401, 200])
    await late.close()
    expect(Object((await read(app)).body)).not.toHaveProperty('previous_secret_expires_at')
  })

  test('ends a remembered secret at its instant (docs/oauth-rules.md 142)', async () => {
    const app = await registerApp(gateway)

    const newest = await rotated(app, { overlap_seconds: 2 })

    expect(await statusesOf([newest])).toEqual([200])
    await expect.poll(() => statusesOf([app, newest]), patience).toEqual([401, 200])
  })

  test('without an overlap ends the secret before at once (docs/oauth-rules.md 142)', async () => {
    const app = await registerApp(gateway)
    expect(await statusesOf([app])).toEqual([200])

    const newest = await rotated(app, { overlap_seconds: 0 })

    expect(newest.answer).not.toHaveProperty('previous_secret_expires_at')
    expect(await statusesOf([app, newest])).toEqual([401, 200])
  })

  test('lasts a day where nothing is said (docs/oauth-rules.md 142)', async () => {
    const app = await registerApp(gateway)

    const { answer } = await rotated(app)

    const hours = (Date.parse(answer.previous_secret_expires_at) - Date.now()) / 3_600_000
    expect(Math.round(hours)).toBe(24)
  })

  test('a second time ends the first overlap (docs/oauth-rules.md 143)', async () => {
    const first = await registerApp(gateway)
    const second = await rotated(first, { overlap_seconds: week })
    expect(await statusesOf([first, second])).toEqual([200, 200])

    const third = await rotated(first, { overlap_seconds: 3600 })

    expect(await statusesOf([first, second, third])).toEqual([401, 200, 200])
  })

  test('twice at once leaves the two newest secrets, and each answer shows another one (docs/oauth-rules.md 143)', async () => {
    const app = await registerApp(gateway)

    const hold = 'SELECT 1 FROM oauth.app WHERE client_id = $1 FOR UPDATE'
    const answers = await whileHeld(gateway.database, [hold, [app.clientId]], {
      waiting: 2,
      started: () => Promise.all([1, 2].map(() => rotate(app, { overlap_seconds: 3600 }))),
    })

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const secrets = answers.map(({ body }) => String(Object(body).client_secret))
    expect(new Set(secrets).size).toBe(2)
    const both = secrets.map((secret) => ({ ...app, secret }))
    expect(await statusesOf([app, ...both])).toEqual([401, 200, 200])
  })

  test('repeated with its idempotency key answers the same, and rotates once (docs/oauth-rules.md 143)', async () => {
    const app = await registerApp(gateway)
    const headers = { 'idempotency-key': 'rotate-once' }

    const first = await rotate(app, {}, { headers })
    const again = await rotate(app, {}, { headers })

    expect([again.status, again.body]).toEqual([first.status, first.body])
    const newest = { ...app, secret: String(Object(first.body).client_secret) }
    expect(await statusesOf([app, newest])).toEqual([200, 200])
  })

  test('keeps tokens and consents (docs/oauth-rules.md 144)', async () => {
    const app = await registerApp(gateway)
    const owner = await gateway.createAccount()
    const { refreshToken, accessToken } = await authorize(gateway, app, { owner })

    const newest = await rotated(app, { overlap_seconds: 0 })

    expect((await gateway.live.get('/v1/oauth/userinfo', accessToken)).status).toBe(200)
    expect((await refresh(gateway.live, newest, refreshToken)).status).toBe(200)
  })

  test('is 409 for a public app and a suspended one (docs/oauth-rules.md 144)', async () => {
    const isPublic = await registerApp(gateway, { isPublic: true })
    const gone = await registerApp(gateway)
    const path = `/v1/oauth/apps/${gone.clientId}`
    const { liveKey: key } = gone.developer
    expect((await gateway.live.request(path, { method: 'DELETE', key })).status).toBe(200)

    const conflict = { status: 409, code: 'CONFLICT' } as const
    const noSecret = 'This app is public: it has no secret.'
    expectError(gateway, await rotate(isPublic), { ...conflict, message: noSecret })
    expectError(gateway, await rotate(gone), { ...conflict, message: 'This app is suspended.' })
  })

  test("is 404 for another account's app and an unknown one, and changes nothing (docs/oauth-rules.md 142)", async () => {
    const app = await registerApp(gateway)
    const foreign = await gateway.createAccount()

    expectError(gateway, await rotate(app, {}, { key: foreign.liveKey }), noApp)
    expectError(gateway, await rotate({ ...app, clientId: newId('app') }), noApp)
    expect(await statusesOf([app])).toEqual([200])
  })

  test.each([-1, 1.5, week + 1, '60', null])(
    'refuses %j seconds (docs/oauth-rules.md 142)',
    async (overlap_seconds) => {
      const app = await registerApp(gateway)

      const response = await rotate(app, { overlap_seconds })

      const message = `must be an integer from 0 to ${week}`
      const details = [{ field: 'overlap_seconds', in: 'body', message }]
      expect([response.status, Object(response.body).error.details]).toEqual([422, details])
      expect(await statusesOf([app])).toEqual([200])
    },
  )
})
