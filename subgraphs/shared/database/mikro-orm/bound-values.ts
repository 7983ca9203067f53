import {
  type Configuration,
  isRaw,
  JsonProperty,
  NativeQueryBuilder,
  type Platform,
  PostgreSqlConnection,
  PostgreSqlDriver,
  raw,
  Utils,
} from '@mikro-orm/postgresql'
import type pg from 'pg'
import { RawQuery, withClientConnections } from './client-connection.ts'

/**
 * MikroORM writes values into the text of a statement, and the server logs the text of statements
 * that fail or are slow. This driver sends values beside the text, as prepared statements do, on the
 * connections of this pool.
 */
export function boundValuesDriver(pool: pg.Pool): typeof PostgreSqlDriver {
  return class extends PostgreSqlDriver {
    protected override readonly connection = new BoundValuesConnection(this.config, pool)
  }
}

/** The pool on which a driver of `boundValuesDriver` works. */
export function poolOf(connection: PostgreSqlConnection): pg.Pool {
  if (connection instanceof BoundValuesConnection) return connection.pool
  throw new Error('This connection has no pool of ours.')
}

type Execute = PostgreSqlConnection['execute']
type Parameters = readonly unknown[] | Readonly<Record<string, unknown>>

class BoundValuesConnection extends PostgreSqlConnection {
  readonly pool: pg.Pool

  constructor(config: Configuration, pool: pg.Pool) {
    super(config)
    this.pool = pool
  }

  /** MikroORM makes a pool of its own too, which never opens a connection. */
  override createKyselyDialect(
    overrides: globalThis.Parameters<PostgreSqlConnection['createKyselyDialect']>[0],
  ) {
    return withClientConnections(super.createKyselyDialect(overrides), this.pool)
  }

  override async execute<Result>(
    query: globalThis.Parameters<Execute>[0],
    parameters: Parameters = [],
    method: 'all' | 'get' | 'run' = 'all',
    transaction?: globalThis.Parameters<Execute>[3],
    loggerContext?: globalThis.Parameters<Execute>[4],
  ): Promise<Result> {
    await this.ensureConnection()
    const statement = bind(this.platform, fragmentOf(query, parameters))
    const run = async () => {
      const client = transaction ?? this.getClient()
      const result = await client.executeQuery(new RawQuery(statement))
      return this.transformRawResult<Result>(result, method)
    }
    return this.executeQuery(statement.text, run, { ...loggerContext, query: statement.text })
  }
}

interface Fragment {
  readonly sql: string
  readonly params: readonly unknown[]
}

function fragmentOf(query: globalThis.Parameters<Execute>[0], parameters: Parameters): Fragment {
  if (query instanceof NativeQueryBuilder) return query.toRaw()
  if (isRaw(query)) return query
  if (Array.isArray(parameters)) return { sql: query, params: parameters }
  return raw(query, Object.fromEntries(Object.entries(parameters)))
}

interface Bound {
  readonly text: string
  readonly values: unknown[]
}

const placeholder = /\\\?|\?\??/g

/**
 * The syntax is that of `Platform.formatQuery`: `?` is a value, `??` a name, `\?` a question mark.
 */
function bind(platform: Platform, fragment: Fragment): Bound {
  const values: unknown[] = []

  function textOf({ sql, params }: Fragment): string {
    if (params.length === 0) return sql
    let position = 0
    return sql.replaceAll(placeholder, (found) => {
      if (found === '\\?') return '?'
      const value = params[position++]
      return found === '??' ? platform.quoteIdentifier(String(value)) : textOfValue(value)
    })
  }

  function textOfValue(value: unknown): string {
    if (isRaw(value)) return textOf(value)
    if (Array.isArray(value) && !isJson(value)) return value.map(textOfValue).join(', ')
    values.push(isJson(value) ? JSON.stringify(value) : value)
    return `$${values.length}`
  }

  return { text: textOf(fragment), values }
}

/** True for values that MikroORM has marked as JSON, and for plain objects. */
function isJson(value: unknown): boolean {
  if (Utils.isPlainObject(value)) return true
  return typeof value === 'object' && value !== null && JsonProperty in value
}
