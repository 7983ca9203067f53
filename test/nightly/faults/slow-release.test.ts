import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
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

/** Each way: an answer of the database takes twice as long, which is more than an outage is waited for. */
const delayMs = 150

let database: TestDatabase
let proxy: ChaosProxy
let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startChaosProxy(database.serviceUrl)
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 500, {}))
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

const reveal = ({ liveKey }: TestAccount): Promise<TestResponse> =>
  gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)

test('a call that its module refuses shows the remaining credits, also when its hold is released slowly', async () => {
  const crowd = await Promise.all([1, 2].map(() => gateway.createAccount()))
  const account = await gateway.createAccount({ credits: 100 })
  expect((await reveal(account)).status).toBe(502)
  const refuses = ({ status }: TestResponse) => status === 503
  // Calls go on until the gateway leaves the module alone for a while.
  await vi.waitUntil(async () => {
    const calls = crowd.flatMap((one) => Array.from({ length: 60 }, () => reveal(one)))
    return (await Promise.all(calls)).some(refuses)
  }, patience)

  proxy.set({ delayMs })
  // A loaded gateway may take the slow database for one that is silent.
  const refused = await vi.waitUntil(async () => {
    const answer = await reveal(account)
    const { error } = Object(answer.body)
    return Object(error).message?.startsWith('contact-finder has been failing') && answer
  }, patience)
  proxy.set('pass')

  expectError(gateway, refused, {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'contact-finder has been failing; try again in a second.',
  })
  expect(refused.headers.get('x-credits-charged')).toBe('0')
  expect(refused.headers.get('x-credits-remaining')).toBe('100')
})
