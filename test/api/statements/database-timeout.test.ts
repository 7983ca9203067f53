import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

const lockTheTable = 'LOCK TABLE account.account IN ACCESS EXCLUSIVE MODE'

describe('a statement that waits for a lock', () => {
  let gateway: TestGateway
  let account: TestAccount
  async function start(timeoutMs: string): Promise<void> {
    gateway = await startTestGateway({ DATABASE_TIMEOUT_MS: timeoutMs })
    account = await gateway.createAccount()
  }
  const read = () => gateway.live.get('/v1/account', account.liveKey)

  describe('for longer than DATABASE_TIMEOUT_MS', () => {
    beforeAll(() => start('3000'))
    afterAll(() => gateway.close())

    test('is ended while the lock is held: its caller gets 503, and 200 afterwards', async () => {
      const locked = await whileHeld(gateway.database, [lockTheTable, []], { started: read })
      expectError(gateway, locked, { status: 503, code: 'SERVICE_UNAVAILABLE' })
      await vi.waitUntil(async () => (await read()).status === 200, patience)
    })
  })

  describe('for longer than the default of five seconds, and less than DATABASE_TIMEOUT_MS', () => {
    beforeAll(() => start('30000'))
    afterAll(() => gateway.close())

    test('is waited for: its caller gets the answer', async () => {
      const { status, body } = await whileHeld(gateway.database, [lockTheTable, []], {
        ...{ waiting: 1, patientMs: 5500 },
        started: read,
      })
      expect([status, body]).toEqual([200, expect.objectContaining({ id: account.id })])
    })
  })
})
