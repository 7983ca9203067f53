import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../gateway/config/config.ts'
import { backendJwksPath } from '../../../gateway/internal/backend-keys.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { type RunningRole, startRole } from '../../../gateway/processes/roles.ts'
import { createKeptObjects } from '../../../gateway/trial/simulator/kept-objects.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  isOfRoles,
  sharedGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type GatewaySigner, signerOf } from '../../support/gateway/gateway-signer.ts'
import { startStubBackend } from '../../support/stubs/stub-backend.ts'

const catalog = loadCatalog()
const modules = catalog.services.map(({ backendModule }) => backendModule)

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const kinds = [
  {
    title: 'sends',
    path: '/v1/promote/sends',
    idName: 'send_id',
    body: { subject: 'Hi', body: 'Hello', recipients: ['ada@acme.example'] },
  },
  {
    title: 'audits',
    path: '/v1/seo/audits',
    idName: 'audit_id',
    body: { domain: 'acme.example' },
  },
  {
    title: 'drafts',
    path: '/v1/campaigns/drafts',
    idName: 'draft_id',
    body: { goal: 'Win back', channels: ['email'] },
  },
]

/** The two listeners, each with its key of an account. */
const doors = ({ liveKey, sandboxKey }: TestAccount) => [
  { environment: 'live', door: gateway.live, key: liveKey },
  { environment: 'sandbox', door: gateway.sandbox, key: sandboxKey },
]

describe.each(kinds)('simulated $title', ({ path, idName, body }) => {
  test('are shown to the account that created them, and answered 404 for others and in the other environment', async () => {
    const [ada, grace] = [await gateway.createAccount(), await gateway.createAccount()]
    for (const [index, { door, key }] of doors(ada).entries()) {
      const created = await door.post(path, body, key)
      expect([created.status, created.body]).toEqual([
        expect.toBeOneOf([201, 202]),
        expect.objectContaining({ [idName]: expect.any(String) }),
      ])
      const id: string = Object(created.body)[idName]

      const own = await door.get(`${path}/${id}`, key)
      expect([own.status, own.body]).toEqual([200, expect.objectContaining({ [idName]: id })])

      const strangers = [doors(grace)[index], doors(ada)[1 - index], doors(grace)[1 - index]]
      for (const stranger of strangers) {
        const response = await stranger?.door.get(`${path}/${id}`, stranger.key)
        if (!response) throw new Error('Nobody was asked.')
        expectError(gateway, response, { status: 404, code: 'NOT_FOUND' })
        expect(JSON.stringify(response.body)).not.toContain(id)
      }
    }
  })

  test('differ between accounts for the same request', async () => {
    const ids = new Set<string>()
    for (let count = 0; count < 2; count += 1) {
      for (const { door, key } of doors(await gateway.createAccount())) {
        const { body: created } = await door.post(path, body, key)
        ids.add(Object(created)[idName])
      }
    }
    expect(ids.size).toBe(4)
  })
})

describe('simulated files', () => {
  const content_base64 = 'PHN2Zy8+'

  test('are listed for the account that stored them, newest first, and for no other', async () => {
    const [ada, grace] = [await gateway.createAccount(), await gateway.createAccount()]
    for (const [index, { door, key }] of doors(ada).entries()) {
      const names = ['private-one.svg', 'private-two.svg']
      const stored: unknown[] = []
      for (const name of names) {
        const { status, body } = await door.post('/v1/cloud/files', { name, content_base64 }, key)
        expect(status).toBe(201)
        stored.unshift(body)
      }

      const { body: own } = await door.get('/v1/cloud/files', key)
      expect(Object(own).items.slice(0, 2)).toEqual(stored)
      expect(Object(own).items).toHaveLength(10)

      const strangers = [doors(grace)[index], doors(ada)[1 - index]].slice(0, index === 0 ? 2 : 1)
      for (const stranger of strangers) {
        const listed = await stranger?.door.get('/v1/cloud/files', stranger.key)
        expect(listed?.status).toBe(200)
        expect(JSON.stringify(listed?.body)).not.toContain('private-')
        const ids = (answer: unknown) =>
          Object(answer).items.map(({ file_id }: { file_id: string }) => file_id)
        const mine = new Set(ids(own))
        expect(ids(listed?.body).filter((id: string) => mine.has(id))).toEqual([])
      }
    }
  })
})

// The internal listener of the roles' facade is not the one that tests are told of.
describe.skipIf(isOfRoles)('gateway start simulator', () => {
  const log = createLog({ level: 'silent', format: 'json' })
  const start = (variables: Readonly<Record<string, string>>) =>
    startRole(
      'simulator',
      readConfig({ PORT: '0', ...variables }, modules, 'simulator'),
      catalog,
      log,
    )
  let simulator: RunningRole
  let account: TestAccount
  let signer: GatewaySigner
  beforeAll(async () => {
    simulator = await start({
      GATEWAY_JWKS_URL: gateway.internal.url + backendJwksPath,
      BASE_URL: gateway.baseUrl,
    })
    account = await gateway.createAccount()
    signer = await signerOf(gateway)
  })
  afterAll(() => simulator.close())

  /** The claims that the gateway sends for a call of this account. */
  const claims = (more: object = {}) => {
    const iat = Math.floor(Date.now() / 1000)
    const { id: sub } = account
    const own = { iss: gateway.baseUrl, aud: 'cloud', sub, env: 'live', jti: 'one' }
    return { ...own, scope: 'cloud:read', iat, exp: iat + 60, ...more }
  }

  async function ask(path: string, token?: string, body?: object, { urls } = simulator) {
    const response = await fetch(`${urls.modules}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: token === undefined ? {} : { 'Gateway-Caller': token },
      body: body && JSON.stringify(body),
    })
    return { status: response.status, body: Object(await response.json()) }
  }

  test('answers the requests of the gateway for an account', async () => {
    const answer = await ask('/cloud/files', await signer.sign(claims()))

    expect([answer.status, answer.body.items]).toEqual([200, expect.any(Array)])
  })

  test('requires GATEWAY_JWKS_URL', () => {
    expect(() => readConfig({ PORT: '0' }, modules, 'simulator')).toThrow(
      'GATEWAY_JWKS_URL is required by the role simulator',
    )
  })

  test('answers 401 without a token, and changes nothing', async () => {
    const file = { name: 'stolen.svg', content_base64: 'PHN2Zy8+' }

    const refused = await ask('/cloud/files', undefined, file)

    expect(refused).toEqual({ status: 401, body: { message: 'Only the gateway may ask.' } })
    const { body } = await ask('/cloud/files?limit=100', await signer.sign(claims()))
    expect(JSON.stringify(body)).not.toContain('stolen')
    const headers = { 'Gateway-Account': account.id, 'X-Sandbox-Scenario': 'reset' }
    const response = await fetch(`${simulator.urls.modules}/cloud/files`, { headers })
    expect(response.status).toBe(401)
  })

  test.each([
    { title: 'for another module', more: { aud: 'seo' } },
    { title: 'of another gateway', more: { iss: 'https://api.example.com' } },
    { title: 'that has ended', more: { iat: 1_700_000_000, exp: 1_700_000_060 } },
    { title: 'without an end', more: { exp: undefined } },
    { title: 'of no environment', more: { env: 'staging' } },
    { title: 'about nobody', more: { sub: undefined } },
    { title: 'of another type', header: { typ: 'JWT' } },
    { title: 'of a key that nobody has heard of', header: { kid: 'unknown' } },
  ])('answers 401 to a token $title', async ({ more = {}, header = {} }) => {
    const { status } = await ask('/cloud/files', await signer.sign(claims(more), header))

    expect(status).toBe(401)
  })

  test('answers 401 to a token that another party signed or that was changed', async () => {
    const { privateKey } = await generateKeyPair('EdDSA')
    const header = { alg: 'EdDSA', typ: 'gateway-caller+jwt', kid: signer.kid }
    const forged = await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey)
    const good = await signer.sign(claims())
    const [head = '', , signature = ''] = good.split('.')
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const changed = `${head}.${encode(claims({ sub: 'acct_other' }))}.${signature}`
    const unsigned = `${encode({ ...header, alg: 'none' })}.${encode(claims())}.`

    for (const token of [forged, changed, unsigned, 'x', '..', `${good}x`]) {
      expect((await ask('/cloud/files', token)).status).toBe(401)
    }
  })

  test('answers 403 to a token for another operation', async () => {
    const token = await signer.sign(claims({ scope: 'seo:read' }))

    expect((await ask('/cloud/files', token)).status).toBe(403)
  })

  test('answers health without a caller', async () => {
    expect(await ask('/cloud/health')).toEqual({ status: 200, body: { status: 'ok' } })
  })

  test('answers 503 while the keys are unavailable, and changes nothing', async ({
    onTestFinished,
  }) => {
    const nowhere = await startStubBackend()
    await nowhere.close()
    const blind = await start({ GATEWAY_JWKS_URL: nowhere.url })
    onTestFinished(() => blind.close())

    const { status } = await ask('/cloud/files', await signer.sign(claims()), undefined, blind)

    expect(status).toBe(503)
  })
})

describe('the storage of the simulator', () => {
  test('is bounded for each account: the oldest entry is dropped first', () => {
    const objects = createKeptObjects({ maxPerOwner: 3 })
    objects.keep('grace', '/files/1', { id: 'hers' })
    for (let id = 1; id <= 5; id += 1) objects.keep('ada', `/files/${id}`, { id })

    expect(objects.list('ada', '/files/')).toEqual([{ id: 5 }, { id: 4 }, { id: 3 }])
    expect(objects.find('ada', '/files/2')).toBeNull()
    expect(objects.list('grace', '/files/')).toEqual([{ id: 'hers' }])
    expect(objects.list('ada', '/sends/')).toEqual([])
  })

  test('is bounded in total: the least recently used entry is dropped first', () => {
    const objects = createKeptObjects({ maxBytes: 1000 })
    for (let owner = 0; owner < 50; owner += 1) {
      objects.keep(`owner ${owner}`, '/files/1', { text: 'x'.repeat(60) })
    }

    const left = Array.from({ length: 50 }, (_, owner) =>
      objects.find(`owner ${owner}`, '/files/1'),
    )
    expect(left.findIndex((object) => object !== null)).toBeGreaterThan(35)
    expect(left.at(-1)).not.toBeNull()
    expect(objects.list('owner 0', '/files/')).toEqual([])
  })

  test('takes no large entries', () => {
    const objects = createKeptObjects()
    objects.keep('ada', '/files/1', { text: 'x'.repeat(100_000) })

    expect(objects.find('ada', '/files/1')).toBeNull()
    expect(objects.list('ada', '/files/')).toEqual([])
  })
})
