import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'
import { deriveKey, open } from '../../../schema/credentials/secrets.ts'
import { createTestDatabase } from '../../support/database/database.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  gatewaySecret,
  isOfRoles,
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  type ReceivedRequest,
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

// The internal listener of the roles' facade is not the one that tests are told of.
const describeOfOne = isOfRoles ? describe.skip : describe

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { items: [] }))
  gateway = await startTestGateway({
    BACKEND_CONTACT_FINDER_URL: backend.url,
    BACKEND_SEO_URL: backend.url,
  })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

interface KeyRow {
  readonly kid: string
  readonly environment: string
  readonly private_sealed: string
}

const rowsOf = ({ database }: Pick<TestGateway, 'database'>) =>
  database.query<KeyRow>(
    `SELECT kid, environment, private_sealed FROM oauth.backend_signing_key
     ORDER BY environment, activate_at, kid`,
  )

function tokenOf({ headers }: ReceivedRequest): string {
  return String(headers['gateway-caller'])
}

function lastReceived(): ReceivedRequest {
  const request = backend.received.at(-1)
  if (!request) throw new Error('The backend received nothing.')
  return request
}

async function tokenOfCall({ liveKey }: TestAccount, path = '/v1/contacts/con_1'): Promise<string> {
  const { status } = await gateway.live.get(path, liveKey)
  expect(status).toBe(200)
  return tokenOf(lastReceived())
}

async function jwksOf({ internal }: TestGateway): Promise<JWK[]> {
  const { status, body } = await internal.get(backendJwksPath)
  expect(status).toBe(200)
  return Object(body).keys
}

const remoteKeys = ({ internal }: TestGateway) =>
  createRemoteJWKSet(new URL(internal.url + backendJwksPath), {
    timeoutDuration: patience.timeout,
  })

describeOfOne('what a backend module is told of the caller', () => {
  test('Gateway-Caller names the caller to one module, signed by a key of the internal JWKS', async () => {
    const account = await gateway.createAccount()
    const before = Math.floor(Date.now() / 1000)

    const token = await tokenOfCall(account)

    const { payload, protectedHeader } = await jwtVerify(token, remoteKeys(gateway), {
      audience: 'contact-finder',
      issuer: gateway.baseUrl,
      algorithms: ['EdDSA'],
    })
    const [live] = await rowsOf(gateway)
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'gateway-caller+jwt', kid: live?.kid })
    const { iat = 0 } = payload
    expect(payload).toEqual({
      iss: gateway.baseUrl,
      aud: 'contact-finder',
      sub: account.id,
      env: 'live',
      scope: 'contacts:read',
      jti: expect.stringMatching(/^[\w-]{20,}$/),
      iat: expect.any(Number),
      exp: iat + 60,
    })
    expect(iat).toBeGreaterThanOrEqual(before)
    expect(lastReceived().headers['gateway-account']).toBe(account.id)
  })

  test('one token is sent again for the same account, module and scope, and for no other', async () => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount()]

    const first = await tokenOfCall(account)

    expect(await tokenOfCall(account, '/v1/contacts/con_2')).toBe(first)
    expect(await tokenOfCall(other)).not.toBe(first)
    const search = await gateway.live.post('/v1/contacts/search', { query: 'a' }, account.liveKey)
    expect(search.status).toBe(200)
    const ofSearch = tokenOf(lastReceived())
    const ofSeo = await tokenOfCall(account, '/v1/seo/keywords?topic=a')
    expect([first, ofSearch, ofSeo].map(decodeJwt)).toMatchObject([
      { aud: 'contact-finder', sub: account.id, scope: 'contacts:read' },
      { aud: 'contact-finder', sub: account.id, scope: expect.stringMatching(/^contacts:/) },
      { aud: 'seo', sub: account.id, scope: 'seo:read' },
    ])
  })

  test('all keys of an account are presented as that account', async () => {
    const account = await gateway.createAccount()
    const { plaintext } = await gateway.createKey(account.id, { scopes: ['contacts:read'] })

    const token = await tokenOfCall({ ...account, liveKey: plaintext })

    expect(decodeJwt(token)).toMatchObject({ sub: account.id, scope: 'contacts:read' })
  })

  test('the JWKS holds public members only; private halves are sealed at rest', async () => {
    const keys = await jwksOf(gateway)
    const rows = await rowsOf(gateway)

    expect(rows.map(({ environment }) => environment)).toEqual(['live', 'sandbox'])
    expect(keys).toEqual(
      rows.map(({ kid }) => ({
        ...{ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid },
        x: expect.stringMatching(/^[\w-]{43}$/),
      })),
    )
    for (const { kid, private_sealed } of rows) {
      const text = open(deriveKey(gatewaySecret, 'backend-signing-key'), private_sealed, kid)
      const { d } = JSON.parse(text ?? '{}')
      expect(d).toMatch(/^[\w-]{43}$/)
      expect(JSON.stringify(keys) + private_sealed).not.toContain(d)
    }
    const { headers } = await gateway.internal.get(backendJwksPath)
    expect(headers.get('cache-control')).toBe('max-age=300')
  })

  test('GET /.well-known/backend-jwks.json is on no public listener', async () => {
    for (const client of [gateway.live, gateway.sandbox]) {
      expect((await client.get(backendJwksPath)).status).toBe(404)
    }
  })

  test('several gateways on one database have the same keys', async ({ onTestFinished }) => {
    const { database } = gateway
    const second = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url }, { database })
    onTestFinished(() => second.close())
    const { liveKey } = await gateway.createAccount()

    const response = await second.live.get('/v1/contacts/con_1', liveKey)

    expect(response.status).toBe(200)
    expect(await jwksOf(second)).toEqual(await jwksOf(gateway))
    const { payload } = await jwtVerify(tokenOf(lastReceived()), remoteKeys(gateway))
    expect(payload.aud).toBe('contact-finder')
  })

  test('a probe of GET /v1/health?backends=1 names no caller', async () => {
    const { status } = await gateway.live.get('/v1/health?backends=1')

    expect(status).toBe(200)
    const probes = backend.received.filter(({ path }) => path === '/health')
    expect(probes.length).toBeGreaterThan(0)
    for (const { headers } of probes) {
      expect(Object.keys(headers).filter((name) => name.startsWith('gateway-'))).toEqual([])
    }
  })
})

describeOfOne('a rotation of the keys that tell backend modules who calls', () => {
  /** Moves every instant of every key back: so much time has gone by for them. */
  const passTime = (interval: string) =>
    gateway.database.query(
      'UPDATE oauth.backend_signing_key SET activate_at = activate_at - $1::interval',
      [interval],
    )
  const rotate = (args: string) =>
    gateway.graphql(`mutation { rotateSigningKeys(${args}) { use environment kid } }`)
  const kidOf = (token: string) => decodeProtectedHeader(token).kid

  test('a module with an old copy of the keys verifies every call, with pending, active and retired keys', async () => {
    const account = await gateway.createAccount()
    const early = remoteKeys(gateway)
    const first = await tokenOfCall(account)
    await jwtVerify(first, early)

    const { rotateSigningKeys } = Object(await rotate('uses: [BACKENDS], environment: live'))

    const [next] = rotateSigningKeys
    expect(rotateSigningKeys).toEqual([{ use: 'BACKENDS', environment: 'live', kid: next.kid }])
    await vi.waitFor(async () => {
      expect((await jwksOf(gateway)).map(({ kid }) => kid)).toContain(next.kid)
    }, patience)
    // Published, and not signing.
    expect(await tokenOfCall(account)).toBe(first)
    const copy = remoteKeys(gateway)
    await jwtVerify(first, copy)
    await passTime('1 hour')
    const second = await vi.waitFor(async () => {
      const token = await tokenOfCall(account)
      expect(kidOf(token)).toBe(next.kid)
      return token
    }, patience)
    // A copy from before its first signature contains it, and the old key is still published.
    await jwtVerify(second, copy)
    await jwtVerify(first, remoteKeys(gateway))
    await expectExactBooks(gateway)
  })

  test('each key has a job that publishes its successor', async () => {
    const jobs = await gateway.database.query<{ data: object }>(
      `SELECT data FROM jobs.job WHERE name = 'TurnSigningKeys' AND state = 'created'
         AND data->>'use' = 'BACKENDS' AND data->>'environment' = 'sandbox'`,
    )
    const [first, ...others] = (await rowsOf(gateway)).filter(
      ({ environment }) => environment === 'sandbox',
    )
    const data = { environment: 'sandbox', kid: first?.kid, use: 'BACKENDS' }
    expect([jobs, others]).toEqual([[{ data }], []])

    await gateway.database.query('UPDATE jobs.job SET start_after = now() WHERE data = $1', [data])

    await vi.waitFor(async () => {
      const rows = await rowsOf(gateway)
      expect(rows.filter(({ environment }) => environment === 'sandbox')).toHaveLength(2)
    }, patience)
  })

  test('an emergency removes the old key from the JWKS, and no token of it is sent any more', async () => {
    const account = await gateway.createAccount()
    const first = await tokenOfCall(account)

    await rotate('uses: [BACKENDS], environment: live, emergency: true')

    const second = await vi.waitFor(async () => {
      const token = await tokenOfCall(account)
      expect(kidOf(token)).not.toBe(kidOf(first))
      return token
    }, patience)
    await jwtVerify(second, remoteKeys(gateway))
    await expect(jwtVerify(first, remoteKeys(gateway))).rejects.toThrow(/no applicable key/)
  })
})

describeOfOne('a gateway that cannot have its keys', () => {
  test('answers 503, asks no backend and holds nothing until the keys are there', async ({
    onTestFinished,
  }) => {
    const database = await createTestDatabase()
    await database.query('REVOKE SELECT ON oauth.backend_signing_key FROM gateway_service')
    const unable = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url }, { database })
    onTestFinished(async () => {
      await unable.close()
      await database.drop()
    })
    const { liveKey } = await unable.createAccount({ credits: 100 })
    const received = backend.received.length
    const reveal = () => unable.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    const refused: TestResponse = await reveal()

    expectError(unable, refused, {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'The gateway cannot sign the caller for backend modules at the moment; try again.',
    })
    expect((await unable.internal.get(backendJwksPath)).status).toBe(503)
    expect(backend.received).toHaveLength(received)
    const { body } = await unable.live.get('/v1/account/credits', liveKey)
    expect(body).toMatchObject({ balance: 100, held: 0 })

    await database.query('GRANT SELECT ON oauth.backend_signing_key TO gateway_service')
    await vi.waitFor(async () => expect((await reveal()).status).toBe(200), patience)
    expect(lastReceived().headers['gateway-caller']).toBeDefined()
  })

  test('answers 503 too when the keys were sealed with another GATEWAY_SECRET', async ({
    onTestFinished,
  }) => {
    const { database } = gateway
    const { liveKey } = await gateway.createAccount()
    const variables = { GATEWAY_SECRET: 'another secret for tests, long enough too' }
    const stranger = await startTestGateway(
      { ...variables, BACKEND_CONTACT_FINDER_URL: backend.url },
      { database },
    )
    onTestFinished(() => stranger.close())
    const received = backend.received.length

    const response = await stranger.live.get('/v1/contacts/con_1', liveKey)

    expectError(stranger, response, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(backend.received).toHaveLength(received)
  })
})
