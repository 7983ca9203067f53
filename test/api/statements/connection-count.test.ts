import { expect, test } from 'vitest'
import { startTestGateway } from '../../support/gateway/gateway.ts'
import { mostConnections } from '../../support/load/connections.ts'

test('a gateway in one process has at most 25 connections to its database', async () => {
  const gateway = await startTestGateway()
  try {
    const account = await gateway.createAccount()

    const most = await mostConnections(gateway.database, account, gateway)

    expect(most).toBeGreaterThan(10)
    expect(most).toBeLessThanOrEqual(25)
  } finally {
    await gateway.close()
  }
})
