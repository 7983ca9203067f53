import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { atNight } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { asTestGateway, type TestAccount, variablesFor } from '../../support/gateway/gateway.ts'
import {
  assessDamage,
  expectNoDamage,
  expectNoDamageSoFar,
  report,
  untilSwept,
} from '../../support/load/audit.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { idempotencyHeader, startLoad, wishesOf } from '../../support/load/load.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { createClient } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

const eachOnce = ['SIGQUIT', 'one backend', 'SIGKILL'] as const
const faults = atNight
  ? ([...eachOnce, 'SIGQUIT', 'SIGQUIT', 'SIGQUIT', 'SIGQUIT'] as const)
  : eachOnce

describe('a crash and restart of PostgreSQL', () => {
  let postgres: OwnPostgres
  let backend: DeduplicatingBackend
  let place: Workplace
  let program: StartedGateway
  beforeAll(async () => {
    await compileProgram()
    // Holds without a key reach the disk by the commits of others only, so that crashes find many to forget.
    postgres = await startOwnPostgres({ settings: { wal_writer_delay: '10s' } })
    backend = await startDeduplicatingBackend()
    place = openWorkplace({ prefix: 'gateway-fault-' })
    program = await place.start({
      ...variablesFor(postgres.database),
      BACKEND_CONTACT_FINDER_URL: backend.url,
      BACKEND_TIMEOUT_MS: '2000',
      HOLD_TTL_SECONDS: '3',
      LOG_LEVEL: 'error',
    })
  })
  afterAll(async () => {
    await place.close()
    await backend.close()
    await postgres.close()
  })

  test('loses nothing, and the gateway keeps running and recovers by itself', {
    timeout: 900_000,
  }, async () => {
    const gateway = asTestGateway(program, postgres.database)
    const owners = await Promise.all(
      Array.from({ length: 8 }, () => gateway.createAccount({ credits: 100_000 })),
    )
    // The account is not under load, so its requests of this second cannot be used up.
    const prober = await gateway.createAccount()
    let isOver = false
    const startHalf = (accounts: readonly TestAccount[], isKeyed: boolean) =>
      startLoad(
        wishesOf(accounts, 100_000, () => isOver),
        {
          urlOf: () => gateway.baseUrl,
          clients: 12,
          answerPatienceMs: 8000,
          patienceMs: 360_000,
          isKeyed,
        },
      )
    const keyed = startHalf(owners.slice(4), true)
    const plain = startHalf(owners.slice(0, 4), false)
    const loads = [keyed, plain]
    const client = createClient(gateway.baseUrl)
    const healedMs: number[] = []

    async function untilFulfilled(more: number): Promise<void> {
      const goals = loads.map((load) => ({ load, goal: load.fulfilled() + more }))
      await vi.waitUntil(() => goals.every(({ load, goal }) => load.fulfilled() >= goal), patience)
    }

    /** The id of the process with which all others of the server end. */
    async function walWriter(): Promise<number | null> {
      const rows = await postgres.database
        .query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'")
        .catch(() => [])
      return rows[0]?.pid ?? null
    }

    async function crashByOneBackend(): Promise<void> {
      const before = await walWriter()
      await postgres.killOneBackend()
      await vi.waitUntil(async () => {
        const now = await walWriter()
        return now !== null && now !== before
      }, patience)
    }

    async function creditsInDoubt(): Promise<number> {
      const metrics = await (await fetch(`${program.internalUrl}/metrics`)).text()
      return Number(/^gateway_settlements_in_doubt_credits (.+)$/m.exec(metrics)?.[1])
    }

    async function expectAway(name: string): Promise<void> {
      const [health, reveal] = await Promise.all([
        client.get('/v1/health'),
        client.post('/v1/contacts/reveal', { contact_id: name }, prober.liveKey, {
          [idempotencyHeader]: `probe ${name}`,
        }),
      ])
      expect(health.status).toBe(200)
      expectError(gateway, reveal, { status: 503, code: 'SERVICE_UNAVAILABLE' })
    }

    for (const [index, fault] of faults.entries()) {
      await untilFulfilled(20)
      if (fault === 'one backend') await crashByOneBackend()
      else {
        await postgres.crash(fault)
        await expectAway(`fault-${index}`)
        await postgres.start()
      }
      const readyMs = performance.now()
      const healed = untilFulfilled(1).then(() => healedMs.push(performance.now() - readyMs))
      await Promise.all([expectNoDamageSoFar(gateway, loads), untilSwept(gateway), healed])
      await expectNoDamageSoFar(gateway, loads)
    }
    isOver = true
    const fulfilments = await keyed.done
    const ofPlain = await plain.done

    // Charges whose calls had failed by then are refunded.
    await vi.waitUntil(async () => (await creditsInDoubt()) === 0, patience)
    await expectExactBooks(gateway)
    const damage = await assessDamage(gateway, [...fulfilments, ...ofPlain], loads)
    const slowest = Math.round(Math.max(...healedMs))
    report(`PostgreSQL crash (healed within ${slowest} ms)`, faults.length, damage, keyed)
    report('PostgreSQL crash, calls without keys', faults.length, damage, plain)
    expect(program.isRunning()).toBe(true)
    expect([...keyed.malformed, ...plain.malformed]).toEqual([])
    expect([...fulfilments, ...ofPlain].filter(({ charged }) => charged !== '5')).toEqual([])
    expect(backend.effects()).toBe(fulfilments.length)
    expect(ofPlain.filter(({ requestId }) => !backend.plainCalls.has(requestId ?? ''))).toEqual([])
    await expectNoDamage(gateway, damage)
    expect(await place.run(['ledger', 'verify'], variablesFor(postgres.database))).toMatchObject({
      code: 0,
    })
  })
})
