import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

describe('a body that is not JSON', () => {
  test.each([
    ['PATCH', '/v1/account/auto-recharge'],
    ['POST', '/v1/contacts/reveal'],
    ['POST', '/v1/oauth/session'],
  ])('is reported by %s %s together with the mistakes in the query', async (method, path) => {
    const { liveKey: key } = await gateway.createAccount()

    const response = await gateway.live.request(`${path}?surprise=1`, { method, key, body: '{' })

    expectError(gateway, response, {
      status: 422,
      code: 'INVALID_REQUEST',
      message: 'surprise: is not known here; body: is not valid JSON',
      details: [
        { field: 'surprise', in: 'query', message: 'is not known here' },
        { field: 'body', in: 'body', message: 'is not valid JSON' },
      ],
    })
  })

  test('is not reported when the id in the path is malformed', async () => {
    const { liveKey: key } = await gateway.createAccount()

    const response = await gateway.live.request('/v1/account/keys/nonsense', {
      ...{ method: 'PATCH', key, body: '{' },
    })

    expectError(gateway, response, { status: 404, code: 'NOT_FOUND' })
  })
})

describe('GET /v1/who-is-searching/visitors?limit', () => {
  test.each(['+5', ' 5', '0x5', '5e0', '5.0', ''])(
    'refuses %j, which is not an integer, and costs nothing',
    async (limit) => {
      const { liveKey } = await gateway.createAccount()

      const path = `/v1/who-is-searching/visitors?domain=acme.example&limit=${encodeURIComponent(limit)}`
      const response = await gateway.live.get(path, liveKey)

      const message = 'must be integer'
      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        message: `limit: ${message}`,
        details: [{ field: 'limit', in: 'query', message }],
      })
      const { body } = await gateway.live.get('/v1/account/credits', liveKey)
      expect(body).toMatchObject({ balance: 1000, held: 0 })
    },
  )
})
