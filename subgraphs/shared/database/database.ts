import type { EntitySchema } from '@mikro-orm/core'
import type { Migration } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import type pg from 'pg'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { timedStatement } from '../../../schema/process/spent-time.ts'
import { inSpan } from '../../../schema/process/tracing.ts'
import { type Connections, openConnections, type PoolSize } from './connections.ts'
import { SilentDatabase } from './health/silence-watch.ts'
import { type Read, readLong, runLong } from './long-connections.ts'
import { boundValuesDriver } from './mikro-orm/bound-values.ts'
import { sessionSettings } from './sessions.ts'
import {
  databaseSpan,
  type Queryable,
  queryConfig,
  refuseSecondText,
  type ServiceStatement,
  type Statement,
} from './statement.ts'
import { allTenants, noTenant, setTenant, type Tenant } from './tenant.ts'
import { tenantQuery } from './tenant-query.ts'
import { Transaction } from './transaction.ts'
import type { ConnectionUse } from './wire/wire-connections.ts'
import { isLockTimeout } from './wire-statements.ts'

export type { ConnectionUse, Read, ServiceStatement, Statement, Transaction }

/**
 * One subgraph's view of PostgreSQL, as one tenant: whatever a statement asks for, it sees and writes no
 * other's rows, because row-level security refuses them.
 */
export interface Database extends Queryable {
  /** The PostgreSQL schema that is this subgraph's. */
  readonly schema: string
  /** The view of another tenant. The view of `allTenants` is always the same object. */
  as(tenant: typeof allTenants): AllTenantsDatabase
  as(tenant: Tenant): Database
  /** Does all of the work or nothing, with a unit of work of its own. */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Reads that may take minutes, all at one instant, on a connection of their own. */
  readLong<Result>(work: (read: Read) => Promise<Result>): Promise<Result>
  /** Runs a statement that may take an hour, on a connection of its own; given up when the signal says so. */
  runLong(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<void>
}

/** The view of all tenants: only this view runs statements on connections that see all rows. */
export interface AllTenantsDatabase extends Database {
  /**
   * This is a member and no method: otherwise TypeScript would take each `Database` for a view of all
   * tenants.
   */
  readonly query: <Row extends object>(
    statement: Statement | ServiceStatement,
    values: readonly unknown[],
  ) => Promise<Row[]>
}

/** A database as it is opened: a view of `noTenant`, which sees no rows. `as` gives the views of tenants. */
export interface OpenDatabase extends Database {
  /** How many connections there are, by what they do. */
  readonly connections: () => ConnectionUse
  close(): Promise<void>
}

/** The storage of a subgraph: mapped classes, and the forward-only steps that make its tables. */
export interface Storage {
  /** The name of the subgraph, which is also the name of its PostgreSQL schema. */
  readonly name: string
  readonly entities: readonly (EntitySchema | (new () => object))[]
  /** Persisted operations that the changes of the subgraph have run as jobs. */
  readonly jobs?: readonly OperationName[]
  /** Persisted operations that run as jobs and may take an hour: see `JobNames`. */
  readonly longJobs?: readonly OperationName[]
  readonly migrations: readonly (new (
    ...args: ConstructorParameters<typeof Migration>
  ) => Migration)[]
}

interface OpenOptions extends Partial<Pick<PoolSize, 'wire'>> {
  readonly url: string
  readonly poolSize: number
  /** How long to wait for the answer to a statement; by default five seconds. */
  readonly timeoutMs?: number
  /** Receives warnings, for example about connections that broke while they were idle. */
  readonly warn: (message: string) => void
}

/** Opens a database whose connections nobody shares. */
export async function openDatabase(storage: Storage, options: OpenOptions): Promise<OpenDatabase> {
  const connections = await openConnections({ ...options, name: storage.name })
  const database = databaseOn(connections, storage)
  return {
    ...database,
    async close() {
      await database.close()
      await connections.close()
    },
  }
}

/** The view of a subgraph on connections that others may share. Closing the view leaves the connections open. */
// oxlint-disable-next-line max-lines-per-function -- every statement passes here: a further function for each would cost time.
export function databaseOn(connections: Connections, storage: Storage): OpenDatabase {
  const { url, pool, wire, turns, silence, timeoutMs } = connections
  const orm = openOrm(storage, connections)
  const { name: schema } = storage
  const span = databaseSpan(schema)
  const longConnection = { url, settings: sessionSettings }

  async function runPooled<Row extends object>(
    query: pg.QueryConfig,
    tenant: Tenant,
  ): Promise<Row[]> {
    const { rows } = await silence.guard((isGivenUp) =>
      inTurn(tenant, () =>
        timedStatement((onSent) =>
          pool.query<Row>(tenantQuery({ ...query, tenant, timeoutMs, isGivenUp, onSent })),
        ),
      ),
    )
    return rows
  }

  function inTurn<Result>(tenant: Tenant, work: () => Promise<Result>): Promise<Result> {
    const isAccount = tenant !== allTenants && tenant !== noTenant
    return isAccount ? turns.run(tenant, work) : work()
  }

  function forTenant(tenant: Tenant): AllTenantsDatabase {
    return {
      schema,
      as: (other: Tenant) => (other === allTenants ? forAllTenants : forTenant(other)),
      query: <Row extends object>(
        statement: Statement | ServiceStatement,
        values: readonly unknown[],
      ) =>
        inSpan(statement.name, span, async () => {
          refuseSecondText(pool, statement)
          if (!statement.wire) {
            return runPooled<Row>(queryConfig(statement, values), tenant)
          }
          try {
            return await wire.run<Row>(statement, values, tenant)
          } catch (error) {
            const isPatient = statement.wire === 'service' && !statement.givesUpLocks
            if (!isPatient || !isLockTimeout(error)) throw error
            const name = `${statement.name}-patiently`
            return runPooled<Row>(queryConfig({ ...statement, name }, values), tenant)
          }
        }),
      transaction: (work) =>
        inSpan(`${schema} transaction`, span, () =>
          silence.guard((isGivenUp) =>
            inTurn(tenant, () =>
              orm.em.fork().transactional(async (tx) => {
                if (isGivenUp()) throw new SilentDatabase()
                await tx.query(beginAsTenant, [tenant])
                return work(tx)
              }),
            ),
          ),
        ),
      readLong: (work) =>
        inSpan(`${schema} long read`, span, () =>
          readLong({ ...longConnection, name: `${schema} audit` }, tenant, work),
        ),
      runLong: (statement, values, signal) =>
        inSpan(`${schema} upkeep`, span, () =>
          runLong(
            { ...longConnection, name: `${schema} upkeep` },
            tenant,
            [statement, values],
            signal,
          ),
        ),
    }
  }

  const forAllTenants = forTenant(allTenants)
  return {
    ...forTenant(noTenant),
    connections: connections.use,
    close: () => orm.close(true),
  }
}

/**
 * The name of this statement differs from the name of the setter of `tenantQuery`: connections prepare both.
 */
const beginAsTenant: Statement = { name: 'begin-as-tenant', text: setTenant('$1') }

function openOrm({ name, entities }: Storage, { url, pool, warn }: Connections) {
  // `MikroORM.init` would look for extensions that nothing here uses, and load them.
  return new MikroORM<Transaction>({
    driver: boundValuesDriver(pool),
    entityManager: Transaction,
    clientUrl: url,
    entities: [...entities],
    schema: name,
    discovery: { warnWhenNoEntities: false },
    colors: false,
    logger: warn,
  })
}
