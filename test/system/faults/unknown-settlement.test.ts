import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let proxy: ChaosProxy
let gateway: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startChaosProxy(database.serviceUrl)
  gateway = await startTestGateway(
    { DATABASE_URL: proxy.through(database.serviceUrl) },
    { database },
  )
})
afterAll(async () => {
  await gateway.close()
  await proxy.close()
  await database.drop()
})

/** Calls while settlements are committed, or not even sent, but never acknowledged; 503 after five seconds. */
async function revealUnsettled(
  { liveKey }: TestAccount,
  fault: 'cut the reply' | 'lose the request',
  { live }: TestGateway = gateway,
): Promise<string> {
  proxy.judge((bytes) => (bytes.includes('settle-holds') ? fault : null))
  const body = { contact_id: 'con_1' }
  const { status, headers } = await live.post('/v1/contacts/reveal', body, liveKey)
  proxy.judge(null)
  expect(status).toBe(503)
  return headers.get('x-request-id') ?? ''
}

async function ledgerOf({ id }: TestAccount): Promise<string[]> {
  const rows = await database.query<{ entry: string }>(
    `SELECT concat_ws(' ', kind, delta, ref) AS entry FROM account.ledger_audit
     WHERE account_id = $1 AND kind <> 'grant' ORDER BY seq`,
    [id],
  )
  return rows.map(({ entry }) => entry)
}

/** Status and credits of the one call that is in the log. */
async function loggedCall(account: TestAccount): Promise<readonly [number, number]> {
  const rows = await vi.waitUntil(async () => {
    const found = await database.query<{ status: number; credits: string }>(
      `SELECT status, credits FROM usage.usage_log
       WHERE account_id = $1 AND service = 'contacts'`,
      [account.id],
    )
    return found.length > 0 && found
  }, patience)
  expect(rows).toHaveLength(1)
  return [rows[0]?.status ?? 0, Number(rows[0]?.credits)]
}

async function balance({ liveKey }: TestAccount): Promise<unknown> {
  return (await gateway.live.get('/v1/account/credits', liveKey)).body
}

describe('a call without idempotency key that is answered with 503 because its charge is unknown', () => {
  test('gets a refund of its charge', async () => {
    const account = await gateway.createAccount({ credits: 100 })

    const requestId = await revealUnsettled(account, 'cut the reply')

    expect(await loggedCall(account)).toEqual([503, 0])
    expect(await ledgerOf(account)).toEqual([`charge -5 ${requestId}`, `refund 5 ${requestId}`])
    expect(await balance(account)).toMatchObject({ balance: 100, held: 0 })
    await expectExactBooks(gateway)
  })

  test('gets a refund of a charge that follows the answer', async () => {
    const account = await gateway.createAccount({ credits: 100 })

    const requestId = await revealUnsettled(account, 'lose the request')

    expect(await loggedCall(account)).toEqual([503, 0])
    expect(await ledgerOf(account)).toEqual([`charge -5 ${requestId}`, `refund 5 ${requestId}`])
    expect(await balance(account)).toMatchObject({ balance: 100, held: 0 })
    await expectExactBooks(gateway)
  })

  test('gets one refund, also when the refund is not acknowledged', async () => {
    const account = await gateway.createAccount({ credits: 100 })
    let isLost = false

    await revealUnsettled(account, 'cut the reply')
    proxy.judge((bytes) => {
      if (isLost || !bytes.includes('commit')) return null
      isLost = true
      return 'cut the reply'
    })

    expect([await loggedCall(account), isLost]).toEqual([[503, 0], true])
    proxy.judge(null)
    expect(await ledgerOf(account)).toHaveLength(2)
    expect(await balance(account)).toMatchObject({ balance: 100, held: 0 })
    await expectExactBooks(gateway)
  })

  test('costs nothing in the log that another process writes when the first one dies', async () => {
    const account = await gateway.createAccount({ credits: 100 })
    const DATABASE_URL = proxy.through(database.serviceUrl)
    const known = await database.query<{ id: string }>('SELECT id FROM account.facade_process')
    const dying = await startTestGateway({ DATABASE_URL }, { database })

    await revealUnsettled(account, 'cut the reply', dying)
    proxy.judge((bytes) => (bytes.includes('record-usage') ? 'lose the request' : null))
    await vi.waitUntil(async () => (await ledgerOf(account)).length === 2, patience)
    await dying.close()
    proxy.judge(null)
    await database.query(
      `UPDATE account.facade_process SET seen_at = now() - interval '1 h' WHERE id <> ALL ($1)`,
      [known.map(({ id }) => id)],
    )

    expect(await loggedCall(account)).toEqual([503, 0])
    await expectExactBooks(gateway)
  })
})
