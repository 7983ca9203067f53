import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const workers = 2
/**
 * Each turn of the event loop takes so long, and a request passes about five. So each worker has the least
 * bound, of 64, and the gateway serves some hundred requests a second, however fast the machine is.
 */
const turnMs = 60
const attackPerSecond = 1600
const customers = 10
const callsOfEach = 30
/** Connections are handed to the workers in turn. */
const apart = { connection: 'close' }
const graceMs = 10_000

/** The workers are slow from their first call on. */
const slowWorkers = `
  import { subscribe } from 'node:diagnostics_channel'
  const moment = new Int32Array(new SharedArrayBuffer(4))
  function beSlow() {
    Atomics.wait(moment, 0, 0, ${turnMs})
    setImmediate(beSlow)
  }
  let isSlow = !(process.env.GATEWAY_PROCESS ?? '').includes('worker')
  subscribe('http.server.request.start', ({ request }) => {
    if (isSlow || request.url !== '/v1/account') return
    isSlow = true
    beSlow()
  })
`

/** Sends four times as many requests as the gateway can serve, until it is stopped. */
function attack(url: string, headersOf: (request: number) => Readonly<Record<string, string>>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })
  const answers = new Map<number, number>()
  const startedAtMs = performance.now()
  let sent = 0
  let waiting = 0
  function send(): void {
    const due = ((performance.now() - startedAtMs) / 1000) * attackPerSecond
    for (; sent < due; sent += 1) {
      // A client that is late must not make up for it with one burst.
      if (waiting >= attackPerSecond) continue
      waiting += 1
      const asked = request(`${url}/v1/account`, { agent, headers: headersOf(sent) }, (res) => {
        const { statusCode = 0 } = res.resume()
        answers.set(statusCode, (answers.get(statusCode) ?? 0) + 1)
      })
      asked.on('error', () => {})
      asked.on('close', () => {
        waiting -= 1
      })
      asked.end()
    }
  }
  const timer = setInterval(send, 10)
  return {
    answered: (status: number) => answers.get(status) ?? 0,
    stop() {
      clearInterval(timer)
      agent.destroy()
    },
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const inventedKey = () => newApiKey('svc', 'live').plaintext

describe('a gateway with workers at four times what it can serve', () => {
  let database: TestDatabase
  let place: Workplace
  let gateway: TestGateway
  let accounts: TestAccount[]
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    place = openWorkplace({ prefix: 'gateway-invented-' })
    const program = await place.start({
      ...variablesFor(database),
      WORKERS: String(workers),
      MAX_QUEUE_DELAY_MS: '20',
      TRUST_PROXY: '127.0.0.0/8',
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowWorkers)}`,
    })
    const startedAtMs = performance.now()
    gateway = asTestGateway(program, database)
    accounts = await Promise.all(Array.from({ length: customers }, () => gateway.createAccount()))
    // One call of each, which one of the workers accepts.
    await Promise.all(accounts.map(callOf))
    await vi.waitUntil(() => performance.now() - startedAtMs > graceMs, patience)
  })
  afterAll(async () => {
    await place.close()
    await database.drop()
  })

  async function callOf({ liveKey }: TestAccount): Promise<number> {
    const { status } = await gateway.live.get('/v1/account', liveKey, apart)
    return status
  }

  /** One after the other: all customers together have ten requests at a time, fewer than the least bound. */
  async function callsOf(account: TestAccount): Promise<number[]> {
    const statuses: number[] = []
    while (statuses.length < callsOfEach) statuses.push(await callOf(account))
    return statuses
  }

  async function revokedKey(): Promise<string> {
    const account = await gateway.createAccount()
    const { id, plaintext } = await gateway.createKey(account.id)
    expect(await callOf({ ...account, liveKey: plaintext })).toBe(200)
    const path = `/v1/account/keys/${id}`
    const revoked = await gateway.live.request(path, { method: 'DELETE', key: account.liveKey })
    expect(revoked.status).toBe(200)
    return plaintext
  }

  const oneKey = inventedKey()
  const addressOf = (number: number) => `198.51.${(number >> 8) & 255}.${number & 255}`
  test.each([
    ['another invented key each', async () => () => bearer(inventedKey())],
    ['one invented key', async () => () => bearer(oneKey)],
    [
      'a key that was revoked',
      async () => {
        const key = await revokedKey()
        return () => bearer(key)
      },
    ],
    [
      'another invented key and client address each',
      async () => (number: number) => ({
        ...bearer(inventedKey()),
        'x-forwarded-for': addressOf(number),
      }),
    ],
  ])('with %s, known customers keep 95 of 100 calls', async (_what, prepare) => {
    const attacker = attack(gateway.live.url, await prepare())
    await vi.waitUntil(() => attacker.answered(503) > attackPerSecond, patience)

    const statuses = (await Promise.all(accounts.map(callsOf))).flat()

    attacker.stop()
    const served = statuses.filter((status) => status === 200).length
    expect(served / statuses.length).toBeGreaterThanOrEqual(0.95)
    expect(attacker.answered(401)).toBeGreaterThan(0)
  })
})
