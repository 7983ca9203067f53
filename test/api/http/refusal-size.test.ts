import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const maxRefusalBytes = 64 * 1024

/** Sends a body that is refused; returns what the refusal says. */
async function refusalOf(method: string, path: string, body: unknown) {
  const { liveKey } = await gateway.createAccount()
  const response = await gateway.live.request(path, { method, body, key: liveKey })
  expect(response.status).toBe(422)
  expect(Buffer.byteLength(JSON.stringify(response.body))).toBeLessThanOrEqual(maxRefusalBytes)
  const { code, message, details } = Object(response.body).error
  expect(code).toBe('INVALID_REQUEST')
  return { message: String(message), details }
}

const nulls = Array.from({ length: 10_000 }, () => null)
const longName = 'n'.repeat(900_000)
const cutName = (length: number) => 'n'.repeat(length)

describe('POST /v1/quotes', () => {
  const quote = (query: object) =>
    refusalOf('POST', '/v1/quotes', { calls: [{ method: 'GET', path: '/v1/x', query }] })

  test('10,000 wrong entries below a name of 900,000 characters are one problem, whose name is cut', async () => {
    const message = 'has a name of more than 128 characters'

    expect(await quote({ [longName]: nulls })).toEqual({
      message: `calls.0.query.${cutName(186)}: ${message}`,
      details: [{ field: `calls.0.query.${cutName(186)}`, in: 'body', message }],
    })
  })

  test('a record of 101 members is refused before its members are looked at', async () => {
    const pairs = Array.from({ length: 101 }, (_, index) => [`n${index}`, null])
    const message = 'must have at most 100 members'

    expect(await quote(Object.fromEntries(pairs))).toEqual({
      message: `calls.0.query: ${message}`,
      details: [{ field: 'calls.0.query', in: 'body', message }],
    })
  })

  test('a parameter that is repeated 101 times is refused, and so is every wrong entry of a shorter one', async () => {
    const many = 'must have at most 100 entries'
    const wrong = 'must be a text, a number, a boolean, or a list of these'

    expect(await quote({ a: nulls, b: ['x', null] })).toEqual({
      message: `calls.0.query.a: ${many}; calls.0.query.b.1: ${wrong}`,
      details: [
        { field: 'calls.0.query.a', in: 'body', message: many },
        { field: 'calls.0.query.b.1', in: 'body', message: wrong },
      ],
    })
  })
})

describe('POST /v1/account/webhooks', () => {
  test('every wrong event is named, and the list of the right ones is told once', async () => {
    const events = ['key.created', ...Array.from({ length: 41 }, () => 'a')]
    const request = { url: 'https://hooks.example.com/hook', events }

    const { details } = await refusalOf('POST', '/v1/account/webhooks', request)

    const [first, ...others] = details
    expect(first).toEqual({
      ...{ field: 'events.1', in: 'body' },
      message: expect.stringMatching(/^must be one of credits\.low, .*key\.created, /),
    })
    expect(others).toEqual(
      Array.from({ length: 40 }, (_, index) => ({
        ...{ field: `events.${index + 2}`, in: 'body', message: 'has the problem of events.1' },
      })),
    )
  })
})

describe('a refusal of a body with thousands of mistakes', () => {
  const names = (count: number, name: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, null]))

  test.each([
    ['POST', '/v1/account/keys', { name: 'A' }],
    ['POST', '/v1/contacts/reveal', { contact_id: 'con_1' }],
  ])('%s %s names the first hundred, and says that there are more', async (method, path, usual) => {
    const { message, details } = await refusalOf(method, path, { ...usual, ...names(900, 'n') })

    const named = Array.from({ length: 100 }, (_, index) => ({
      ...{ field: `n${index}`, in: 'body', message: 'is not known here' },
    }))
    expect(details).toEqual(named)
    expect(message).toMatch(/^n0: is not known here; .*; n99: is not known here; and more$/)
  })

  test.each([
    ['POST', '/v1/account/keys', { name: 'A' }],
    ['POST', '/v1/contacts/reveal', { contact_id: 'con_1' }],
  ])('%s %s names fewer of those whose names are long', async (method, path, usual) => {
    // In JSON, each character of this name takes six bytes.
    const long = names(900, '\u0001'.repeat(150))
    const { message, details } = await refusalOf(method, path, { ...usual, ...long })

    expect(details.length).toBeGreaterThan(10)
    expect(details.length).toBeLessThan(100)
    expect(message.endsWith('; and more')).toBe(true)
  })

  test('POST /v1/account/keys refuses metadata with too many members, or too long names, as a whole', async () => {
    const withMetadata = (metadata: object) =>
      refusalOf('POST', '/v1/account/keys', { name: 'A', metadata })
    const many = 'must have at most 16 members'
    const long = 'has a name of more than 40 characters'

    expect((await withMetadata(names(900, 'n'))).details).toEqual([
      { field: 'metadata', in: 'body', message: many },
    ])
    expect((await withMetadata(names(18_000, 'n'))).details).toEqual([
      { field: 'body', in: 'body', message: 'has too many or too deep members' },
    ])
    expect((await withMetadata({ [longName]: nulls })).details).toEqual([
      { field: `metadata.${cutName(191)}`, in: 'body', message: long },
    ])
  })

  test('PUT /v1/account/budgets looks at no entry of a list that is too long', async () => {
    const { details } = await refusalOf('PUT', '/v1/account/budgets', { budgets: nulls })

    const message = 'must have at most 4 entries'
    expect(details).toEqual([{ field: 'budgets', in: 'body', message }])
  })
})

describe('the query of a request', () => {
  test('of thousands of unknown parameters gets a refusal that names the first hundred', async () => {
    const query = Array.from({ length: 2000 }, (_, index) => `n${index}`).join('&')

    const { details } = await refusalOf('GET', `/v1/account/keys?${query}`, undefined)

    expect(details).toHaveLength(100)
    expect(details[99]).toEqual({ field: 'n99', in: 'query', message: 'is not known here' })
  })

  test('that has a long unknown parameter gets a refusal that cuts its name', async () => {
    const { details } = await refusalOf('GET', `/v1/account/keys?${'n'.repeat(9000)}`, undefined)

    expect(details).toEqual([{ field: cutName(200), in: 'query', message: 'is not known here' }])
  })
})
