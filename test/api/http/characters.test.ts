import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/** One character, which takes two units in JavaScript. */
const smile = '😀'

interface Place {
  readonly path: string
  /** The body with this text in it. */
  readonly bodyOf: (text: string) => object
  readonly field: string
  readonly most: number
}

const keyword = { domain: 'acme.example', country: 'DE' }
const webhook = { url: 'https://hooks.acme.example/in', events: ['key.created'] }
const app = {
  client_name: 'Acme',
  redirect_uris: ['https://acme.example/back'],
  application_type: 'web',
}

const places: readonly Place[] = [
  { path: '/v1/account/keys', bodyOf: (name) => ({ name }), field: 'name', most: 100 },
  {
    path: '/v1/account/keys',
    bodyOf: (text) => ({ name: 'a', metadata: { note: text } }),
    ...{ field: 'metadata.note', most: 500 },
  },
  {
    path: '/v1/account/webhooks',
    bodyOf: (description) => ({ ...webhook, description }),
    ...{ field: 'description', most: 200 },
  },
  {
    path: '/v1/account/addons/rank-tracking/keywords',
    bodyOf: (text) => ({ ...keyword, keyword: text }),
    ...{ field: 'keyword', most: 100 },
  },
  {
    path: '/v1/oauth/apps',
    bodyOf: (name) => ({ ...app, client_name: name }),
    ...{ field: 'client_name', most: 100 },
  },
  {
    path: '/v1/reviews/replies',
    bodyOf: (text) => ({ review_id: 'rev_1', text }),
    ...{ field: 'text', most: 4000 },
  },
]

describe.each(places)('POST $path with $field', ({ path, bodyOf, field, most }) => {
  test(`takes ${most} characters, whatever units they need`, async () => {
    const { liveKey } = await gateway.createAccount()
    const body = bodyOf(smile.repeat(most))

    const response = await gateway.live.post(path, body, liveKey)

    expect(response.status).toBe(201)
    expect(response.body).toMatchObject(
      path === '/v1/oauth/apps' ? { client_name: smile.repeat(most) } : body,
    )
  })

  test(`refuses ${most + 1} characters`, async () => {
    const { liveKey } = await gateway.createAccount()

    const response = await gateway.live.post(path, bodyOf(smile.repeat(most + 1)), liveKey)

    const message = `must have at most ${most} characters`
    expectError(gateway, response, {
      ...{ status: 422, code: 'INVALID_REQUEST', message: `${field}: ${message}` },
      details: [{ field, in: 'body', message }],
    })
  })
})

test('POST /v1/account/keys counts the names of metadata in characters', async () => {
  const { liveKey } = await gateway.createAccount()
  const named = (count: number) => ({ name: 'a', metadata: { [smile.repeat(count)]: 'b' } })

  const taken = await gateway.live.post('/v1/account/keys', named(40), liveKey)
  const refused = await gateway.live.post('/v1/account/keys', named(41), liveKey)

  expect(taken).toMatchObject({ status: 201, body: { metadata: named(40).metadata } })
  const field = `metadata.${smile.repeat(41)}`
  const message = 'has a name of more than 40 characters'
  expectError(gateway, refused, {
    ...{ status: 422, code: 'INVALID_REQUEST' },
    details: [{ field, in: 'body', message }],
  })
})

test.each([
  ['/v1/account/audit/events', 'resource_id'],
  ['/v1/account/audit/events', 'actor'],
])('GET %s?%s names the parameter that it was sent in', async (path, field) => {
  const { liveKey } = await gateway.createAccount()

  const response = await gateway.live.get(`${path}?${field}=%20`, liveKey)

  const message = 'must have 1 to 200 characters'
  expectError(gateway, response, {
    ...{ status: 422, code: 'INVALID_REQUEST', message: `${field}: ${message}` },
    details: [{ field, in: 'query', message }],
  })
})

test.each([
  ['/v1/reviews/replies', { review_id: 'rev_1', text: '' }, 'text'],
  ['/v1/account/keys', { name: '' }, 'name'],
])('POST %s says "1 character" of a text that must not be empty', async (path, body, field) => {
  const { liveKey } = await gateway.createAccount()

  const response = await gateway.live.post(path, body, liveKey)

  const { error } = Object(response.body)
  const message = 'must have at least 1 character'
  expect(response.status).toBe(422)
  expect(error.details).toContainEqual({ field, in: 'body', message })
})
