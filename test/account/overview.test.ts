import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphClient } from '../../rest-facade/graph-client.ts'
import type { AccountCaller } from '../../schema/caller.ts'
import { deriveKey } from '../../schema/secrets.ts'
import { account } from '../../subgraphs/account/index.ts'
import { keys } from '../../subgraphs/keys/index.ts'
import { oauth } from '../../subgraphs/oauth/index.ts'
import { openDatabase } from '../../subgraphs/shared/database.ts'
import { inProcessExecutor } from '../../subgraphs/shared/in-process.ts'
import { usage } from '../../subgraphs/usage/index.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

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
      webhooks: { endpoints: 0, delivery_rate: null },
    })
  })

  test('shows the sandbox its own state, and nothing used as all successful', async () => {
    const { liveKey, sandboxKey } = await gateway.createAccount()
    await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

    const response = await gateway.sandbox.get(path, sandboxKey)

    expect(response.body).toMatchObject({
      account: { environment: 'sandbox', balance: 100_000 },
      usage: { month_to_date: { requests: 0, credits: 0, success_rate: 1, by_service: [] } },
    })
  })

  test('leaves months and days before out', async () => {
    const { id, liveKey } = await gateway.createAccount()
    await gateway.database.query(
      `INSERT INTO usage.usage_hour
       SELECT $1, 'live', hour, 'seo', 2, 7, 14 FROM (VALUES
         (date_trunc('month', now(), 'UTC') - interval '1 hour'),
         (date_trunc('month', now(), 'UTC'))) v (hour)`,
      [id],
    )

    const response = await gateway.live.get(path, liveKey)

    expect(response.body).toMatchObject({
      usage: { month_to_date: { requests: 7, credits: 14, success_rate: 1 } },
    })
  })

  test('is one operation that asks each subgraph at most once', async () => {
    const { id } = await gateway.createAccount()
    const caller: AccountCaller = {
      kind: 'account',
      accountId: id,
      keyId: 'key_x',
      scopes: ['*'],
      environment: 'live',
      requestId: 'req_test',
      traceId: '',
    }
    const calls: string[] = []
    const gatewaySecret = 'a secret for tests, long enough to pass'
    const options = {
      gatewaySecret,
      cursorKey: deriveKey(gatewaySecret, 'cursor'),
      keyPrefix: 'svc',
      baseUrls: { live: 'http://live.test', sandbox: 'http://sandbox.test' },
      docsUrl: 'http://docs.test',
      invalidate: () => {},
    }
    const opened = await Promise.all(
      [account, keys, oauth, usage].map(async (subgraph) => {
        const url = gateway.database.serviceUrl
        const database = await openDatabase(subgraph, { url, poolSize: 2, warn: () => {} })
        const run = inProcessExecutor(await subgraph.buildSchema(), { ...options, database })
        return { name: subgraph.name, database, run }
      }),
    )
    const client = createGraphClient((name) => (request) => {
      calls.push(name)
      const subgraph = opened.find((one) => one.name === name)
      if (!subgraph) throw new Error(`No subgraph is named ${name}.`)
      return subgraph.run(request)
    })

    const overview = await client.execute('GetOverview', {}, caller)

    expect(overview).toMatchObject({ account: { id }, usage: { today: { requests: 0 } } })
    expect(calls).toEqual(['account', 'usage'])
    await Promise.all(opened.map(({ database }) => database.close()))
  })
})
