import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  sharedGateway,
  type TestAccount,
  type TestGateway,
} from '../../../support/gateway/gateway.ts'

let gateway: TestGateway
let token: string
let account: TestAccount
let keyIds: string[]
beforeAll(async () => {
  gateway = await sharedGateway()
  token = await gateway.internalToken('admin')
  account = await gateway.createAccount()
  await gateway.createKey(account.id)
  const { account: made } = await gateway.graphql(
    'query ($id: ID!) { account(id: $id) { apiKeys { id } } }',
    { id: account.id },
  )
  keyIds = Object(made).apiKeys.map(({ id }: { id: string }) => id)
  expect(keyIds.length).toBeGreaterThan(1)
})
afterAll(() => gateway.close())

async function ask(query: string, variables: object = {}) {
  const { status, body } = await gateway.internal.post(
    '/graphql',
    { query, variables: { id: account.id, ...variables } },
    token,
  )
  return { status, ...Object(body) }
}

/** The whole data, with its members in the order of the answer. */
async function dataOf(query: string, variables: object = {}): Promise<string> {
  const { status, data, errors } = await ask(query, variables)
  expect({ status, errors }).toEqual({ status: 200, errors: undefined })
  return JSON.stringify(data)
}

describe('a document of an internal tool is answered by the rules of GraphQL', () => {
  test('a list that is selected twice is one list of whole objects (GraphQL §6.4.3)', async () => {
    const data = await dataOf(`query ($id: ID!) {
      account(id: $id) { apiKeys { id } }
      ...More
    }
    fragment More on Query { account(id: $id) { apiKeys { id name } ... on Account { name } } }`)

    const apiKeys = keyIds.map((id) => ({ id, name: expect.any(String) }))
    expect(JSON.parse(data)).toEqual({ account: { apiKeys, name: 'Test' } })
  })

  test('a list of texts in the answer of a mutation is not repeated', async () => {
    const input = {
      ...{ accountId: account.id, environment: 'SANDBOX', name: 'Twice', scopes: ['keys:read'] },
    }
    const data = await dataOf(
      `mutation ($input: CreateApiKeyInput!) {
        createApiKey(input: $input) { apiKey { scopes } apiKey { scopes name } }
      }`,
      { input },
    )

    expect(data).toBe('{"createApiKey":{"apiKey":{"scopes":["keys:read"],"name":"Twice"}}}')
  })

  test.each(['id', 'k_id', '__typename', '_typename', 't', 'f0', 'e0', '_entities', '__proto__'])(
    'an alias may be spelled like a key or a name of our own: %s',
    async (alias) => {
      const data = await dataOf(
        `query ($id: ID!) { ${alias}: account(id: $id) { ${alias}: name apiKeys { id } } }`,
      )

      const apiKeys = JSON.stringify((await keysNow()).map((id) => ({ id })))
      expect(data).toBe(`{"${alias}":{"${alias}":"Test","apiKeys":${apiKeys}}}`)
    },
  )

  async function keysNow(): Promise<string[]> {
    const { account: now } = await gateway.graphql(
      'query ($id: ID!) { account(id: $id) { apiKeys { id } } }',
      { id: account.id },
    )
    return Object(now).apiKeys.map(({ id }: { id: string }) => id)
  }

  test('introspection stands beside data, in the order of the document', async () => {
    const data = await dataOf(`query ($id: ID!) {
      __type(name: "Account") { name }
      account(id: $id) { __typename id }
      __typename
      __schema { queryType { name } }
    }`)

    expect(data).toBe(
      `{"__type":{"name":"Account"},"account":{"__typename":"Account","id":"${account.id}"},"__typename":"Query","__schema":{"queryType":{"name":"Query"}}}`,
    )
  })

  test.each([
    [
      'all fields by literals',
      '{ jwks @skip(if: true) { keys { kid } } ... @include(if: false) { __typename } }',
      {},
    ],
    [
      'all fields by a variable',
      'query ($no: Boolean!) { jwks @include(if: $no) { keys { kid } } }',
      { no: false },
    ],
  ])('what is left out leaves an empty answer: %s', async (_, query, variables) => {
    expect(await dataOf(query, variables)).toBe('{}')
  })

  test('variables have any name', async () => {
    const data = await dataOf(
      `query ($representations: ID!, $v0: Int!, $r0: Int = 1) {
        account(id: $representations) { id apiKeys { environment } recentUsage(first: $v0) { status } ledger(first: $r0) { nodes { kind } } }
      }`,
      { representations: account.id, v0: 1 },
    )

    expect(JSON.parse(data)).toMatchObject({ account: { id: account.id, recentUsage: [] } })
  })

  test('a variable in a literal of JSON is stored as its value, or as its default', async () => {
    const data = await dataOf(
      `mutation ($id: ID!, $given: String!, $default: String = "by default", $left: String) {
        createApiKey(input: {
          accountId: $id, environment: LIVE, name: "K", metadata: {a: $given, b: $default, c: $left, d: "literal"}
        }) { apiKey { metadata } }
      }`,
      { given: 'given' },
    )

    expect(JSON.parse(data).createApiKey.apiKey.metadata).toEqual({
      ...{ a: 'given', b: 'by default', d: 'literal' },
    })
  })

  test('fields of a mutation run one after the other, with what other subgraphs add', async () => {
    const { id } = await gateway.createAccount({ tier: 'STARTER' })
    const data = await dataOf(
      `mutation ($id: ID!) {
        first: updateAccount(input: {id: $id, tier: GROWTH}) { tier apiKeys { status } }
        id: updateAccount(input: {id: $id, tier: SCALE}) { id: tier apiKeys { status } }
      }`,
      { id },
    )

    const apiKeys = '[{"status":"active"}]'
    expect(data).toBe(
      `{"first":{"tier":"GROWTH","apiKeys":${apiKeys}},"id":{"id":"SCALE","apiKeys":${apiKeys}}}`,
    )
  })

  test('an error has the names and places of the document, also from another subgraph', async () => {
    const query = `query ($id: ID!) {
  mine: account(id: $id) {
    id: recentUsage(first: 0) { requestId }
    other: ledger(first: -1) { nodes { id } }
  }
}`

    const { status, data, errors } = await ask(query)

    expect({ status, data }).toEqual({ status: 200, data: { mine: null } })
    expect(errors).toEqual([
      {
        message: expect.stringContaining('first'),
        path: ['mine', 'other'],
        locations: [{ line: 4, column: 5 }],
        extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
      },
    ])
    const alone = await ask(query.replace(/ {4}other.*\n/, ''))
    expect(alone.errors).toEqual([
      {
        message: expect.stringContaining('first'),
        path: ['mine', 'id'],
        locations: [{ line: 3, column: 5 }],
        extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
      },
    ])
  })
})

const usage = (rest: string) =>
  `query ($id: ID!) { account(id: $id) { usageLog(${rest}) { nodes { status } } } }`
const byVariable = (declared: string, argument: string) =>
  `query ($id: ID!, $x: ${declared}) { account(id: $id) { usageLog(${argument}: $x) { nodes { status } } } }`
const metadata = (literal: string) =>
  `mutation ($id: ID!) { createApiKey(input: {accountId: $id, environment: LIVE, name: "K", metadata: ${literal}}) { apiKey { id } } }`

describe('a wrong value is refused before anything runs', () => {
  test.each<readonly [string, string, object, RegExp]>([
    ['a SafeInt of 1.5', usage('minCredits: 1.5'), {}, /^Argument "minCredits"/],
    ['a SafeInt as text', usage('minCredits: "5"'), {}, /^Argument "minCredits"/],
    ['a SafeInt of 2^53', usage('minCredits: 9007199254740992'), {}, /^Argument "minCredits"/],
    ['no instant', usage('from: "yesterday"'), {}, /^Argument "from"/],
    [
      'two of them',
      usage('from: "yesterday", minCredits: 1.5'),
      {},
      /"from".*"minCredits"|"minCredits".*"from"/,
    ],
    ['text for JSON', metadata('"x"'), {}, /^Argument "input\.metadata"/],
    ['a list for JSON', metadata('[]'), {}, /^Argument "input\.metadata"/],
    [
      'a SafeInt variable of 1.5',
      byVariable('SafeInt', 'minCredits'),
      { x: 1.5 },
      /^Variable "\$x"/,
    ],
    [
      'a SafeInt variable as text',
      byVariable('SafeInt', 'minCredits'),
      { x: '5' },
      /^Variable "\$x"/,
    ],
    [
      'a SafeInt variable of 2^53',
      byVariable('SafeInt', 'minCredits'),
      { x: 2 ** 53 },
      /^Variable "\$x"/,
    ],
    [
      'a variable that is no instant',
      byVariable('DateTimeISO', 'from'),
      { x: 'yesterday' },
      /^Variable "\$x"/,
    ],
    [
      'a variable that is no JSON object',
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }',
      { input: { accountId: 'acct_x', environment: 'LIVE', name: 'K', metadata: 'x' } },
      /^Variable "\$input" got invalid value "x" at "input\.metadata"/,
    ],
    [
      'a default that is no SafeInt',
      byVariable('SafeInt = 1.5', 'minCredits'),
      {},
      /^Variable "\$x"/,
    ],
    [
      'null for a variable with a default',
      byVariable('Int = 5', 'first'),
      { x: null },
      /^Argument "first"/,
    ],
    [
      'null for an argument with a default',
      byVariable('Int', 'first'),
      { x: null },
      /^Argument "first"/,
    ],
    [
      'null for a condition',
      'query ($x: Boolean = true) { __typename @skip(if: $x) }',
      { x: null },
      /^Argument "if"/,
    ],
    [
      'a value below a fragment',
      `query ($id: ID!) { ...F } fragment F on Query { ... { account(id: $id) { usageLog(minCredits: 1.5) { nodes { status } } } } }`,
      {},
      /^Argument "minCredits"/,
    ],
    ['a subscription', 'subscription { accounts }', {}, /subscription/],
  ])('BAD_USER_INPUT names it: %s', async (_, query, variables, message) => {
    const answer = await ask(query, variables)

    expect(answer).not.toHaveProperty('data')
    expect(answer).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT' } }],
    })
  })

  test('a wrong value of a field that is left out does not matter', async () => {
    const query = `query ($id: ID!, $x: Int = 5) {
      account(id: $id) { id usageLog(first: $x) @skip(if: true) { nodes { status } } }
    }`

    expect(await dataOf(query, { x: null })).toBe(`{"account":{"id":"${account.id}"}}`)
  })

  test('each of several wrong values is named, and none is guessed', async () => {
    const query = `query ($e: Environment!, $f: Environment!) {
      a: auditEvents(environment: $e) { nodes { id } } b: auditEvents(environment: $f) { nodes { id } }
    }`

    const { status, errors } = await ask(query, { e: 'liv', f: 'sandbx' })

    const wrong = (name: string, value: string) =>
      `Variable "$${name}" got invalid value "${value}"; Value "${value}" does not exist in "Environment" enum.`
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ message: `${wrong('e', 'liv')} ${wrong('f', 'sandbx')}` }],
    })
  })

  test('what a message quotes of the client is short', async () => {
    const { status, errors } = await ask(byVariable('SafeInt', 'minCredits'), {
      x: 'x'.repeat(60_000),
    })

    expect([status, errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT'])
    expect(errors[0].message.length).toBeLessThan(400)
  })

  test('a variable that is sent once is not repeated without limit', async () => {
    const long = { long: 'x'.repeat(60_000) }
    const members = Array.from({ length: 100 }, (_, index) => `m${index}: $x`).join(', ')
    const inOne = `mutation ($id: ID!, $x: JSONObject!) { createApiKey(input: {accountId: $id, environment: LIVE, name: "K", metadata: {${members}}}) { plaintext } }`
    const items = Array.from({ length: 100 }, () => '$x').join(', ')
    const inMany = `mutation ($x: AuditEventInput!) { recordAuditEvents(events: [${items}]) }`
    const event = {
      ...{ id: 'evt_x', environment: 'live', occurredAt: '2026-01-01T00:00:00Z' },
      ...{ actorKind: 'system', actorId: 'x', action: 'x', result: 'x', details: long },
    }

    for (const [query, x] of [
      [inOne, long],
      [inMany, event],
    ] as const) {
      const { status, errors } = await ask(query, { x })

      expect({ status, errors }).toMatchObject({
        status: 400,
        errors: [
          {
            message: expect.stringMatching(/^Argument .*too large/),
            extensions: { code: 'BAD_USER_INPUT' },
          },
        ],
      })
    }
  })
})
