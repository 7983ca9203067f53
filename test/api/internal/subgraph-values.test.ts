import type { ApolloServer } from '@apollo/server'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSubgraphServer, type SubgraphCall } from '../../../subgraphs/shared/graph/serve.ts'
import { admin, openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
const failures: unknown[] = []
const servers = new Map<string, ApolloServer<SubgraphCall>>()
beforeAll(async () => {
  graph = await openTestGraph()
  for (const [name, { schema, execute }] of graph.subgraphs) {
    const onFailure = (error: unknown) => failures.push(error)
    servers.set(name, await createSubgraphServer({ schema, execute, onFailure }))
  }
})
afterAll(async () => {
  for (const server of servers.values()) await server.stop()
  await graph.close()
})

/** What a subgraph answers to another process of the gateway. */
async function askServer(subgraph: string, query: string, variables: Record<string, unknown>) {
  const answer = await servers
    .get(subgraph)
    ?.executeOperation({ query, variables }, { contextValue: { caller: admin } })
  return answer?.body.kind === 'single' ? answer.body.singleResult : null
}

const usageLog = (declared: string, argument: string) =>
  `query ($x: ${declared}) { _entities(representations: [{__typename: "Account", id: "acct_x"}]) { ... on Account { usageLog(${argument}: $x) { nodes { status } } } } }`
const create =
  'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }'
const key = { accountId: 'acct_x', environment: 'LIVE', name: 'K' }

const wrongValues: readonly (readonly [string, string, string, unknown, RegExp])[] = [
  ['a SafeInt of 1.5', 'usage', usageLog('SafeInt', 'minCredits'), 1.5, /"\$x"/],
  ['a SafeInt as text', 'usage', usageLog('SafeInt', 'minCredits'), '5', /"\$x"/],
  ['a SafeInt of 2^53', 'usage', usageLog('SafeInt', 'minCredits'), 2 ** 53, /"\$x"/],
  ['no instant', 'usage', usageLog('DateTimeISO', 'from'), 'yesterday', /"\$x"/],
  ['null for a default', 'usage', usageLog('Int = 5', 'first'), null, /"first"/],
  ['null for an argument with a default', 'usage', usageLog('Int', 'first'), null, /"first"/],
  ['text for JSON', 'keys', create, { ...key, metadata: 'x' }, /"\$input"/],
  ['no input', 'keys', create, null, /"\$input"/],
]

describe('a wrong value of a variable', () => {
  test.each(wrongValues)(
    'is BAD_USER_INPUT of the subgraph, which reports no failure: %s',
    async (_, subgraph, query, value, message) => {
      const variables = query === create ? { input: value } : { x: value }
      const wrong = {
        message: expect.stringMatching(message),
        extensions: { code: 'BAD_USER_INPUT' },
      }

      const served = await askServer(subgraph, query, variables)
      const executed = await graph.subgraphs
        .get(subgraph)
        ?.execute({ document: parse(query), variables, caller: admin })

      expect(served).toMatchObject({ errors: [wrong] })
      expect(executed).toMatchObject({ errors: [wrong] })
      expect(executed).not.toHaveProperty('data')
      expect(failures).toEqual([])
    },
  )
})

test('a variable in a literal of JSON reaches the resolver', async () => {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
  const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
  const query = `mutation ($id: ID!, $m: String!, $n: String = "default") { createApiKey(input: {
    accountId: $id, environment: LIVE, name: "K", metadata: {a: $m, b: $n}
  }) { apiKey { metadata } } }`

  const answer = await askServer('keys', query, { id: account.id, m: 'given' })

  expect(answer).toEqual({
    data: { createApiKey: { apiKey: { metadata: { a: 'given', b: 'default' } } } },
  })
})
