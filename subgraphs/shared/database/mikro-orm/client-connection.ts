import type { PostgreSqlConnection } from '@mikro-orm/postgresql'
import type pg from 'pg'
import { timedStatement } from '../../../../schema/process/spent-time.ts'
import { isOfStandby } from '../wire/wire-run.ts'

type Dialect = ReturnType<PostgreSqlConnection['createKyselyDialect']>
type Driver = ReturnType<Dialect['createDriver']>
type Connection = Awaited<ReturnType<Driver['acquireConnection']>>
type CompiledQuery = Parameters<Connection['executeQuery']>[0]

interface Result<Row> {
  readonly numAffectedRows?: bigint
  readonly rows: Row[]
}

/** SQL that Kysely hands on as it is; pg may be told more about it than its text and values. */
export class RawQuery implements CompiledQuery {
  readonly config: pg.QueryConfig
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly query = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const
  readonly queryId = { queryId: '' }

  constructor(config: pg.QueryConfig) {
    this.config = config
    this.sql = config.text
    this.parameters = config.values ?? []
  }
}

const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/**
 * A connection as Kysely, which MikroORM is built on, uses it. Kysely's own class passes nothing but text
 * and values to pg, so it can neither prepare a statement by name nor give it type parsers.
 */
class ClientConnection implements Connection {
  readonly client: pg.PoolClient
  /** A standby takes no changes: the pool must open another connection. */
  hasMetStandby = false

  constructor(client: pg.PoolClient) {
    this.client = client
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<Result<Row>> {
    const config =
      query instanceof RawQuery ? query.config : { text: query.sql, values: [...query.parameters] }
    const run = (onSent: () => void) => {
      onSent()
      return this.client.query(config)
    }
    const { command, rowCount, rows } = await timedStatement(run).catch((error: unknown) => {
      this.hasMetStandby ||= isOfStandby(error)
      throw error
    })
    return changes.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }

  streamQuery(): never {
    throw new Error('Entities are not streamed; a long read has a connection of its own.')
  }
}

/** Makes the dialect hand out the connections of this pool. */
export function withClientConnections(dialect: Dialect, pool: pg.Pool): Dialect {
  const createDriver = dialect.createDriver.bind(dialect)
  const connections: Pick<Driver, 'acquireConnection' | 'releaseConnection'> = {
    acquireConnection: async () => new ClientConnection(await pool.connect()),
    releaseConnection: async (connection) => {
      if (connection instanceof ClientConnection) {
        connection.client.release(connection.hasMetStandby)
      }
    },
  }
  return Object.assign(dialect, { createDriver: () => Object.assign(createDriver(), connections) })
}
