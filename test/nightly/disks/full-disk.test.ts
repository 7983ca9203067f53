import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findBinaries } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import {
  idempotencyHeader,
  type Load,
  startLoad,
  wishCredits,
  wishesOf,
} from '../../support/load/load.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  hasSmallDisks,
  mountSmallDisk,
  type SmallDisk,
} from '../../support/processes/small-disk.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

/** A cluster with the gateway's database takes a quarter of it. */
const diskMegabytes = 256

const refused = { status: 503, code: 'SERVICE_UNAVAILABLE' } as const

const reads = [
  '/v1/account',
  '/v1/account/credits',
  '/v1/account/credits/ledger',
  '/v1/account/usage/summary',
  '/v1/account/usage/log',
  '/v1/account/keys',
]

describe.skipIf(!hasSmallDisks)('a full disk of PostgreSQL', () => {
  let disk: SmallDisk
  let postgres: OwnPostgres
  let backend: DeduplicatingBackend
  let place: Workplace
  let program: StartedGateway
  let gateway: TestGateway
  beforeAll(async () => {
    await compileProgram()
    disk = mountSmallDisk(diskMegabytes)
    // The embedded one has checksums of its pages.
    postgres = await startOwnPostgres({ binaries: await findBinaries(), parent: disk.folder })
    // A checkpoint that finds no room makes PostgreSQL crash and start again: no test is to meet one by chance.
    await postgres.database.query("ALTER SYSTEM SET checkpoint_timeout = '1 h'")
    await postgres.database.query('SELECT pg_reload_conf()')
    backend = await startDeduplicatingBackend()
    place = openWorkplace({ prefix: 'gateway-full-' })
    program = await place.start({
      ...variablesFor(postgres.database),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      LOG_LEVEL: 'error',
    })
    gateway = asTestGateway(program, postgres.database)
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
    await postgres.close()
    disk.close()
  })

  interface UnderLoad {
    readonly load: Load
    /** An account that is not under load, whose requests of this second cannot be used up. */
    readonly prober: TestAccount
    /** A key of the prober that the gateway has not seen yet. */
    readonly coldKey: string
    untilFulfilled(more: number): Promise<void>
    /** Reveals with a new idempotency key each, until one is refused. */
    untilRefused(): Promise<{ readonly key: string; readonly answer: TestResponse }>
    reveal(key: string): Promise<TestResponse>
    /** Ends the load, and compares everything. */
    expectNothingLost(name: string): Promise<void>
  }

  async function beginLoad(): Promise<UnderLoad> {
    const [prober, ...owners] = await Promise.all(
      Array.from({ length: 4 }, () => gateway.createAccount({ credits: 1_000_000 })),
    )
    if (!prober) throw new Error('There is no account.')
    const { plaintext: coldKey } = await gateway.createKey(prober.id)
    const { live } = gateway
    const effectsBefore = backend.effects()
    let isOver = false
    onTestFinished(() => {
      isOver = true
    })
    const load = startLoad(
      wishesOf(owners, 1_000_000, () => isOver),
      { urlOf: () => gateway.baseUrl, clients: 8, answerPatienceMs: 8000, patienceMs: 360_000 },
    )
    let probes = 0

    function reveal(key: string): Promise<TestResponse> {
      const headers = { [idempotencyHeader]: key }
      return live.post('/v1/contacts/reveal', { contact_id: key }, prober?.liveKey, headers)
    }

    return {
      load,
      prober,
      coldKey,
      reveal,
      async untilFulfilled(more) {
        const goal = load.fulfilled() + more
        await vi.waitUntil(() => load.fulfilled() >= goal, patience)
      },
      untilRefused: () =>
        vi.waitUntil(async () => {
          const key = `probe-${probes}`
          probes += 1
          const answer = await reveal(key)
          expect([200, 503]).toContain(answer.status)
          return answer.status === 503 ? { key, answer } : null
        }, patience),
      async expectNothingLost(name) {
        isOver = true
        const fulfilments = await load.done
        const damage = await assessDamage(gateway, fulfilments)
        report(name, 1, damage, load)
        expect(program.isRunning()).toBe(true)
        expect(load.malformed).toEqual([])
        expect(fulfilments.filter(({ charged }) => charged === '5')).toHaveLength(
          fulfilments.length,
        )
        expect(backend.effects() - effectsBefore).toBe(fulfilments.length + probes)
        const { body } = await live.get('/v1/account/credits', prober.liveKey)
        expect(body).toMatchObject({ balance: 1_000_000 - wishCredits * probes, held: 0 })
        await expectNoDamage(gateway, damage)
        const [pages] = await postgres.database.query(
          'SELECT sum(checksum_failures)::int AS failures FROM pg_stat_database',
        )
        expect(pages).toEqual({ failures: 0 })
      },
    }
  }

  /**
   * After its own start, a server writes a file for the sessions to come. Without room for this file no session begins,
   * so nothing more would be written.
   */
  async function letOneSessionBegin(): Promise<void> {
    disk.clear()
    await postgres.database.query('SELECT 1').catch(() => {})
    disk.fill()
  }

  test('refuses calls, answers reads, and loses nothing; the gateway recovers by itself', {
    timeout: 900_000,
  }, async () => {
    const under = await beginLoad()
    await under.untilFulfilled(20)

    disk.fill()
    const { key, answer } = await under.untilRefused()
    const keys = [under.coldKey, ...reads.map(() => under.prober.liveKey)]
    const answers = await Promise.all(
      reads.map((path, index) => gateway.live.get(path, keys[index])),
    )
    disk.clear()
    const clearedMs = performance.now()
    await under.untilFulfilled(1)
    const healedMs = Math.round(performance.now() - clearedMs)
    // The key tells whether the call was charged; at the latest now it is, once.
    await vi.waitUntil(async () => (await under.reveal(key)).status === 200, patience)
    await under.untilFulfilled(20)

    expectError(gateway, answer, refused)
    expect(answers.map(({ status }) => status)).toEqual(reads.map(() => 200))
    await under.expectNothingLost(`full disk (healed within ${healedMs} ms)`)
  })

  test('without room for WAL ends PostgreSQL and loses nothing; once it is started again the gateway recovers by itself', {
    timeout: 900_000,
  }, async () => {
    const under = await beginLoad()
    await under.untilFulfilled(20)
    // Otherwise PostgreSQL writes into its old segments again, and may never need room for a new one.
    await postgres.database.query("SELECT pg_create_physical_replication_slot('keeps_wal', true)")

    await vi.waitFor(async () => {
      // A server that starts again by itself first removes files of its own, and may go on with their room.
      disk.fill()
      const emitted = await postgres.database
        .query(`SELECT pg_logical_emit_message(true, 'full disk', repeat('x', 1000000))`)
        .then(() => 'written', String)
      if (emitted.includes('could not write init file')) await letOneSessionBegin()
      expect(postgres.isRunning() ? emitted : 'ended').toBe('ended')
    }, patience)
    const { key, answer } = await under.untilRefused()
    const health = await gateway.live.get('/v1/health')
    const answers = await Promise.all(reads.map((path) => gateway.live.get(path, under.coldKey)))
    disk.clear()
    await postgres.start()
    await postgres.database.query("SELECT pg_drop_replication_slot('keeps_wal')")
    const startedMs = performance.now()
    await under.untilFulfilled(1)
    const healedMs = Math.round(performance.now() - startedMs)
    await vi.waitUntil(async () => (await under.reveal(key)).status === 200, patience)
    await under.untilFulfilled(20)

    expectError(gateway, answer, refused)
    expect(health.status).toBe(200)
    for (const read of answers) expectError(gateway, read, refused)
    await under.expectNothingLost(`disk without room for WAL (healed within ${healedMs} ms)`)
  })
})
