import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let proxy: ChaosProxy
let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startChaosProxy(database.serviceUrl)
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, {}))
  const variables = {
    DATABASE_URL: proxy.through(database.serviceUrl),
    BACKEND_CONTACT_FINDER_URL: backend.url,
  }
  gateway = await startTestGateway(variables, { database })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
  await proxy.close()
  await database.drop()
})

function reveal({ liveKey }: TestAccount, idempotencyKey: string): Promise<TestResponse> {
  const headers = { 'idempotency-key': idempotencyKey }
  return gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey, headers)
}

async function metricNow(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.internal.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

async function chargesOf({ id }: TestAccount): Promise<number> {
  const rows = await database.query(
    "SELECT FROM account.ledger_audit WHERE account_id = $1 AND kind = 'charge'",
    [id],
  )
  return rows.length
}

test('no module is asked while a charge is in doubt for two seconds, and each call is charged once afterwards', async () => {
  const first = await gateway.createAccount()
  const second = await gateway.createAccount()
  proxy.judge((bytes) => (bytes.includes('settle-holds') ? 'lose the request' : null))

  const unknown = reveal(first, 'first')
  await vi.waitUntil(
    async () => (await metricNow('gateway_settlements_in_doubt_seconds')) > 2,
    patience,
  )
  expect(await metricNow('gateway_settlements_in_doubt_credits')).toBe(5)
  const asked = backend.received.length
  const refused = await reveal(second, 'second')

  expectError(gateway, refused, {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'The outcome of earlier charges is not known.',
  })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.headers.get('x-credits-charged')).toBe('0')
  expect(backend.received).toHaveLength(asked)
  // Calls that cost nothing are served.
  const read = await gateway.live.get('/v1/account/credits', second.liveKey)
  expect(read.status).toBe(200)

  proxy.judge(null)
  expect([200, 503]).toContain((await unknown).status)
  for (const [account, key] of [
    [first, 'first'],
    [second, 'second'],
  ] as const) {
    const answer = await vi.waitUntil(async () => {
      const got = await reveal(account, key)
      return got.status === 200 && got
    }, patience)
    expect(answer.headers.get('x-credits-charged')).toBe('5')
    expect(await chargesOf(account)).toBe(1)
  }
  await vi.waitUntil(
    async () => (await metricNow('gateway_settlements_in_doubt_seconds')) === 0,
    patience,
  )
  expect(await metricNow('gateway_settlements_in_doubt_credits')).toBe(0)
  await expectExactBooks(gateway)
})
