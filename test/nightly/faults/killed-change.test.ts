import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { type ChaosProxy, startChaosProxy } from '../../support/processes/chaos-proxy.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let proxy: ChaosProxy
let place: Workplace
let current: StartedGateway
let gateway: TestGateway
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  proxy = await startChaosProxy(database.serviceUrl)
  place = openWorkplace({ prefix: 'gateway-killed-change-' })
  await startNext()
})
afterAll(async () => {
  proxy.judge(null)
  await place.close()
  await proxy.close()
  await database.drop()
})

async function startNext(): Promise<void> {
  current = await place.start({
    ...variablesFor({ ...database, serviceUrl: proxy.through(database.serviceUrl) }),
    // A process that stands still while it connects must not answer 503: then no change would be made.
    DATABASE_TIMEOUT_MS: '30000',
    BACKEND_TIMEOUT_MS: '1000',
    HOLD_TTL_SECONDS: '2',
    LOG_LEVEL: 'error',
  })
  gateway = asTestGateway(current, database)
}

const changes = [
  {
    path: '/v1/account/keys',
    body: { name: 'Once' },
    stored: "SELECT id, secret_hash FROM keys.api_key WHERE name = 'Once'",
  },
  {
    path: '/v1/oauth/apps',
    body: { client_name: 'Once', redirect_uris: ['https://app.example.com/cb'] },
    stored: 'SELECT client_id AS id, secret_hash FROM oauth.app',
  },
]

test('kill -9 between a change and its kept answer: the repetition is shown what was made, and its secret', async () => {
  const { liveKey } = await gateway.createAccount()
  const ask = ({ path, body }: (typeof changes)[number]) =>
    gateway.live.post(path, body, liveKey, { 'Idempotency-Key': path })
  const rowsOf = ({ stored }: (typeof changes)[number]) =>
    database.query<{ id: string; secret_hash: string }>(stored)

  proxy.judge((bytes) => (bytes.includes('settle-holds') ? 'lose the request' : null))
  const lost = Promise.allSettled(changes.map(ask))
  await vi.waitUntil(async () => {
    const made = await Promise.all(changes.map(rowsOf))
    return made.every(({ length }) => length === 1)
  }, patience)
  current.signal('SIGKILL')
  await current.finished
  proxy.judge(null)
  const made = await Promise.all(changes.map(rowsOf))
  await startNext()

  const outcomes = await lost
  const answered = outcomes.filter(
    (outcome) => outcome.status === 'fulfilled' && outcome.value.status < 500,
  )
  expect(answered).toEqual([])
  for (const [index, change] of changes.entries()) {
    const retried = await vi.waitUntil(async () => {
      const answer = await ask(change)
      return [409, 503].includes(answer.status) ? null : answer
    }, patience)
    const again = await ask(change)

    const { id, client_id, plaintext, client_secret } = Object(retried.body)
    const shown = { id: client_id ?? id, secret_hash: sha256(client_secret ?? plaintext) }
    expect([retried.status, made[index]]).toEqual([201, [shown]])
    expect([again.headers.get('Idempotent-Replayed'), again.body]).toEqual(['true', retried.body])
    expect(await rowsOf(change)).toEqual(made[index])
  }
})
