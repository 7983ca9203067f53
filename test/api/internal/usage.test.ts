import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
let account: TestAccount
beforeAll(async () => {
  gateway = await sharedGateway()
  account = await gateway.createAccount()
  for (const id of ['con_1', 'con_2', 'con_3']) {
    await gateway.live.get(`/v1/contacts/${id}`, account.liveKey)
  }
  await gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, account.liveKey)
  await gateway.sandbox.get('/v1/contacts/con_1', account.sandboxKey)
  // Reading the log waits until all answered requests are recorded.
  await gateway.live.get('/v1/account/usage/log', account.liveKey)
  await gateway.sandbox.get('/v1/account/usage/log', account.sandboxKey)
})
afterAll(() => gateway.close())

async function ask(query: string, variables: object = {}, role: 'readonly' | null = 'readonly') {
  const token = role ? await gateway.internalToken(role) : undefined
  const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
  return Object(body)
}

describe("an account's usage log, for internal tools", () => {
  const log = `query ($id: ID!, $after: String, $service: String, $statusClass: Int,
      $minCredits: SafeInt, $requestId: ID, $environment: Environment) {
    account(id: $id) {
      usageLog(first: 2, after: $after, service: $service, statusClass: $statusClass,
        minCredits: $minCredits, requestId: $requestId, environment: $environment) {
        nodes { requestId endpoint credits status }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`

  test('is listed in pages, with the filters of the account holder', async () => {
    const { id } = account
    const filter = { id, service: 'contacts' }
    const first = (await ask(log, filter)).data.account.usageLog
    const after = first.pageInfo.endCursor
    const second = (await ask(log, { ...filter, after })).data.account.usageLog
    const dear = (await ask(log, { ...filter, minCredits: 5, statusClass: 2 })).data.account
      .usageLog
    const [{ requestId }] = dear.nodes
    const one = (await ask(log, { id, requestId })).data.account.usageLog

    const endpoints = [...first.nodes, ...second.nodes].map(
      ({ endpoint }: { endpoint: string }) => endpoint,
    )
    expect(endpoints).toEqual([
      '/v1/contacts/reveal',
      '/v1/contacts/con_3',
      '/v1/contacts/con_2',
      '/v1/contacts/con_1',
    ])
    expect(second.pageInfo).toEqual({ hasNextPage: false, endCursor: null })
    expect(dear.nodes).toEqual([
      { requestId, endpoint: '/v1/contacts/reveal', credits: 5, status: 200 },
    ])
    expect(one.nodes).toEqual(dear.nodes)
  })

  test('is empty before the first request, and complete for all time', async () => {
    const query = `query ($id: ID!) {
      account(id: $id) {
        before: usageLog(first: 5, to: "1900-01-01T00:00:00Z") { nodes { requestId } }
        all: usageLog(first: 5, from: "1969-12-31T23:59:59Z", to: "9999-12-31T23:59:59-12:00",
          service: "contacts") { nodes { endpoint } }
      }
    }`

    const { data } = await ask(query, { id: account.id })

    expect(data.account.before.nodes).toEqual([])
    expect(data.account.all.nodes).toHaveLength(4)
  })

  test('shows live requests unless the sandbox is asked for', async () => {
    const { data } = await ask(log, { id: account.id, environment: 'sandbox', service: 'contacts' })

    expect(data.account.usageLog.nodes).toMatchObject([{ endpoint: '/v1/contacts/con_1' }])
  })

  test.each([
    [{ statusClass: 6 }, 'statusClass: must be 1 to 5'],
    [{ statusClass: 0 }, 'statusClass: must be 1 to 5'],
    [{ minCredits: -1 }, 'minCredits: must be an integer from 0'],
    [{ requestId: 'req_1' }, 'requestId: must be the id of a request'],
  ])('refuses %j', async (filter, message) => {
    const { errors } = await ask(log, { id: account.id, ...filter })

    expect(errors).toEqual([
      expect.objectContaining({
        message,
        extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
      }),
    ])
  })

  test('needs a token', async () => {
    const token = account.liveKey
    const { status } = await gateway.internal.post(
      '/graphql',
      { query: log, variables: { id: account.id } },
      token,
    )

    expect(status).toBe(401)
  })
})

describe("an account's usage over time, for internal tools", () => {
  test('shows the same as the account holder sees', async () => {
    const query = `query ($id: ID!) {
      account(id: $id) {
        usageSummary(interval: day, groupBy: endpoint) {
          interval groupBy items { start service endpoint requests credits successRate }
        }
      }
    }`

    const { data } = await ask(query, { id: account.id })

    const { interval, groupBy, items } = data.account.usageSummary
    expect([interval, groupBy]).toEqual(['day', 'endpoint'])
    expect(items).toContainEqual({
      start: expect.stringMatching(/T00:00:00.000Z$/),
      service: 'contacts',
      endpoint: 'GET /v1/contacts/{contact_id}',
      requests: 3,
      credits: 0,
      // No contact was revealed before.
      successRate: 0,
    })
  })
})
