import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** Opens accounts with these names; their ids, oldest first. */
async function openAccounts(names: readonly string[], email = 'a@b.example'): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) {
    const { createAccount } = Object(
      await gateway.graphql(
        'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { accountId } }',
        { input: { name, email } },
      ),
    )
    ids.push(createAccount.accountId)
  }
  return ids
}

async function list(variables: object) {
  const { accounts } = Object(
    await gateway.graphql(
      `query ($first: Int! = 50, $after: String, $search: String) {
        accounts(first: $first, after: $after, search: $search) {
          nodes { id name } pageInfo { hasNextPage endCursor }
        }
      }`,
      variables,
    ),
  )
  return accounts
}

function idsOf({ nodes }: { nodes: readonly { id: string }[] }): string[] {
  return nodes.map(({ id }) => id)
}

describe('account', () => {
  test('shows an account with its keys and its newest requests', async () => {
    const { id, liveKey } = await gateway.createAccount({ tier: 'SCALE', credits: 10 })
    const call = await gateway.live.get('/v1/seo/keywords?topic=a', liveKey)
    // Reading the log waits until it is whole.
    await gateway.live.get('/v1/account/usage/log', liveKey)

    const { account } = await gateway.graphql(
      `query ($id: ID!) { account(id: $id) {
        id name email status tier subscriptionTier balance rateLimitRps environment
        apiKeys { name environment status last4 }
        recentUsage(first: 200) { requestId endpoint credits status }
      } }`,
      { id },
    )

    expect(account).toEqual({
      id,
      name: 'Test',
      email: 'test@example.com',
      status: 'ACTIVE',
      tier: 'SCALE',
      subscriptionTier: 'enterprise_sub',
      balance: 8,
      rateLimitRps: 100,
      environment: 'live',
      apiKeys: [
        { name: 'First key', environment: 'live', status: 'active', last4: liveKey.slice(-4) },
      ],
      recentUsage: expect.arrayContaining([
        {
          requestId: call.headers.get('x-request-id'),
          endpoint: '/v1/seo/keywords',
          credits: 2,
          status: 200,
        },
      ]),
    })
  })

  test('is null when no account has the id', async () => {
    for (const id of [newId('acct'), 'nonsense', '']) {
      const { account } = await gateway.graphql('query ($id: ID!) { account(id: $id) { id } }', {
        id,
      })

      expect(account).toBeNull()
    }
  })
})

describe('accounts', () => {
  test('lists the matches of a search in pages, newest first', async () => {
    const tag = randomUUID()
    const ids = await openAccounts([1, 2, 3, 4, 5].map((number) => `${tag} ${number}`))

    const pages: string[][] = []
    let after: string | null = null
    do {
      const page: { nodes: { id: string }[]; pageInfo: { endCursor: string | null } } = await list({
        first: 2,
        after,
        search: tag,
      })
      pages.push(idsOf(page))
      after = page.pageInfo.endCursor
    } while (after !== null)

    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(ids.toReversed())
  })

  test('finds by a part of the name or email in any case, and by the whole id', async () => {
    const tag = randomUUID()
    const [byName = ''] = await openAccounts([`The ${tag} Company`])
    const [byEmail = ''] = await openAccounts(['Other'], `ops@${tag}.example`)

    const found = await list({ search: tag.toUpperCase() })
    const foundById = await list({ search: byName })
    const none = await list({ search: randomUUID() })

    expect(idsOf(found).toSorted()).toEqual([byName, byEmail].toSorted())
    expect(idsOf(foundById)).toEqual([byName])
    expect(none).toEqual({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } })
  })

  test.each(['%', '_', '\\'])('takes %s literally in a search', async (sign) => {
    const tag = randomUUID()
    const [withSign = ''] = await openAccounts([`${tag}${sign}x`])
    await openAccounts([`${tag}yx`])

    const found = await list({ search: `${tag}${sign}x` })

    expect(idsOf(found)).toEqual([withSign])
  })

  test.each([0, -1, 201])('refuses a page of %i', async (first) => {
    await expect(list({ first })).rejects.toThrow('first: must be 1 to 200')
  })

  test('refuses a cursor that it did not issue', async () => {
    await expect(list({ after: 'nonsense' })).rejects.toThrow('INVALID_REQUEST')
  })
})
