import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedGateway, type TestGateway } from '../../../support/gateway/gateway.ts'

let gateway: TestGateway
let token: string
beforeAll(async () => {
  gateway = await sharedGateway()
  token = await gateway.internalToken('admin')
})
afterAll(() => gateway.close())

const account = 'query A($id: ID!) { account(id: $id) { id } }'

function ask(body: object) {
  return gateway.internal.post('/graphql', body, token)
}

function bytesOf(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(body))
}

/** Refused before GraphQL sees it. */
async function expectTooLarge(body: object, field: string, message: string): Promise<void> {
  const { status, body: answer } = await ask(body)

  const { code, details } = Object(Object(answer).error)
  expect([status, code]).toEqual([422, 'INVALID_REQUEST'])
  expect(details).toEqual([{ field, in: 'body', message }])
}

describe('POST /graphql of the internal listener', () => {
  test.each([
    ['a document', { query: `{ __typename } #${'x'.repeat(65_536)}` }, 'query'],
    [
      'a text in the variables',
      { query: account, variables: { id: 'x'.repeat(65_537) } },
      'variables.id',
    ],
    [
      'a name of an operation',
      { query: account, operationName: 'x'.repeat(900_000) },
      'operationName',
    ],
  ])('refuses %s of more than 65,536 characters', async (_what, body, field) => {
    await expectTooLarge(body, field, 'must have at most 65536 characters')
  })

  test('refuses an object of more than 100 members in the variables, whose entries it does not look at', async () => {
    const pairs = Array.from({ length: 900 }, (_, index) => [`n${index}`, null])
    const variables = { id: Object.fromEntries(pairs) }

    const message = 'must have at most 100 members'
    await expectTooLarge({ query: account, variables }, 'variables.id', message)
  })

  test('refuses a list of more than 1000 objects in the variables, whatever else it has', async () => {
    const objects = Array.from({ length: 1000 }, () => ({ id: 'x' }))

    const tooMany = { query: account, variables: { id: [null, 'x', ...objects, []] } }
    await expectTooLarge(tooMany, 'variables.id', 'must have at most 1000 objects')
    const { status, body } = await ask({ query: account, variables: { id: [null, ...objects] } })
    expect([status, Object(body).errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT'])
  })

  test('refuses a name of more than 128 characters in the variables, and cuts it', async () => {
    const variables = { id: { ['n'.repeat(900_000)]: [null] } }

    const message = 'has a name of more than 128 characters'
    const field = `variables.id.${'n'.repeat(187)}`
    await expectTooLarge({ query: account, variables }, field, message)
  })

  test('tells ten errors of an operation with a long name, each cut', async () => {
    const unused = Array.from({ length: 230 }, (_, index) => `$v${index}: Int`)
    const query = `query ${'n'.repeat(60_000)}(${unused.join(', ')}) { __typename }`

    const { status, body } = await ask({ query })

    expect(status).toBe(400)
    const { errors } = Object(body)
    // The last says that there are more.
    expect(errors).toHaveLength(11)
    for (const { message } of errors) expect(message.length).toBeLessThanOrEqual(301)
    expect(bytesOf(body)).toBeLessThan(64 * 1024)
  })

  test('cuts the value of a wrong variable in its error', async () => {
    const query = 'query A($first: Int) { accounts(first: $first) { nodes { id } } }'

    const { status, body } = await ask({ query, variables: { first: '"'.repeat(60_000) } })

    expect(status).toBe(400)
    const [error] = Object(body).errors
    expect(error.extensions.code).toBe('BAD_USER_INPUT')
    expect(error.message).toMatch(/^Variable "\$first" got invalid value /)
    expect(error.message.length).toBe(301)
  })
})
