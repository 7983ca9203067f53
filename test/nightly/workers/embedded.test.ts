import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startLoad, wishCredits, wishesOf } from '../../support/load/load.ts'
import { childrenOf, pidsOf, programOf, workerPids } from '../../support/processes/children.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { createClient, type TestClient } from '../../support/requests/client.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

/** Each request has a connection of its own, and connections are handed to the workers in turn. */
const apart = { connection: 'close' }
const workers = 2
const timeoutMs = 900_000
/** A new process starts on a loaded machine. */
const startPatience = { ...patience, timeout: 300_000 }

describe('a gateway with the embedded database', () => {
  let backend: StubBackend
  let place: Workplace
  let program: StartedGateway
  let live: TestClient
  beforeAll(async () => {
    await compileProgram()
    backend = await startStubBackend()
    backend.answer((_, res) => sendBackendJson(res, 200, {}))
    place = openWorkplace({ prefix: 'gateway-workers-' })
    program = await place.start({
      WORKERS: String(workers),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      // A loaded machine must not be an overload, nor a timeout.
      MAX_QUEUE_DELAY_MS: '0',
      BACKEND_TIMEOUT_MS: '10000',
      HOLD_TTL_SECONDS: '11',
      ANONYMOUS_RPS: '100000',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
    })
    live = createClient(program.baseUrl)
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
  })

  const isReady = async () => (await live.get('/v1/ready', undefined, apart)).status === 200

  test('GET /v1/health?backends=1: all workers together probe a module once a second', async () => {
    const probes = () => backend.received.filter(({ path }) => path === '/health').length
    const before = probes()
    const beganMs = performance.now()
    const asked = Array.from({ length: 6 * workers }, () =>
      live.get('/v1/health?backends=1', undefined, apart),
    )

    const answers = await Promise.all(asked)
    const seconds = Math.floor((performance.now() - beganMs) / 1000)

    expect(probes() - before).toBeGreaterThanOrEqual(1)
    expect(probes() - before).toBeLessThanOrEqual(1 + seconds)
    const findings = new Set<string>()
    for (const { status, body } of answers) {
      const { backends } = Object(body)
      expect(status).toBe(200)
      expect(backends).toHaveLength(8)
      findings.add(JSON.stringify(backends))
    }
    expect(findings.size).toBeLessThanOrEqual(1 + seconds)
  })

  test('kill -9 of the process for jobs: PostgreSQL has its port again, and charges go on', {
    timeout: timeoutMs,
  }, async () => {
    const account = await createAccount(place, program)
    let isOver = false
    const load = startLoad(
      wishesOf([account], 100_000, () => isOver),
      {
        ...{ urlOf: () => program.baseUrl, clients: 4 },
        ...{ answerPatienceMs: 10_000, patienceMs: timeoutMs },
      },
    )
    await vi.waitUntil(() => load.fulfilled() > 10, patience)
    const port = postgresPort(place)
    const [victim = 0] = pidsOf(program.pid, 'jobs')

    process.kill(victim, 'SIGKILL')
    await vi.waitUntil(async () => !(await isReady()), patience)
    await vi.waitUntil(isReady, startPatience)
    const afterRestart = load.fulfilled()
    await vi.waitUntil(() => load.fulfilled() > afterRestart + 10, startPatience)
    isOver = true
    const fulfilments = await load.done

    expect(pidsOf(program.pid, 'jobs')).not.toContain(victim)
    expect(postgresPort(place)).toBe(port)
    expect(place.postmasters()).toHaveLength(1)
    expect(load.malformed).toEqual([])
    const served = fulfilments.filter(({ body }) => body !== null).length
    expect(served).toBe(fulfilments.length)
    const [books] = await place.query<{ charges: number; spent: number }>(
      `SELECT count(*)::int AS charges, -sum(credits)::int AS spent
       FROM account.ledger_entry WHERE account_id = $1 AND kind = 'charge'`,
      [account.id],
    )
    expect(books).toEqual({ charges: served, spent: served * wishCredits })
    await expectExactLedger(place, program)
  })

  test('kill -9 of all workers at once: the port stays open, and a connection that waits is answered', {
    timeout: timeoutMs,
  }, async () => {
    await vi.waitUntil(isReady, startPatience)
    const victims = workerPids(program.pid)
    const ends = () => program.stderr().split('A worker has ended').length - 1
    const before = ends()
    const statuses: number[] = []

    for (const victim of victims) process.kill(victim, 'SIGKILL')
    // The primary may still hand a connection to a worker whose end it does not know.
    await vi.waitUntil(() => ends() === before + victims.length, patience)
    do {
      statuses.push((await live.get('/v1/health', undefined, apart)).status)
    } while (!(await isReady()))

    expect(victims).toHaveLength(workers)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(workerPids(program.pid)).toHaveLength(workers)
    const { live_key } = place.demo()
    const call = await live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, live_key, apart)
    expect(call.status).toBe(200)
  })

  test('WORKERS=1 starts no process but PostgreSQL', { timeout: timeoutMs }, async () => {
    program.signal('SIGTERM')
    expect(await program.finished).toMatchObject({ code: 0, signal: null })

    const alone = await place.start({ WORKERS: '1' })

    const children = childrenOf(alone.pid)
    expect(children.map(programOf)).toEqual(['postgres'])
    expect(children).toEqual(place.postmasters())
  })
})

const createdAccount = z.object({
  data: z.object({
    createAccount: z.object({
      account: z.object({ id: z.string() }),
      ...{ liveKey: z.string(), sandboxKey: z.string() },
    }),
  }),
})
const audit = z.object({ data: z.object({ ledgerAudit: z.object({ drifts: z.array(z.any()) }) }) })

async function graphql(place: Workplace, { internalUrl }: StartedGateway, query: string) {
  const token = place.demo().internal_token
  const { body } = await createClient(internalUrl).post('/graphql', { query }, token, apart)
  return body
}

/** With the highest rate limit. */
async function createAccount(place: Workplace, program: StartedGateway) {
  const created = await graphql(
    place,
    program,
    `mutation {
      createAccount(input: { name: "T", email: "t@example.com", tier: SCALE, credits: 1000000 }) {
        account { id } liveKey sandboxKey
      }
    }`,
  )
  const { account, ...keys } = createdAccount.parse(created).data.createAccount
  return { id: account.id, ...keys }
}

async function expectExactLedger(place: Workplace, program: StartedGateway): Promise<void> {
  const found = await graphql(place, program, '{ ledgerAudit { drifts { problem } } }')
  expect(audit.parse(found).data.ledgerAudit.drifts).toEqual([])
}

function postgresPort({ dataDir }: Workplace): string | undefined {
  return readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3]
}
