import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type PlantedGrant, plantGrant } from '../../support/oauth/oauth.ts'
import {
  expectFailure,
  introspect,
  invalidClient,
  type RegisteredApp,
  refresh,
  revoke,
} from '../../support/oauth/oauth-flow.ts'
import {
  hasRedis,
  type RedisServer,
  startRedisServer,
} from '../../support/processes/redis-server.ts'
import { patience } from '../../support/time/patience.ts'

/** Tokens and apps are believed for an hour: only a notice can make a gateway forget one. */
const believing = { KEY_CACHE_SECONDS: '3600' }

interface Situation {
  readonly developer: TestAccount
  readonly grant: PlantedGrant
}

/** An app of one account that has been let read another. */
async function grantedApp(gateway: TestGateway): Promise<Situation> {
  const developer = await gateway.createAccount()
  const owner = await gateway.createAccount()
  const grant = await plantGrant(gateway, {
    ...{ ownerId: developer.id, accountId: owner.id, scopes: ['openid', 'account:read'] },
  })
  return { developer, grant }
}

async function setStatus(
  gateway: TestGateway,
  { developer: { id } }: Situation,
  status: string,
): Promise<void> {
  const mutation = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { id } }'
  await gateway.graphql(mutation, { input: { id, status } })
}

function appOf({ developer, grant }: Situation): RegisteredApp {
  return { clientId: grant.clientId, secret: grant.clientSecret, developer }
}

/** The answers that the app gets for its token, and for itself. */
async function statusesOf({ live }: TestGateway, situation: Situation): Promise<number[]> {
  const { accessToken } = situation.grant
  const answers = await Promise.all([
    live.get('/v1/oauth/userinfo', accessToken),
    live.get('/v1/account', accessToken),
    introspect(live, appOf(situation), accessToken),
  ])
  return answers.map(({ status }) => status)
}

const allowed = [200, 200, 200]
const refused = [401, 401, 401]

describe('the tokens and the apps of an account that is suspended or closed', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway(believing)
  })
  afterAll(() => gateway.close())

  test.each(['SUSPENDED', 'CLOSED'])(
    'are refused from the next request on when it is %s, and accepted again when it is active (docs/oauth-rules.md 18, 73)',
    async (status) => {
      const situation = await grantedApp(gateway)
      const [app, { grant }] = [appOf(situation), situation]
      expect(await statusesOf(gateway, situation)).toEqual(allowed)

      await setStatus(gateway, situation, status)
      const after = await statusesOf(gateway, situation)
      const asApp = [
        await introspect(gateway.live, app, grant.accessToken),
        await refresh(gateway.live, app, grant.refreshToken),
        await revoke(gateway.live, app, grant.accessToken),
      ]
      await setStatus(gateway, situation, 'ACTIVE')

      expect(after).toEqual(refused)
      for (const response of asApp) expectFailure(gateway, response, invalidClient)
      expect(await statusesOf(gateway, situation)).toEqual(allowed)
    },
  )

  test('end alone: the tokens of another app of the same person remain valid', async () => {
    const situation = await grantedApp(gateway)
    const other = await grantedApp(gateway)
    expect(await statusesOf(gateway, situation)).toEqual(allowed)
    expect(await statusesOf(gateway, other)).toEqual(allowed)

    await setStatus(gateway, situation, 'SUSPENDED')

    expect(await statusesOf(gateway, situation)).toEqual(refused)
    expect(await statusesOf(gateway, other)).toEqual(allowed)
  })

  test('are refused while their requests are running, and none is cached', async () => {
    const situation = await grantedApp(gateway)

    // Two requests of the account each: together they fit into its four places and sixteen of its line.
    const [, ...underWay] = await Promise.all([
      setStatus(gateway, situation, 'SUSPENDED'),
      ...Array.from({ length: 10 }, () => statusesOf(gateway, situation)),
    ])

    for (const status of underWay.flat()) expect([200, 401]).toContain(status)
    expect(await statusesOf(gateway, situation)).toEqual(refused)
  })
})

describe('the same tokens and apps in another gateway', () => {
  let database: TestDatabase
  let here: TestGateway
  let there: TestGateway
  beforeAll(async () => {
    database = await createTestDatabase()
    here = await startTestGateway(believing, { database })
    there = await startTestGateway(believing, { database })
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await database.drop()
  })

  test.each(['SUSPENDED', 'CLOSED'])(
    'are refused after the notice of %s (docs/promises.md S4)',
    async (status) => {
      const situation = await grantedApp(here)
      expect(await statusesOf(there, situation)).toEqual(allowed)

      await setStatus(here, situation, status)
      await vi.waitFor(async () => {
        expect(await statusesOf(there, situation)).toEqual(refused)
      }, patience)
      await setStatus(here, situation, 'ACTIVE')

      await vi.waitFor(async () => {
        expect(await statusesOf(there, situation)).toEqual(allowed)
      }, patience)
    },
  )
})

describe.runIf(hasRedis)('the same tokens and apps in another gateway whose Redis has died', () => {
  let redis: RedisServer
  let database: TestDatabase
  let here: TestGateway
  let there: TestGateway
  beforeAll(async () => {
    redis = await startRedisServer()
    database = await createTestDatabase()
    const variables = { ...believing, REDIS_URL: redis.url }
    here = await startTestGateway(variables, { database })
    there = await startTestGateway(variables, { database })
  })
  afterAll(async () => {
    await Promise.all([here.close(), there.close()])
    await database.drop()
    await redis.close()
  })

  test('are refused after a notice of PostgreSQL (docs/promises.md S4)', async () => {
    const situation = await grantedApp(here)
    expect(await statusesOf(there, situation)).toEqual(allowed)

    await redis.kill()
    await setStatus(here, situation, 'SUSPENDED')

    await vi.waitFor(async () => {
      expect(await statusesOf(there, situation)).toEqual(refused)
    }, patience)
  })
})
