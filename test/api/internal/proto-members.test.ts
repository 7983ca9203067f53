import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

interface Way {
  readonly name: string
  /** The definitions of further variables. */
  readonly variables: string
  /** What `input` of `changeApiKey` is. */
  readonly input: string
  readonly values: unknown
}

const ways: readonly Way[] = [
  {
    name: 'in a literal',
    variables: '',
    input: '{ metadata: { __proto__: "v", constructor: "w" } }',
    values: {},
  },
  {
    name: 'in a literal, by a variable',
    variables: '$v: String!',
    input: '{ metadata: { __proto__: $v, constructor: "w" } }',
    values: { v: 'v' },
  },
  {
    name: 'in a variable of its own',
    variables: '$metadata: JSONObject!',
    input: '{ metadata: $metadata }',
    values: { metadata: JSON.parse('{"__proto__":"v","constructor":"w"}') },
  },
  {
    name: 'in a variable of the whole input',
    variables: '$input: ChangeApiKeyInput!',
    input: '$input',
    values: { input: JSON.parse('{"metadata":{"__proto__":"v","constructor":"w"}}') },
  },
  {
    name: 'in the default of a variable',
    variables: '$metadata: JSONObject = { __proto__: "v", constructor: "w" }',
    input: '{ metadata: $metadata }',
    values: {},
  },
  {
    name: 'in the default of a variable of the whole input',
    variables: '$input: ChangeApiKeyInput! = { metadata: { __proto__: "v", constructor: "w" } }',
    input: '$input',
    values: {},
  },
]

/** `toEqual` sees no member named __proto__. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(Object(value)))
}

async function storedMetadata(id: string): Promise<string | undefined> {
  const [row] = await gateway.database.query<{ metadata: string }>(
    'SELECT metadata::text FROM keys.api_key WHERE id = $1',
    [id],
  )
  return row?.metadata
}

describe('a member named __proto__ of a JSON object', () => {
  test.each(ways)('$name is stored and answered like any other', async (way) => {
    const { id: accountId } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId, { scopes: ['*'] })
    const values = { ...Object(way.values), id, accountId }

    const { changed } = await gateway.graphql(
      `mutation ($id: ID!, $accountId: ID ${way.variables}) {
        changed: changeApiKey(id: $id, accountId: $accountId, input: ${way.input}) { metadata }
      }`,
      values,
    )

    const expected = new Map([
      ['__proto__', 'v'],
      ['constructor', 'w'],
    ])
    expect(membersOf(Object(changed).metadata)).toEqual(expected)
    expect(membersOf(JSON.parse((await storedMetadata(id)) ?? ''))).toEqual(expected)
  })

  test.each([
    ['literal', '', '{ metadata: { __proto__: { x: 1 }, a: "b" } }', {}],
    [
      'variable',
      '$metadata: JSONObject!',
      '{ metadata: $metadata }',
      { metadata: JSON.parse('{"__proto__":{"x":1},"a":"b"}') },
    ],
  ])('in a %s is refused if its value is no text', async (_, variables, input, more) => {
    const { id: accountId } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId, { scopes: ['*'] })
    const before = await storedMetadata(id)
    const query = `mutation ($id: ID!, $accountId: ID ${variables}) {
      changeApiKey(id: $id, accountId: $accountId, input: ${input}) { metadata }
    }`

    const token = await gateway.internalToken('admin')
    const values = { ...more, id, accountId }
    const { body } = await gateway.internal.post('/graphql', { query, variables: values }, token)

    expect(Object(body).errors).toEqual([
      expect.objectContaining({
        message: 'metadata: must have values that are texts of at most 500 characters',
      }),
    ])
    expect(await storedMetadata(id)).toBe(before)
  })

  test('of an input without such a member is refused by its name', async () => {
    const { id: accountId } = await gateway.createAccount()
    const { id } = await gateway.createKey(accountId, { scopes: ['*'] })
    const token = await gateway.internalToken('admin')
    const mutation = (input: string, variables: string) =>
      `mutation (${variables}) { changeApiKey(id: "${id}", accountId: "${accountId}", input: ${input}) { id } }`
    const requests = [
      { query: mutation('{ name: "A", __proto__: { name: "B" } }', '$v: Int') },
      {
        query: mutation('$input', '$input: ChangeApiKeyInput!'),
        variables: { input: JSON.parse('{"name":"A","__proto__":{"name":"B"}}') },
      },
    ]

    for (const request of requests) {
      const { body } = await gateway.internal.post('/graphql', request, token)
      expect(Object(body).errors[0].message).toContain('__proto__')
    }
  })
})
