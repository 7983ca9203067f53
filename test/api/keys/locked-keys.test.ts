import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

describe('a key whose table is locked, as a migration does', () => {
  test('is waited for: its caller is let in', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const { status, body } = await whileHeld(
      gateway.database,
      ['LOCK TABLE keys.api_key IN ACCESS EXCLUSIVE MODE', []],
      {
        ...{ waiting: 1, patientMs: 300 },
        started: () => gateway.live.get('/v1/account', liveKey),
      },
    )

    expect([status, body]).toEqual([200, expect.objectContaining({ id })])
  })
})
