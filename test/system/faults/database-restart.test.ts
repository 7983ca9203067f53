import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { asTestGateway, variablesFor } from '../../support/gateway/gateway.ts'
import { assessDamage, expectNoDamage, report } from '../../support/load/audit.ts'
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

const faults = [
  'SIGQUIT',
  'SIGQUIT',
  'one backend',
  'SIGQUIT',
  'SIGKILL',
  'SIGQUIT',
  'SIGQUIT',
] as const

describe('a crash and restart of PostgreSQL', () => {
  let postgres: OwnPostgres
  let backend: DeduplicatingBackend
  let place: Workplace
  let program: StartedGateway
  beforeAll(async () => {
    await compileProgram()
    postgres = await startOwnPostgres()
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
      Array.from({ length: 4 }, () => gateway.createAccount({ credits: 100_000 })),
    )
    // Not one of those under load, whose requests of this second may be used up.
    const prober = await gateway.createAccount()
    let isOver = false
    const load = startLoad(
      wishesOf(owners, 100_000, () => isOver),
      {
        urlOf: () => gateway.baseUrl,
        clients: 16,
        answerPatienceMs: 8000,
        patienceMs: 360_000,
      },
    )
    const client = createClient(gateway.baseUrl)
    const healedMs: number[] = []

    async function untilFulfilled(more: number): Promise<void> {
      const goal = load.fulfilled() + more
      await vi.waitUntil(() => load.fulfilled() >= goal, patience)
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
      if (fault === 'one backend') await postgres.killOneBackend()
      else {
        await postgres.crash(fault)
        await expectAway(`fault-${index}`)
        await postgres.start()
      }
      const readyMs = performance.now()
      await untilFulfilled(1)
      healedMs.push(performance.now() - readyMs)
    }
    isOver = true
    const fulfilments = await load.done

    const damage = await assessDamage(gateway, fulfilments)
    const slowest = Math.round(Math.max(...healedMs))
    report(`PostgreSQL crash (healed within ${slowest} ms)`, faults.length, damage, load)
    expect(program.isRunning()).toBe(true)
    expect(load.malformed).toEqual([])
    expect(fulfilments.filter(({ charged }) => charged === '5')).toHaveLength(fulfilments.length)
    expect(backend.effects()).toBe(fulfilments.length)
    await expectNoDamage(gateway, damage)
    expect(await place.run(['ledger', 'verify'], variablesFor(postgres.database))).toMatchObject({
      code: 0,
    })
  })
})
