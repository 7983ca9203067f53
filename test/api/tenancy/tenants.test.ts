import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  fingerprintDatabase,
  requestTraces,
  restingVariables,
} from '../../support/database/database-dump.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { newIds, pathOf, plantOfParam, plants } from '../../support/gateway/plants.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  pathWith,
  productRequests,
  routeRequests,
  type ValidRequest,
} from '../../support/requests/valid-requests.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ ...restingVariables, SMTP_URL: 'mailbox:' })
})
let cases = 0
afterAll(async () => {
  await gateway.close()
  console.info(`foreign ids, keys and pages: ${cases} cases`)
})

interface Tenant extends TestAccount {
  /** Stands in every text of its own. */
  readonly canary: string
}

async function newTenant(): Promise<Tenant> {
  return { ...(await gateway.createAccount()), canary: `canary-${randomUUID()}` }
}

/**
 * One thing of each kind, with the canary in it. Returns the ids by the parameter that names them.
 */
async function plantEverything(
  { id: accountId, canary }: Tenant,
  environment: Environment,
): Promise<Readonly<Record<string, string>>> {
  const idByParam: Record<string, string> = {}
  for (const plant of plants) {
    const ids = newIds(plant.prefix, 1)
    await plant.put(gateway.database, { accountId, environment, ids, canary })
    if (plant.param) idByParam[plant.param] = ids[0] ?? ''
  }
  await gateway.database.query(
    `INSERT INTO account.notification_address (id, account_id, address, place, confirmed_at)
     VALUES ($1, $2, $3, 1, now()) ON CONFLICT DO NOTHING`,
    [newId('addr'), accountId, `${canary}@acme.example`],
  )
  return idByParam
}

function randomIds(params: readonly string[]): Record<string, string> {
  return Object.fromEntries(params.map((param) => [param, newId(plantOfParam(param).prefix)]))
}

interface Ask {
  readonly request: ValidRequest
  readonly tenant: Tenant
  readonly environment: Environment
  readonly ids?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

function ask({ request, tenant, environment, ids = {}, headers }: Ask): Promise<TestResponse> {
  const { method, path, body } = request
  const key = environment === 'live' ? tenant.liveKey : tenant.sandboxKey
  const options = { method, key, body, headers }
  return admitted(() => gateway[environment].request(pathWith(path, ids), options))
}

/** All of an answer that may differ between two requests that are alike is left out. */
function gist({ status, headers, body }: TestResponse) {
  const varying = /^(x-request-id|x-ratelimit-.*|date|connection|keep-alive)$/
  // The page of the log is that of the environment that was asked.
  const text = JSON.stringify(body)
    .replaceAll(headers.get('x-request-id') ?? '', '')
    .replace(/http:\/\/127\.0\.0\.1:\d+\/console\//, '/console/')
  return { status, headers: [...headers].filter(([name]) => !varying.test(name)), text }
}

function expectSilence(response: TestResponse, { canary, id }: Tenant): void {
  const text = JSON.stringify([...response.headers, response.body])
  expect(text).not.toContain(canary)
  expect(text).not.toContain(id)
}

const environments = ['live', 'sandbox'] as const
const requests = [...routeRequests(), ...productRequests()].filter(({ isPublic }) => !isPublic)
const byId = routeRequests().filter(({ params }) => params.length > 0)

/**
 * The listeners on which a request is tried. Both share the code that decides, so a fast run tries
 * each request on one of them.
 */
function triedOn<Request extends ValidRequest>(
  environment: Environment,
  all: readonly Request[],
): readonly Request[] {
  return all.filter(({ title }) => chosen(title, environments).includes(environment))
}

describe.each(
  environments.flatMap((environment) =>
    triedOn(environment, byId).map((request) => ({ ...request, environment })),
  ),
)('$title ($environment)', ({ environment, ...request }) => {
  test("gives the same answer for another account's id as for an unknown one, and does nothing", async () => {
    const [owner, stranger] = [await newTenant(), await newTenant()]
    const ids = await plantEverything(owner, environment)
    const before = await fingerprintDatabase(gateway.database, requestTraces)

    const foreign = await ask({ request, tenant: stranger, environment, ids })
    const nobodys = await ask({
      ...{ request, tenant: stranger, environment },
      ids: randomIds(request.params),
    })
    const malformed = Object.fromEntries(request.params.map((param) => [param, 'nonsense']))
    const nothings = await ask({ request, tenant: stranger, environment, ids: malformed })
    const elsewhere = await ask({
      ...{ request, tenant: owner, ids },
      environment: environment === 'live' ? 'sandbox' : 'live',
    })

    expectError(gateway, foreign, { status: 404, code: 'NOT_FOUND' })
    expect(gist(foreign)).toEqual(gist(nobodys))
    expect(gist(foreign)).toEqual(gist(nothings))
    expect(gist(foreign)).toEqual(gist(elsewhere))
    for (const response of [foreign, nobodys, nothings, elsewhere]) expectSilence(response, owner)
    expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
    cases += 4
  })

  test('finds the id for its owner', async () => {
    const owner = await newTenant()
    const ids = await plantEverything(owner, environment)

    const { status } = await ask({ request, tenant: owner, environment, ids })

    // Only the session that has disabled the key undoes it: `test/api/keys` has it.
    const isOfSession = request.path.endsWith('/undo-disable')
    expect(isOfSession ? [409] : [200, 201, 202]).toContain(status)
  })
})

describe.each(environments)('the objects of another account (%s)', (environment) => {
  const elsewhere = [
    // The calling session is of no key: `test/api/sessions` has it.
    'GET /v1/account/sessions/current',
    // They are of live alone: `test/api/members` has them.
    'GET /v1/account/members',
    // It needs the name of a package: `test/api/payments` has it.
    'GET /v1/billing/checkout/preview',
  ]
  const reading = requests.filter(
    ({ method, params, title }) =>
      method === 'GET' && params.length === 0 && !elsewhere.includes(title),
  )

  test.each(triedOn(environment, reading))('are not in $title', async (request) => {
    const [owner, stranger] = [await newTenant(), await newTenant()]
    await plantEverything(owner, environment)

    const response = await ask({ request, tenant: stranger, environment })

    const isLiveOnly = request.title === 'GET /v1/account/notifications'
    expect(response.status).toBe(isLiveOnly && environment === 'sandbox' ? 409 : 200)
    expectSilence(response, owner)
    cases += 1
  })

  test('are in the lists of their owner', async () => {
    const owner = await newTenant()
    await plantEverything(owner, environment)

    for (const plant of plants) {
      const list = await pathOf(plant, gateway.database, { accountId: owner.id, environment })
      const key = environment === 'live' ? owner.liveKey : owner.sandboxKey
      const { body } = await gateway[environment].get(`/v1${list}`, key)

      expect(JSON.stringify(body)).toContain(owner.canary)
    }
  })
})

describe.each(environments)('an idempotency key (%s)', (environment) => {
  const changes = requests.filter(({ method, isSignIn }) => method !== 'GET' && !isSignIn)

  test.each(triedOn(environment, changes))(
    'of another account means nothing to $title',
    async (request) => {
      const [owner, stranger] = [await newTenant(), await newTenant()]
      const headers = { 'idempotency-key': owner.canary }
      const owned = { request, tenant: owner, environment, headers }
      const ids = await plantEverything(owner, environment)
      const theirs = await plantEverything(stranger, environment)
      const first = await ask({ ...owned, ids })

      const foreign = await ask({ ...owned, tenant: stranger, ids: theirs })
      const otherwise = await ask({ ...owned, tenant: stranger, ids: randomIds(request.params) })
      const replay = await ask({ ...owned, ids })

      expect([request.title, foreign.status]).toEqual([request.title, first.status])
      expect(foreign.headers.get('idempotent-replayed')).toBeNull()
      expectSilence(foreign, owner)
      // The path is another, so the stranger's own use of the key is told from this one.
      if (request.params.length > 0) expect([404, 422]).toContain(otherwise.status)
      expectSilence(otherwise, owner)
      // A reset of the sandbox ends the key that asks for it, and so every replay with that key.
      if (first.status < 300 && replay.status !== 401) {
        expect(replay.headers.get('idempotent-replayed')).toBe('true')
        expect([replay.status, replay.body]).toEqual([first.status, first.body])
      }
      cases += 2
    },
  )
})

describe('a header', () => {
  test.each([
    'X-Account-Id',
    'X-Tenant-Id',
    'X-User-Id',
    'X-Caller',
    'X-Internal-Account-Id',
    'X-Internal-Token',
    'X-Environment',
    'X-Scopes',
    'baggage',
    'tracestate',
  ])('%s does not change the account of a caller', async (name) => {
    const [owner, stranger] = [await newTenant(), await newTenant()]
    await plantEverything(owner, 'live')
    const headers = { [name]: owner.id }

    const response = await gateway.live.get('/v1/account', stranger.liveKey, headers)

    expect(response.body).toMatchObject({ id: stranger.id, environment: 'live' })
    expectSilence(response, owner)
    cases += 1
  })
})
