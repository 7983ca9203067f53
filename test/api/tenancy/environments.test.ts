import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  fingerprintDatabase,
  requestTraces,
  restingVariables,
} from '../../support/database/database-dump.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { productRows, routeRows } from '../../support/requests/every-row.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(restingVariables)
})
let cases = 0
afterAll(async () => {
  await gateway.close()
  console.info(`key of the other environment × operation: ${cases} cases`)
})

const rows = [...routeRows(), ...productRows()].filter(({ scope }) => scope !== undefined)

describe.each([
  {
    title: 'a live key on the sandbox listener',
    listener: 'sandbox',
    home: 'live',
    own: 'liveKey',
    hint: 'This is a live key. Use',
  },
  {
    title: 'a sandbox key on the live listener',
    listener: 'live',
    home: 'sandbox',
    own: 'sandboxKey',
    hint: 'This is a sandbox key. Use',
  },
] as const)('$title', ({ listener, home, own, hint }) => {
  test('is INVALID_API_KEY for every operation, and has no effect', async () => {
    const account = await gateway.createAccount()
    const before = await fingerprintDatabase(gateway.database, requestTraces)

    for (const { method, path, hasBody } of rows) {
      const response = await gateway[listener].request(path, {
        method,
        key: account[own],
        body: hasBody ? {} : undefined,
      })

      expectError(gateway, response, {
        status: 401,
        code: 'INVALID_API_KEY',
        message: `${hint} ${gateway[home].url}.`,
      })
      const realm = `Bearer realm="${gateway[listener].url}/v1", error="invalid_token"`
      const challenge = path.startsWith('/v1/oauth/') ? realm : 'Bearer'
      expect(response.headers.get('www-authenticate')).toBe(challenge)
      cases += 1
    }
    expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
    // The gateway did not know who called, so no log of an account tells of it. Reading a log waits for
    // pending entries.
    await gateway[home].get('/v1/account/usage/log', account[own])
    const logged = await gateway.database.query(
      "SELECT endpoint FROM usage.usage_log WHERE account_id = $1 AND endpoint <> '/v1/account/usage/log'",
      [account.id],
    )
    expect(logged).toEqual([])
  })

  test('still works on its own listener', async () => {
    const account = await gateway.createAccount()

    const response = await gateway[home].get('/v1/account', account[own])

    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ id: account.id, environment: home })
  })
})
