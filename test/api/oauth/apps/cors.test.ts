import pino from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClientOrigins } from '../../../../rest-facade/callers/client-origins.ts'
import { newId } from '../../../../schema/vocabulary/ids.ts'
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import { type PlantedApp, plantApp } from '../../../support/oauth/oauth.ts'
import type { TestClient } from '../../../support/requests/client.ts'
import { patience } from '../../../support/time/patience.ts'

const ownPage = 'https://console.example'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({
    FIRST_PARTY_ORIGINS: `${ownPage},http://localhost:5173`,
    KEY_CACHE_SECONDS: '0',
  })
})
afterAll(() => gateway.close())

/** What CORS says, of a preflight and of the request itself. */
interface Allowance {
  readonly origin: string | null
  readonly credentials: string | null
  readonly vary: string | null
}

const userinfo = { method: 'GET', path: '/v1/oauth/userinfo' }
const publicOnly = [
  { method: 'POST', path: '/v1/oauth/token' },
  { method: 'POST', path: '/v1/oauth/revoke' },
]
const introspect = { method: 'POST', path: '/v1/oauth/introspect' }
const firstParty = [
  { method: 'GET', path: '/v1/oauth/authorize' },
  { method: 'POST', path: '/v1/oauth/consent' },
  { method: 'POST', path: '/v1/oauth/session' },
  { method: 'DELETE', path: '/v1/oauth/session' },
]

interface Target {
  readonly method: string
  readonly path: string
  readonly client?: TestClient
}

async function allowanceOf(
  { method, path, client = gateway.live }: Target,
  origin: string | null,
): Promise<readonly [preflight: Allowance, request: Allowance]> {
  const sent: Record<string, string> = origin === null ? {} : { origin }
  const preflight = await client.request(path, {
    method: 'OPTIONS',
    headers: { ...sent, 'access-control-request-method': method },
  })
  const request = await client.request(path, { method, headers: sent })
  expect(preflight.status).toBe(204)
  const [first, second] = [preflight, request].map(({ headers }) => ({
    origin: headers.get('access-control-allow-origin'),
    credentials: headers.get('access-control-allow-credentials'),
    vary: headers.get('vary'),
  }))
  if (!first || !second) throw new Error('Two requests were sent.')
  return [first, second]
}

const twice = <Value>(value: Value) => [value, value] as const
const refused: Allowance = { origin: null, credentials: null, vary: 'Origin' }
const echoed = (origin: string): Allowance => ({ origin, credentials: null, vary: 'Origin' })

/** An unused origin. */
function newHost(): string {
  return `${newId('app').replace('_', '-')}.example`
}

async function plant(
  redirectUris: readonly string[],
  options: { isPublic?: boolean; environment?: 'live' | 'sandbox' } = {},
): Promise<PlantedApp> {
  const { id: ownerId } = await gateway.createAccount()
  return plantApp(gateway, { ownerId, redirectUris, isPublic: true, ...options })
}

/** A new app is known within seconds; then everything planted before it is known too. */
async function untilKnown(client: TestClient = gateway.live): Promise<void> {
  const host = newHost()
  const environment = client === gateway.live ? 'live' : 'sandbox'
  await plant([`https://${host}/callback`], { environment })
  const target = { ...userinfo, client }
  const origin = async () => (await allowanceOf(target, `https://${host}`))[1].origin
  await expect.poll(origin, patience).toBe(`https://${host}`)
}

describe('the CORS headers of userinfo, token and revoke', () => {
  test('name the origin of a redirect URI of a public app, as browsers write it (docs/oauth-rules.md 7)', async () => {
    const host = newHost()
    const port = 10_000 + Math.floor(Math.random() * 50_000)
    await plant([
      `https://${host}/callback?x=/y`,
      `https://a.${host}:8443/callback`,
      `HTTPS://B.${host.toUpperCase()}:443/callback`,
      `http://localhost:${port}/callback`,
      `http://[::1]:${port}/`,
      `https://c.${host}`,
    ])
    await untilKnown()

    for (const origin of [
      `https://${host}`,
      `https://a.${host}:8443`,
      `https://b.${host}`,
      `http://localhost:${port}`,
      `http://[::1]:${port}`,
      `https://c.${host}`,
    ]) {
      for (const target of [userinfo, ...publicOnly]) {
        expect(await allowanceOf(target, origin)).toEqual(twice(echoed(origin)))
      }
    }
  })

  test('name the origin of an app that registered itself after an approval only (docs/oauth-rules.md 7)', async () => {
    const [waiting, approved] = [newHost(), newHost()]
    for (const host of [waiting, approved]) {
      await gateway.database.query(
        `INSERT INTO oauth.app (client_id, environment, origin, client_name, application_type,
           token_endpoint_auth_method, redirect_uris, grant_types, scopes, require_pkce, approved_at)
         VALUES ($1, 'live', 'registration', 'Agent', 'native', 'none', $2,
           '{authorization_code}', '{openid}', true, CASE WHEN $3 THEN now() END)`,
        [newId('app'), [`https://${host}/cb`], host === approved],
      )
    }
    await untilKnown()

    expect(await allowanceOf(userinfo, `https://${approved}`)).toEqual(
      twice(echoed(`https://${approved}`)),
    )
    expect(await allowanceOf(userinfo, `https://${waiting}`)).toEqual(twice(refused))
  })

  test('name no other origin, however similar (docs/oauth-rules.md 7)', async () => {
    const host = newHost()
    await plant([`https://${host}/callback`, `com.example.${host}:/callback`])
    await untilKnown()

    for (const origin of [
      null,
      'null',
      '*',
      `http://${host}`,
      `https://${host}:444`,
      `https://${host}:443`,
      `https://${host}/`,
      `https://${host}/callback`,
      `https://${host}.evil.test`,
      `https://evil.test/${host}`,
      `https://evil.test#${host}`,
      `https://sub.${host}`,
      `https://x@${host}`,
      `https://${host.toUpperCase()}`,
      `HTTPS://${host}`,
      `https://${host}, https://evil.test`,
      `https://${host} https://evil.test`,
      `//${host}`,
      host,
      `com.example.${host}:`,
      `com.example.${host}://`,
      'file://',
      'https://',
    ]) {
      for (const target of [userinfo, ...publicOnly]) {
        expect([origin, await allowanceOf(target, origin)]).toEqual([origin, twice(refused)])
      }
    }
  })

  test('let the origin of a confidential app read userinfo only (docs/oauth-rules.md 7)', async () => {
    const origin = `https://${newHost()}`
    await plant([`${origin}/callback`], { isPublic: false })
    await untilKnown()

    expect(await allowanceOf(userinfo, origin)).toEqual(twice(echoed(origin)))
    for (const target of publicOnly) {
      expect(await allowanceOf(target, origin)).toEqual(twice(refused))
    }
  })

  test('let an origin of a confidential and a public app read everything (docs/oauth-rules.md 7)', async () => {
    const origin = `https://${newHost()}`
    await plant([`${origin}:443/one`])
    await plant([`${origin}/two`], { isPublic: false })
    await untilKnown()

    for (const target of [userinfo, ...publicOnly]) {
      expect(await allowanceOf(target, origin)).toEqual(twice(echoed(origin)))
    }
  })

  test('name no origin of a suspended app (docs/oauth-rules.md 7, 18)', async () => {
    const origin = `https://${newHost()}`
    const { clientId } = await plant([`${origin}/callback`])
    await gateway.database.query('UPDATE oauth.app SET suspended_at = now() WHERE client_id = $1', [
      clientId,
    ])
    await untilKnown()

    for (const target of [userinfo, ...publicOnly]) {
      expect(await allowanceOf(target, origin)).toEqual(twice(refused))
    }
  })

  test('name the origin of a sandbox app in the sandbox only (docs/oauth-rules.md 7)', async () => {
    const origin = `https://${newHost()}`
    await plant([`${origin}/callback`], { environment: 'sandbox' })
    await untilKnown()
    await untilKnown(gateway.sandbox)

    expect(await allowanceOf(userinfo, origin)).toEqual(twice(refused))
    const there = { ...userinfo, client: gateway.sandbox }
    expect(await allowanceOf(there, origin)).toEqual(twice(echoed(origin)))
  })

  test('let a browser read the refusal and the remaining limit (docs/oauth-rules.md 7)', async () => {
    const origin = `https://${newHost()}`
    await plant([`${origin}/callback`])
    await untilKnown()

    const { status, headers } = await gateway.live.get(userinfo.path, 'nonsense', { origin })

    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, origin])
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(
      expect.arrayContaining(['WWW-Authenticate', 'Retry-After', 'X-RateLimit-Remaining']),
    )
  })
})

describe('introspect', () => {
  test('may be read by no browser (docs/oauth-rules.md 7)', async () => {
    const origin = `https://${newHost()}`
    await plant([`${origin}/callback`])
    await untilKnown()

    for (const asked of [origin, ownPage, 'null', null]) {
      expect(await allowanceOf(introspect, asked)).toEqual(
        twice({ origin: null, credentials: null, vary: null }),
      )
    }
  })
})

describe.each(firstParty)('$method $path', (target) => {
  test('may be read by first-party origins, with their cookie (docs/oauth-rules.md 7)', async () => {
    for (const origin of [ownPage, 'http://localhost:5173']) {
      expect(await allowanceOf(target, origin)).toEqual(
        twice({ origin, credentials: 'true', vary: 'Origin' }),
      )
    }
  })

  test('may never be read by the page of an app or of another site (docs/oauth-rules.md 7)', async () => {
    const origin = `https://${newHost()}`
    await plant([`${origin}/callback`])
    await untilKnown()

    for (const asked of [origin, `${ownPage}.evil.test`, `${ownPage}:444`, 'null', null]) {
      expect(await allowanceOf(target, asked)).toEqual(twice(refused))
    }
  })
})

describe('every other answer', () => {
  test.each([
    ['GET', '/v1/.well-known/openid-configuration'],
    ['GET', '/v1/.well-known/jwks.json'],
    ['GET', '/v1/account'],
    ['GET', '/v1/oauth/apps'],
    ['GET', '/v1/health'],
    ['GET', '/v1/nothing'],
  ])(
    'is readable for any origin without a cookie: %s %s (docs/oauth-rules.md 7)',
    async (method, path) => {
      for (const origin of ['https://anybody.example', 'null', null]) {
        expect(await allowanceOf({ method, path }, origin)).toEqual(
          twice({ origin: '*', credentials: null, vary: null }),
        )
      }
    },
  )
})

describe('the origins of apps', () => {
  const log = pino({ level: 'silent' })
  const remembering = { environment: 'live', log, cacheSeconds: 5 } as const

  test('are looked up once, for any number of different origins (docs/oauth-rules.md 7)', async () => {
    const execute = vi.fn(async () => [{ origin: 'https://app.example', isPublic: true }])
    const origins = createClientOrigins({ execute, ...remembering })

    const answers = await Promise.all(
      Array.from({ length: 10_000 }, (_, index) => origins.has(`https://${index}.example`, true)),
    )

    expect(answers).not.toContain(true)
    expect(await origins.has('https://app.example', true)).toBe(true)
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('are unknown while the database is unavailable, which is asked once in a second, and known afterwards (docs/oauth-rules.md 7)', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const execute = vi.fn(async () => [{ origin: 'https://app.example', isPublic: true }])
    execute.mockRejectedValueOnce(new Error('away'))
    const origins = createClientOrigins({ execute, ...remembering })
    vi.advanceTimersByTime(10_000)

    expect(await origins.has('https://app.example', true)).toBe(false)
    vi.advanceTimersByTime(999)
    expect(await origins.has('https://app.example', true)).toBe(false)
    expect(execute).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(await origins.has('https://app.example', true)).toBe(true)
  })
})
