import type { PostgresBinaries } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import {
  asTestGateway,
  type TestGateway,
  variablesFor,
} from '../../../test/support/gateway/gateway.ts'
import { type ChaosProxy, startChaosProxy } from '../../../test/support/processes/chaos-proxy.ts'
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/processes/own-postgres.ts'
import { compileProgram } from '../../../test/support/processes/program.ts'
import { type RedisServer, startRedisServer } from '../../../test/support/processes/redis-server.ts'
import { mountSmallDisk, type SmallDisk } from '../../../test/support/processes/small-disk.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../../test/support/processes/workplace.ts'
import { until } from '../../../test/support/time/until.ts'
import { wrongClock } from '../../../test/support/time/wrong-clock.ts'
import type { Rules } from '../model/history.ts'
import type { Plan } from '../plan/plan.ts'
import { type PlannedBackend, startPlannedBackend } from './backend.ts'

/** Two gateway processes, each with a proxy before the one database, and a backend. */
export interface Stage {
  readonly postgres: OwnPostgres
  readonly gateways: readonly [GatewayProcess, GatewayProcess]
  readonly backend: PlannedBackend
  /** The disk of PostgreSQL, and of the Redis of the gateways, in a hard run. */
  readonly disk: SmallDisk | null
  readonly redis: RedisServer | null
  close(): Promise<void>
}

/** A gateway that is started again after it was killed. */
export interface GatewayProcess {
  readonly name: string
  readonly proxy: ChaosProxy
  /** Null while it is down. */
  current(): TestGateway | null
  signal(name: NodeJS.Signals): void
  kill(): Promise<void>
  startAgain(): Promise<void>
}

const backendTimeoutMs = 1000
const holdTtlSeconds = 2
const keyCacheSeconds = 1
const billingPeriod = 'PT7S'

export const rules: Rules = {
  holdTtlMs: holdTtlSeconds * 1000,
  backendTimeoutMs,
  // A process that stands still may keep what it had just verified for so much longer.
  keyAllowanceMs: keyCacheSeconds * 1000 + 4000,
}

const diskMegabytes = 512

/** `binaries` are those of a PostgreSQL that is not the embedded one. */
export async function openStage(
  { behaviours, isHard, clocksMs }: Plan,
  binaries?: PostgresBinaries,
): Promise<Stage> {
  await compileProgram()
  const stack = new AsyncDisposableStack()
  try {
    const disk = isHard ? mountSmallDisk(diskMegabytes) : null
    stack.defer(() => disk?.close())
    const redis = isHard ? await startRedisServer() : null
    stack.defer(() => redis?.close())
    const postgres = await startOwnPostgres({ binaries, parent: disk?.folder })
    stack.defer(() => postgres.close())
    await migrate([account, keys, oauth, usage], postgres.database.ownerUrl)
    const backend = await startPlannedBackend(behaviours)
    stack.defer(() => backend.close())
    const start = async (name: string, wrongMs: readonly number[]) => {
      const proxy = await startChaosProxy(postgres.database.serviceUrl)
      stack.defer(() => proxy.close())
      const place = openWorkplace({ prefix: 'gateway-history-' })
      stack.defer(() => place.close())
      return startProcess({ name, proxy, place, postgres, backend, redis, wrongMs })
    }
    const gateways = [
      await start('gateway 1', clocksMs[0]),
      await start('gateway 2', clocksMs[1]),
    ] as const
    return { postgres, gateways, backend, disk, redis, close: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

interface Parts {
  readonly name: string
  readonly proxy: ChaosProxy
  readonly place: Workplace
  readonly postgres: OwnPostgres
  readonly backend: PlannedBackend
  readonly redis: RedisServer | null
  /** By how much its clock is wrong, from one start to the next. */
  readonly wrongMs: readonly number[]
}

async function startProcess(parts: Parts): Promise<GatewayProcess> {
  const { name, proxy, place, postgres, backend, redis, wrongMs } = parts
  const { database } = postgres
  const variables = {
    ...variablesFor({ ...database, serviceUrl: proxy.through(database.serviceUrl) }),
    BACKEND_CONTACT_FINDER_URL: backend.url,
    BACKEND_TIMEOUT_MS: String(backendTimeoutMs),
    HOLD_TTL_SECONDS: String(holdTtlSeconds),
    KEY_CACHE_SECONDS: String(keyCacheSeconds),
    BILLING_PERIOD: billingPeriod,
    LOG_LEVEL: 'error',
    REDIS_URL: redis?.url ?? '',
  }
  let starts = 0
  let program: StartedGateway
  let gateway: TestGateway | null = null

  async function startAgain(): Promise<void> {
    // A gateway gives up while the database is away; then the loop starts it again, as its supervisor does.
    await until(async () => {
      const byMs = wrongMs[starts % wrongMs.length] ?? 0
      const clock: Record<string, string> = byMs === 0 ? {} : { NODE_OPTIONS: wrongClock(byMs) }
      const started = await place.start({ ...variables, ...clock }).catch(() => null)
      if (started === null) return false
      starts += 1
      program = started
      gateway = asTestGateway(started, database)
      return true
    })
  }

  await startAgain()
  return {
    name,
    proxy,
    startAgain,
    current: () => gateway,
    signal: (signal) => program.signal(signal),
    async kill() {
      gateway = null
      program.signal('SIGKILL')
      await program.finished
    },
  }
}
