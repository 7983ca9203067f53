import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const maxRequests = 16
const calls = 24

let database: TestDatabase
let backend: StubBackend
let place: Workplace
let gateway: TestGateway
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  backend = await startStubBackend()
  place = openWorkplace({ prefix: 'gateway-divided-' })
  const program = await place.start({
    ...variablesFor(database),
    WORKERS: '2',
    MAX_CONCURRENT_REQUESTS: String(maxRequests),
    // With this delay, no other limit refuses a request of a loaded machine.
    MAX_QUEUE_DELAY_MS: '10000',
    BACKEND_CONTACT_FINDER_URL: backend.url,
    LOG_LEVEL: 'error',
  })
  gateway = asTestGateway(program, database)
})
afterAll(async () => {
  await place.close()
  await backend.close()
  await database.drop()
})

test('MAX_CONCURRENT_REQUESTS: all workers together serve so many requests at a time, and refuse others', async () => {
  // The last places are for accounts that have few requests in progress: each of these has one.
  const accounts = await Promise.all(Array.from({ length: calls }, () => gateway.createAccount()))
  const answers: (() => void)[] = []
  backend.answer((_request, res) => {
    answers.push(() => sendBackendJson(res, 200, {}))
  })
  let refused = 0
  const sent = accounts.map(async ({ liveKey }) => {
    const body = { contact_id: 'con_1' }
    // Connections are handed to the workers in turn.
    const headers = { connection: 'close' }
    const answer = await gateway.live.post('/v1/contacts/reveal', body, liveKey, headers)
    if (answer.status === 503) refused += 1
    return answer
  })

  await vi.waitUntil(() => answers.length + refused === calls, patience)
  const running = answers.length
  for (const answer of answers) answer()
  const responses = await Promise.all(sent)

  expect(running).toBe(maxRequests)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(maxRequests)
  for (const response of responses.filter(({ status }) => status !== 200)) {
    expectError(gateway, response, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
  }
})
