import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

describe('POST /v1/contacts/reveal under concurrency', () => {
  let backend: StubBackend
  let gateway: TestGateway
  beforeAll(async () => {
    backend = await startStubBackend()
    backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))
    gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
  })
  afterAll(async () => {
    await gateway.close()
    await backend.close()
  })

  test('lets exactly 50 of 200 parallel calls succeed when the balance is for 50', async () => {
    const account = await gateway.createAccount({ credits: 250 })
    // The limiter admits 100 a second: refused calls are repeated, as a client would.
    const untilAdmitted = async (send: () => Promise<TestResponse>) => {
      for (;;) {
        const response = await send()
        if (response.status !== 429) return response
      }
    }
    const body = { contact_id: 'con_1' }
    const reveal = () =>
      untilAdmitted(() => gateway.live.post('/v1/contacts/reveal', body, account.liveKey))

    const responses = await Promise.all(Array.from({ length: 200 }, reveal))

    const count = (status: number) =>
      responses.filter((response) => response.status === status).length
    expect({ 200: count(200), 402: count(402) }).toEqual({ 200: 50, 402: 150 })
    expect(backend.received).toHaveLength(50)
    const credits = await untilAdmitted(() =>
      gateway.live.get('/v1/account/credits', account.liveKey),
    )
    expect(credits.body).toMatchObject({ balance: 0, held: 0, available: 0 })
    const [ledger] = await gateway.database.query<{ charges: number; credits: number }>(
      `SELECT count(*)::int AS charges, sum(delta)::int AS credits FROM account.ledger_audit
       WHERE account_id = $1 AND kind = 'charge'`,
      [account.id],
    )
    expect(ledger).toEqual({ charges: 50, credits: -250 })
    await expectExactBooks(gateway)
  })

  test('answers all other accounts while the balance of one is locked, and that one afterwards', async () => {
    const locked = await gateway.createAccount({ credits: 100 })
    const others = await Promise.all([1, 2, 3].map(() => gateway.createAccount({ credits: 100 })))
    const body = { contact_id: 'con_1' }
    const reveal = (key: string, idempotencyKey?: string) =>
      gateway.live.post('/v1/contacts/reveal', body, key, {
        ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      })
    const { ownerUrl } = gateway.database
    const locker = new pg.Client({ connectionString: ownerUrl, options: sessionOfAllTenants })
    await locker.connect()
    await locker.query('BEGIN')
    await locker.query('SELECT FROM account.balance WHERE account_id = $1 FOR UPDATE', [locked.id])

    const waiting = [1, 2, 3, 4, 5].map((key) => reveal(locked.liveKey, `locked-${key}`))
    const answers: number[] = []
    for (const round of [1, 2]) {
      for (const { liveKey } of others) {
        answers.push((await reveal(liveKey)).status, (await reveal(liveKey, `${round}`)).status)
      }
    }
    await locker.query('COMMIT')
    await locker.end()

    expect(answers).toEqual(Array.from({ length: 12 }, () => 200))
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200,
    ])
    const credits = await gateway.live.get('/v1/account/credits', locked.liveKey)
    expect(credits.body).toMatchObject({ balance: 75, held: 0, available: 75 })
    await expectExactBooks(gateway)
  })
})
