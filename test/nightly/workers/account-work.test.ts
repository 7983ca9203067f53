import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { whileHeld } from '../../support/database/held-transaction.ts'
import { asTestGateway, type TestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
let place: Workplace
let gateway: TestGateway
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  place = openWorkplace({ prefix: 'gateway-account-work-' })
  const variables = { ...variablesFor(database), WORKERS: '2', ACCOUNT_WORK_MS: '100' }
  const program = await place.start({ ...variables, LOG_LEVEL: 'error' })
  gateway = asTestGateway(program, database)
})
afterAll(async () => {
  await place.close()
  await database.drop()
})

const summary = '/v1/account/usage/summary?interval=hour'
const lockSums = 'LOCK TABLE usage.usage_service IN ACCESS EXCLUSIVE MODE'
/** Connections are handed to the workers in turn. */
const headers = { connection: 'close' }

test('requests of an account that are no product calls: all workers together run 4 and let 16 wait', async () => {
  const { liveKey } = await gateway.createAccount()
  const messages: unknown[] = []
  const ask = async () => {
    const { status, body } = await gateway.live.get(summary, liveKey, headers)
    messages.push(status === 200 ? 200 : Object(body).error.message)
  }

  const { refused, sent } = await whileHeld(database, [lockSums, []], {
    started: async () => {
      const sent = Promise.all(Array.from({ length: 24 }, ask))
      // More if one worker got more of the connections than the other.
      await vi.waitUntil(() => messages.length >= 4, patience)
      return { refused: [...messages], sent }
    },
  })
  await sent

  const message = 'Too many requests of the account run or wait at the same time.'
  expect(refused).toEqual(refused.map(() => message))
  expect(messages.filter((one) => one === message).length).toBeGreaterThanOrEqual(4)
  expect(messages).toContain(200)
})

test('the working time of an account that one worker has spent is spent for all', async () => {
  const { liveKey } = await gateway.createAccount()
  const ask = (path: string) => gateway.live.get(path, liveKey, headers)

  const { asked } = await whileHeld(database, [lockSums, []], {
    patientMs: 1500,
    started: async (untilOneWaits) => {
      const asked = ask(summary)
      await untilOneWaits('FROM usage.usage_service')
      return { asked }
    },
  })

  expect((await asked).status).toBe(200)
  await vi.waitUntil(async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask('/v1/account')))
    return answers.every(({ status }) => status === 429)
  }, patience)
})
