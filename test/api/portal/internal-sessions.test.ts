import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { linkToken, signInWith } from '../../support/oauth/portal.ts'
import { openPage, setSession } from '../../support/oauth/sessions.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const query = `query ($id: ID!, $environment: EnvironmentInput, $first: Int! = 10, $after: String) {
  account(id: $id) {
    sessions(environment: $environment, first: $first, after: $after) {
      nodes { id environment keyId keyName role actor returnUrl parentId isCurrent address }
      pageInfo { hasNextPage endCursor }
    }
    webhookEndpoints(environment: $environment, first: $first) { nodes { id url status } }
  }
}`

async function detailsOf(variables: object) {
  const { account } = await gateway.graphql(query, variables)
  return Object(account)
}

async function personOf(accountId: string, actor: string, environment: 'LIVE' | 'SANDBOX') {
  const token = await linkToken(gateway, { accountId, role: 'VIEWER', actor, environment })
  const client = environment === 'LIVE' ? gateway.live : gateway.sandbox
  const { status, body } = await signInWith(client, { portal_token: token })
  expect(status).toBe(201)
  return Object(body).id
}

describe('Account.sessions', () => {
  test('has the open sessions of an account in one environment, newest first', async () => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const ofKey = await openPage(gateway.live, account.liveKey)
    const ofPerson = await personOf(account.id, 'Jane Doe', 'LIVE')
    const ofSandbox = await personOf(account.id, 'Joe', 'SANDBOX')
    const ended = await openPage(gateway.live, account.liveKey)
    await setSession(gateway, ended, 'ended_at = now()')
    await personOf(other.id, 'Eve', 'LIVE')

    const live = await detailsOf({ id: account.id })
    const sandbox = await detailsOf({ id: account.id, environment: 'SANDBOX' })

    const shared = { returnUrl: null, parentId: null, isCurrent: false, address: '127.0.0.1' }
    expect(live.sessions.nodes).toEqual([
      {
        ...{ ...shared, id: ofPerson, environment: 'live', keyId: null, keyName: null },
        ...{ role: 'VIEWER', actor: 'Jane Doe' },
      },
      {
        ...{ ...shared, id: ofKey.sessionId, environment: 'live', role: null, actor: null },
        ...{ keyId: expect.stringMatching(/^key_/), keyName: expect.stringMatching(/\S/) },
      },
    ])
    expect(sandbox.sessions.nodes).toMatchObject([{ id: ofSandbox, environment: 'sandbox' }])
  })

  test('has pages', async () => {
    const { id } = await gateway.createAccount()
    const ids: string[] = []
    for (const actor of ['one', 'two', 'three']) ids.unshift(await personOf(id, actor, 'LIVE'))

    const { sessions: first } = await detailsOf({ id, first: 2 })
    const after = first.pageInfo.endCursor
    const { sessions: second } = await detailsOf({ id, first: 2, after })

    const shown = [...first.nodes, ...second.nodes].map((node: { id: string }) => node.id)
    expect(shown).toEqual(ids)
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false])
  })
})

describe('Account.webhookEndpoints', () => {
  test('has the endpoints of an account in one environment', async () => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount()]
    const create = (url: string, { liveKey }: { liveKey: string }) =>
      gateway.live.post('/v1/account/webhooks', { url }, liveKey)
    const own = await create('https://hooks.invalid/own', account)
    const foreign = await create('https://hooks.invalid/other', other)
    expect([own.status, foreign.status]).toEqual([201, 201])

    const live = await detailsOf({ id: account.id })
    const sandbox = await detailsOf({ id: account.id, environment: 'SANDBOX' })

    const { id, url } = Object(own.body)
    expect(live.webhookEndpoints.nodes).toEqual([{ id, url, status: 'enabled' }])
    expect(sandbox.webhookEndpoints.nodes).toEqual([])
  })
})
