import { GraphQLError } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createGraphClient,
  type SubgraphTransport,
} from '../../../rest-facade/graph/graph-client.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { type OpenDatabase, openDatabase } from '../../../subgraphs/shared/database/database.ts'
import { inProcessExecutor } from '../../../subgraphs/shared/graph/in-process.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
let subgraphs: ReadonlyMap<string, OpenSubgraph>
beforeAll(async () => {
  gateway = await sharedGateway()
  subgraphs = await openSubgraphs(gateway.database.serviceUrl)
})
afterAll(async () => {
  await Promise.all([...subgraphs.values()].map(({ database }) => database.close()))
  await gateway.close()
})

interface OpenSubgraph {
  readonly database: OpenDatabase
  readonly run: SubgraphTransport
}

/** The real subgraphs, for a client that a test puts something in between. */
async function openSubgraphs(url: string): Promise<ReadonlyMap<string, OpenSubgraph>> {
  const gatewaySecret = 'a secret for tests, long enough to pass'
  const options = {
    gatewaySecret,
    cursorKey: deriveKey(gatewaySecret, 'cursor'),
    keyPrefix: 'svc',
    baseUrls: { live: 'http://live.test', sandbox: 'http://sandbox.test' },
    billing: { period: 'P1M', lowCreditsThresholds: [] },
    oauth: {
      refreshGraceSeconds: 0,
      sessionHours: 12,
      stepUpMinutes: 30,
    },
    docsUrl: 'http://docs.test',
    invalidate: () => {},
  }
  const opened = [account, keys, oauth, usage].map(async (subgraph) => {
    const database = await openDatabase(subgraph, {
      ...{ url, poolSize: 2, timeoutMs: 30_000, warn: () => {} },
    })
    const run = inProcessExecutor(await subgraph.buildSchema(), { ...options, database })
    return [subgraph.name, { database, run }] as const
  })
  return new Map(await Promise.all(opened))
}

/** Reaches the real subgraph of this name. */
function subgraphOf(name: string): SubgraphTransport {
  const subgraph = subgraphs.get(name)
  if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
  return subgraph.run
}

function callerOf(accountId: string): AccountCaller {
  return {
    kind: 'account',
    accountId,
    keyId: 'key_x',
    scopes: ['*'],
    environment: 'live',
    requestId: 'req_test',
    traceId: '',
    address: null,
  }
}

const path = '/v1/account/overview'
const instant = expect.stringMatching(/^\d{4}-.*Z$/)

describe('GET /v1/account/overview', () => {
  test('shows account, usage, subscription, add-ons and webhooks, for free', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    await gateway.live.get('/v1/account/keys/key_x', liveKey)

    const response = await gateway.live.get(path, liveKey)

    const services = [
      { service: 'contacts', requests: 1, credits: 5 },
      { service: 'keys', requests: 1, credits: 0 },
    ]
    expect(response.status).toBe(200)
    expect(response.headers.get('x-credits-charged')).toBeNull()
    expect(response.body).toEqual({
      account: {
        id,
        name: 'Test',
        email: 'test@example.com',
        tier: 'SCALE',
        subscription_tier: 'enterprise_sub',
        balance: 995,
        rate_limit_rps: 100,
        environment: 'live',
        created_at: instant,
      },
      usage: {
        month_to_date: { requests: 2, credits: 5, success_rate: 0.5, by_service: services },
        today: { requests: 2, credits: 5, success_rate: 0.5 },
      },
      subscription: {
        tier: 'enterprise_sub',
        status: 'active',
        current_period_start: instant,
        current_period_end: instant,
        cancel_at_period_end: false,
        canceled_at: null,
        monthly_credits: 120_000,
      },
      addons: {
        mass_mail: {
          active: true,
          status: 'active',
          current_period_end: instant,
          cancel_at_period_end: false,
          monthly_quota: 10_000,
          used_this_period: 0,
        },
        rank_tracking: { active: true, status: 'active', keyword_limit: 100, keywords_used: 0 },
      },
      webhooks: { endpoints: 0, disabled: 0, delivery_rate: null },
    })
  })

  test('shows the sandbox its own state, and a success rate of 100 % when nothing was used', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    const response = await gateway.sandbox.get(path, sandboxKey)

    expect(response.body).toMatchObject({
      account: { environment: 'sandbox', balance: 100_000 },
      usage: { month_to_date: { requests: 0, credits: 0, success_rate: 1, by_service: [] } },
    })
  })

  test('does not count earlier months and days', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `INSERT INTO usage.usage_service
       SELECT $1, 'live', 'day', day, 'seo', 7, 7, 14, '{0,0,0,7}' FROM (VALUES
         (date_trunc('month', now(), 'UTC') - interval '1 day'),
         (date_trunc('month', now(), 'UTC'))) v (day)`,
      [id],
    )

    const response = await gateway.live.get(path, liveKey)

    expect(response.body).toMatchObject({
      usage: { month_to_date: { requests: 7, credits: 14, success_rate: 1 } },
    })
  })
})

describe.each([
  ['GetOverview', { account: { tier: 'SCALE' }, usage: { today: { requests: 0 } } }],
  ['GetBilling', { current_balance: 1000, month_to_date: { requests: 0 } }],
] as const)('%s', (operation, body) => {
  test('asks the account and the usage subgraph once each, both at the same time', async () => {
    const { id } = await gateway.createAccount()
    const calls: string[] = []
    const bothHaveBegun = Promise.withResolvers<void>()
    const client = createGraphClient((name) => async (request) => {
      calls.push(name)
      if (new Set(calls).size === 2) bothHaveBegun.resolve()
      // One that is asked only when the other has answered never begins.
      await bothHaveBegun.promise
      return subgraphOf(name)(request)
    })

    const answer = await client.execute(operation, {}, callerOf(id))

    expect(answer).toMatchObject(body)
    expect(calls.toSorted()).toEqual(['account', 'usage'])
  })

  test.each(['account', 'usage'])(
    'fails as a whole with the error of the %s subgraph',
    async (sick) => {
      const { id } = await gateway.createAccount()
      const extensions = { code: 'SERVICE_UNAVAILABLE' }
      const away = { errors: [new GraphQLError('The database is away.', { extensions })] }
      const client = createGraphClient((name) =>
        name === sick ? async () => away : subgraphOf(name),
      )

      const answer = client.execute(operation, {}, callerOf(id))

      await expect(answer).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    },
  )

  test.each(['account', 'usage'])('fails as a whole when the %s subgraph breaks', async (sick) => {
    const { id } = await gateway.createAccount()
    const client = createGraphClient((name) =>
      name === sick ? () => Promise.reject(new Error('It broke.')) : subgraphOf(name),
    )

    const answer = client.execute(operation, {}, callerOf(id))

    await expect(answer).rejects.toThrow('It broke.')
  })
})
