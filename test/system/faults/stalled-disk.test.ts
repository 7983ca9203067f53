import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Connection, createConnection } from '../../../proof/bench/generator/connection.ts'
import { drive } from '../../../proof/bench/generator/drive.ts'
import { rotationsOf } from '../../../proof/bench/generator/requests.ts'
import { type Load, loadSchema } from '../../../proof/bench/support/load.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import {
  type DeduplicatingBackend,
  startDeduplicatingBackend,
} from '../../support/load/deduplicating-backend.ts'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const stalls = rounds('STALLS', { all: 1, nightly: 4 })
const stallMs = 300
/** The rate limit of one account is 100 calls in a second. */
const accounts = 40
/** Below this number nothing is refused, whatever the delay. */
const leastWorking = 64
const leastStalled = 100
const peakConnections = 32

let postgres: OwnPostgres
let backend: DeduplicatingBackend
let place: Workplace
let gateway: TestGateway
let owners: readonly TestAccount[]
beforeAll(async () => {
  await compileProgram()
  postgres = await startOwnPostgres()
  backend = await startDeduplicatingBackend()
  place = openWorkplace({ prefix: 'gateway-fault-' })
  // With the usual limit of the delay, unlike other tests.
  const { MAX_QUEUE_DELAY_MS: _, ...variables } = variablesFor(postgres.database)
  const program = await place.start({
    ...variables,
    BACKEND_CONTACT_FINDER_URL: backend.url,
    LOG_LEVEL: 'error',
  })
  gateway = asTestGateway(program, postgres.database)
  owners = await Promise.all(
    Array.from({ length: accounts }, () => gateway.createAccount({ credits: 100_000 })),
  )
})
afterAll(async () => {
  await place.close()
  await backend.close()
  await postgres.close()
})

/** Calls that cost 5 credits, each with a key of its own. */
function callsOf(shape: Pick<Load, 'connections' | 'seconds'>) {
  return loadSchema.parse({
    ...{ url: gateway.baseUrl, method: 'POST', path: '/v1/contacts/reveal' },
    ...{ body: '{"contact_id":"con_1"}', hasFreshKeys: true },
    headerSets: owners.map(({ liveKey }) => ({
      authorization: `Bearer ${liveKey}`,
      'content-type': 'application/json',
    })),
    ...shape,
  })
}

interface OpenLoad {
  /** The count of each status; 0 means a broken connection. */
  readonly statuses: ReadonlyMap<number, number>
  readonly answers: () => number
  /** Calls without an answer so far. */
  readonly underWay: () => number
  /** Sends one more now. */
  readonly call: () => void
  /** Resolves when all calls are answered. */
  stop(): Promise<void>
}

/** Calls that are sent at a steady rate, whatever becomes of those before. */
function startOpenLoad(perSecond: number): OpenLoad {
  const next = rotationsOf(callsOf({ connections: 1, seconds: 0 }))(0)
  const free: Connection[] = []
  const statuses = new Map<number, number>()
  const underWay = new Set<Promise<void>>()
  let answers = 0

  async function send(): Promise<void> {
    const connection = free.pop() ?? createConnection(new URL(gateway.baseUrl))
    const status = await connection.exchange(next()).catch(() => 0)
    free.push(connection)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    answers += 1
  }

  function call(): void {
    const sent = send().finally(() => underWay.delete(sent))
    underWay.add(sent)
  }

  const startedMs = performance.now()
  let due = 0
  const timer = setInterval(() => {
    for (; due < ((performance.now() - startedMs) / 1000) * perSecond; due += 1) call()
  }, 1)
  return {
    ...{ statuses, call },
    answers: () => answers,
    underWay: () => underWay.size,
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      for (const connection of free) connection.close()
    },
  }
}

/** The calls that are served in a second when each connection waits for its answer. */
async function measurePeak(): Promise<number> {
  await drive(callsOf({ connections: peakConnections, seconds: 1 }))
  const peak = await drive(callsOf({ connections: peakConnections, seconds: 1.5 }))
  return (peak.countByStatus[200] ?? 0) / peak.seconds
}

/** A machine that stands still by itself, for longer than the stall, has calls refused rightly: then it is tried again. */
const attempts = { retry: 2 }

test(
  'a disk that writes nothing for 300 ms at half load has no call refused, and each is charged once (docs/promises.md R7)',
  attempts,
  async () => {
    const perSecond = Math.round((await measurePeak()) / 2)
    const before = backend.effects()
    const load = startOpenLoad(perSecond)
    const untilFurther = (answers: number) => {
      const enough = load.answers() + answers
      return vi.waitUntil(() => load.answers() >= enough, patience)
    }

    const stalled: number[] = []
    await untilFurther(perSecond)
    for (let stall = 0; stall < stalls; stall += 1) {
      const stopped = postgres.stall(stallMs)
      // On a slow machine, half of the peak is fewer than a bound could refuse.
      const due = (perSecond * stallMs) / 1000
      for (let more = due; more < leastStalled; more += 1) load.call()
      await stopped
      stalled.push(load.underWay())
      await untilFurther(perSecond)
    }
    await load.stop()

    console.log(`${perSecond} calls/s, of which ${stalled.join(', ')} waited in stalls of the disk`)
    expect(load.statuses).toEqual(new Map([[200, load.answers()]]))
    for (const waiting of stalled) expect(waiting).toBeGreaterThan(leastWorking)
    expect(backend.effects() - before).toBe(load.answers())
    const [charged] = await postgres.database.query<{ charges: number }>(
      "SELECT count(*)::int AS charges FROM account.ledger_audit WHERE kind = 'charge'",
    )
    expect(charged?.charges).toBe(backend.effects())
    await expectExactBooks(gateway)
  },
)
