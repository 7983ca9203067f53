import type { EntitySchema } from '@mikro-orm/core'
import type { Migration } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { inSpan } from '../../../schema/process/tracing.ts'
import { BoundValuesDriver } from './bound-values.ts'
import { connectTimeoutMs } from './health/connect-timeout.ts'
import { createLentConnections } from './health/lent-connections.ts'
import { SilentDatabase, watchForSilence } from './health/silence-watch.ts'
import type { ConnectionUse } from './kept/kept-connections.ts'
import { createKeptStatements, isLockTimeout, type KeptShare, shareOf } from './kept-statements.ts'
import { type Read, readLong, runLong } from './long-connections.ts'
import { serviceRole, workerRole } from './service-role.ts'
import {
  databaseSpan,
  type Queryable,
  queryConfig,
  refuseSecondText,
  type ServiceStatement,
  type Statement,
} from './statement.ts'
import { everyone, nobody, setTenant, type Tenant } from './tenant.ts'
import { tenantQuery } from './tenant-query.ts'
import { Transaction } from './transaction.ts'

export type { ConnectionUse, Read, ServiceStatement, Statement, Transaction }

/**
 * One subgraph's view of PostgreSQL, as one tenant: whatever a statement asks for, it sees and writes no
 * other's rows, because row-level security refuses them.
 */
export interface Database extends Queryable {
  /** The PostgreSQL schema that is this subgraph's. */
  readonly schema: string
  /** The view of another tenant; that of `everyone` is always the same object. */
  as(tenant: typeof everyone): EveryonesDatabase
  as(tenant: Tenant): Database
  /** Does all of the work or nothing, with a unit of work of its own. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Reads that may take minutes, all at one instant, on a connection of their own. */
  readLong<Result>(work: (read: Read) => Promise<Result>): Promise<Result>
  /** Runs a statement that may take an hour, on a connection of its own; given up when the signal says so. */
  runLong(sql: string, signal?: AbortSignal): Promise<void>
}

/** The view of everyone: it alone runs the statements whose connections see all rows. */
export interface EveryonesDatabase extends Database {
  /** A member, not a method: otherwise each `Database` would be one of everyone's to TypeScript. */
  readonly query: <Row extends object>(
    statement: Statement | ServiceStatement,
    values: readonly unknown[],
  ) => Promise<Row[]>
}

/** At first that of `nobody`. */
export interface OpenDatabase extends Database {
  /** How many connections there are, by what they do. */
  readonly connections: () => ConnectionUse
  close(): Promise<void>
}

/** The storage of a subgraph: mapped classes, and the forward-only steps that make its tables. */
export interface Storage {
  /** Also the name of its PostgreSQL schema. */
  readonly name: string
  readonly entities: readonly (EntitySchema | (new () => object))[]
  /** Persisted operations that its changes have run as jobs. */
  readonly jobs?: readonly string[]
  /** Those that may take an hour: see `JobNames`. */
  readonly longJobs?: readonly string[]
  readonly migrations: readonly (new (
    ...args: ConstructorParameters<typeof Migration>
  ) => Migration)[]
}

interface OpenOptions {
  readonly url: string
  readonly poolSize: number
  /**
   * Those among them that hot statements keep; null: they share the pool with all others, because it is small. By
   * default three eighths of them for batches of many accounts, and a fifth for one account each.
   */
  readonly kept?: KeptShare | null
  /** Receives warnings, for example about connections that broke while they were idle. */
  readonly warn: (message: string) => void
}

interface PoolHook {
  readonly onPoolCreated: (pool: pg.Pool) => void
}

/** The time zone of every session of the service: months are added to instants in UTC. */
const serviceSettings = [`-c role=${serviceRole}`, '-c timezone=UTC']

export const sessionSettings = [
  ...serviceSettings,
  // A frozen process must not keep a row locked (docs/promises.md R11).
  '-c idle_in_transaction_session_timeout=5000',
  // Less than we wait for: what is told to have failed must not commit afterwards.
  '-c statement_timeout=4500',
].join(' ')

/**
 * A statement of a request finds its rows by key, for every caller: its plan is made once. Left to
 * itself, PostgreSQL plans anew, over all partitions, wherever a range might be small. And it starts
 * workers wherever a table is long, which takes longer than such a statement.
 */
const planOnce = '-c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0'

/** As `options` of a connection that keeps jobs: what is done is tidied away, which may take a while. */
export const jobSettings = [
  `-c role=${workerRole}`,
  ...['-c timezone=UTC', '-c statement_timeout=55000'],
].join(' ')

export async function openDatabase(storage: Storage, options: OpenOptions): Promise<OpenDatabase> {
  const lent = createLentConnections()
  const orm = openOrm(storage, { ...options, onPoolCreated: lent.watch })
  const pool = await nativePool(orm)
  const silence = watchForSilence(options.url, () => {
    lent.endAll()
    kept.endAll()
  })
  const { name: schema } = storage
  const kept = createKeptStatements({
    connection: {
      connectionString: options.url,
      connectionTimeoutMillis: connectTimeoutMs(options.url),
      options: `${sessionSettings} ${planOnce}`,
      application_name: `credit-gateway ${schema}`,
    },
    share: options.kept ?? shareOf(options.poolSize),
    silence,
    takePlaces(count) {
      pool.options.max = Math.max(1, pool.options.max - count)
    },
  })

  const span = databaseSpan(schema)
  const longConnection = { url: options.url, settings: sessionSettings }

  async function runPooled<Row extends object>(
    query: pg.QueryConfig,
    tenant: Tenant,
  ): Promise<Row[]> {
    const timeoutMs = answerPatienceMs
    const { rows } = await silence.guard((isGivenUp) =>
      pool.query<Row>(tenantQuery({ ...query, tenant, timeoutMs, isGivenUp })),
    )
    return rows
  }

  function forTenant(tenant: Tenant): EveryonesDatabase {
    return {
      schema,
      as: (other: Tenant) => (other === everyone ? forEveryone : forTenant(other)),
      query: <Row extends object>(
        statement: Statement | ServiceStatement,
        values: readonly unknown[],
      ) =>
        inSpan(statement.name, span, async () => {
          refuseSecondText(orm.config, statement)
          if (!statement.kept || options.kept === null) {
            return runPooled<Row>(queryConfig(statement, values), tenant)
          }
          try {
            return await kept.run<Row>(statement, values, tenant)
          } catch (error) {
            const isPatient = statement.kept === 'service' && !statement.givesUpLocks
            if (!isPatient || !isLockTimeout(error)) throw error
            const name = `${statement.name}-patiently`
            return runPooled<Row>(queryConfig({ ...statement, name }, values), tenant)
          }
        }),
      transaction: (work) =>
        inSpan(`${schema} transaction`, span, () =>
          silence.guard((isGivenUp) =>
            orm.em.fork().transactional(async (tx) => {
              if (isGivenUp()) throw new SilentDatabase()
              await tx.query(beginAsTenant, [tenant])
              return work(tx)
            }),
          ),
        ),
      readLong: (work) =>
        inSpan(`${schema} long read`, span, () =>
          readLong({ ...longConnection, name: `${schema} audit` }, tenant, work),
        ),
      runLong: (sql, signal) =>
        inSpan(`${schema} upkeep`, span, () =>
          runLong({ ...longConnection, name: `${schema} upkeep` }, tenant, sql, signal),
        ),
    }
  }

  const forEveryone = forTenant(everyone)
  return {
    ...forTenant(nobody),
    connections() {
      const { totalCount, idleCount, waitingCount } = pool
      const pooled = { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
      return kept.use().reduce(
        (sum, use) => ({
          inUse: sum.inUse + use.inUse,
          idle: sum.idle + use.idle,
          waiting: sum.waiting + use.waiting,
        }),
        pooled,
      )
    },
    async close() {
      await kept.close()
      await orm.close(true)
      await silence.close()
    },
  }
}

/** Its name differs from the setter's of `tenantQuery`: connections prepare both. */
const beginAsTenant: Statement = { name: 'begin-as-tenant', text: setTenant('$1') }

function openOrm(
  { name, entities }: Storage,
  { url, poolSize, warn, onPoolCreated }: OpenOptions & PoolHook,
) {
  // `MikroORM.init` would look for extensions that nothing here uses, and load them.
  return new MikroORM<Transaction>({
    driver: BoundValuesDriver,
    entityManager: Transaction,
    clientUrl: url,
    entities: [...entities],
    schema: name,
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize },
    colors: false,
    logger: warn,
    driverOptions: {
      options: `${sessionSettings} ${planOnce}`,
      application_name: `credit-gateway ${name}`,
      connectionTimeoutMillis: connectTimeoutMs(url),
      onPoolCreated,
    },
  })
}

/** A connection that went silent must not hold up those who wait behind it. */
const answerPatienceMs = 5000

async function nativePool(orm: Awaited<ReturnType<typeof openOrm>>): Promise<pg.Pool> {
  const client: unknown = await orm.em.getConnection().getNativeClient()
  if (client instanceof pg.Pool) return client
  throw new Error('MikroORM does not hand out its connection pool.')
}
