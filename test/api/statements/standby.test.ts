import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** Ends the connections for statements; new ones are those of a standby, which only reads, or not. */
async function becomeStandby(isStandby: boolean): Promise<void> {
  const { database } = gateway
  const [row] = await database.query<{ name: string }>('SELECT current_database() AS name')
  await database.query(
    `ALTER DATABASE ${row?.name} SET default_transaction_read_only = ${isStandby ? 'on' : 'off'}`,
  )
  if (!isStandby) return
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'credit-gateway account%'`,
  )
}

test('a primary that became a standby is an outage, and its connections are not used again', async () => {
  const { liveKey } = await gateway.createAccount()
  const asks = [
    () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey),
    () => gateway.live.post('/v1/account/keys', { name: 'New' }, liveKey),
  ]
  for (const ask of asks) expect((await ask()).status).toBeLessThan(300)

  await becomeStandby(true)
  // The first statements may meet the end of their connections.
  for (let round = 0; round < 3; round += 1) {
    for (const ask of asks) {
      expectError(gateway, await ask(), { status: 503, code: 'SERVICE_UNAVAILABLE' })
    }
  }
  await becomeStandby(false)

  // Each connection of that time may be met once, by an ask of ours or by the work behind one.
  let failures = 0
  for (const ask of asks) {
    await vi.waitFor(async () => {
      for (let round = 0; round < 4; round += 1) {
        const isServed = (await ask()).status < 300
        if (!isServed) failures += 1
        expect(isServed).toBe(true)
      }
    }, patience)
  }
  expect(failures).toBeLessThan(25)
})
