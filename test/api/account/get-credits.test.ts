import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

describe('GET /v1/account/credits', () => {
  test('shows the balance, the held credits and the available credits', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 42 })

    const response = await gateway.live.get('/v1/account/credits', liveKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({ balance: 42, held: 0, available: 42, as_of: instant })
  })

  test('shows the play credits of the sandbox', async () => {
    const { sandboxKey } = await gateway.createAccount({ credits: 42 })

    const response = await gateway.sandbox.get('/v1/account/credits', sandboxKey)

    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      balance: 100_000,
      held: 0,
      available: 100_000,
      as_of: instant,
    })
  })

  test('counts the maximum price of a running call as held, and its price as spent afterwards', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 42 })
    let during: unknown
    backend.answer(async (_, res) => {
      during = (await gateway.live.get('/v1/account/credits', liveKey)).body
      sendBackendJson(res, 200, { items: [{}, {}], total: 2 })
    })

    await gateway.live.post('/v1/contacts/search', { query: 'a', limit: 25 }, liveKey)

    const after = await gateway.live.get('/v1/account/credits', liveKey)
    expect(during).toEqual({ balance: 42, held: 25, available: 17, as_of: instant })
    expect(after.body).toEqual({ balance: 40, held: 0, available: 40, as_of: instant })
  })

  test("never shows another account's figures", async () => {
    const accounts = await Promise.all(
      [11, 22, 33].map((credits) => gateway.createAccount({ credits })),
    )

    // Together, so that they share one statement.
    const responses = await Promise.all(
      accounts.map(({ liveKey }) => gateway.live.get('/v1/account/credits', liveKey)),
    )

    expect(responses.map(({ body }) => Object(body).balance)).toEqual([11, 22, 33])
  })
})
