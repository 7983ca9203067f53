import { type Attributes, SpanKind } from '@opentelemetry/api'
import pg from 'pg'
import { oids, type ParameterType } from './wire/parameters.ts'

/** One SQL statement, prepared by its name on each connection: PostgreSQL parses and plans it once. */
export type Statement = PooledStatement | WireStatement<'tenant'>

/** A statement of the hot path that sees the rows of all tenants: only the view of `allTenants` runs it. */
export interface ServiceStatement extends WireStatement<'service'> {
  /**
   * Fails when another transaction holds a lock for more than 100 ms, with a time-out that `isLockTimeout`
   * knows. Any other statement is then run again on a connection that waits for the lock.
   */
  readonly givesUpLocks?: true
}

interface StatementText {
  /** Unique among the statements of all subgraphs; also the name of its span in a trace. */
  readonly name: string
  /** SQL. The placeholders are `$1`, `$2`, …; the aliases of the columns are the fields of the row. */
  readonly text: string
}

interface PooledStatement extends StatementText {
  /** The types of `$1`, `$2`, …, where PostgreSQL cannot infer them and a cast would be repeated. */
  readonly parameters?: readonly ParameterType[]
  readonly wire?: undefined
}

export interface WireStatement<Session> extends StatementText {
  /** The types of `$1`, `$2`, …, all of them. */
  readonly parameters: readonly ParameterType[]
  /** Runs on connections that only the hot path uses (subgraphs/shared/README.md#the-wire). */
  readonly wire: Session
}

/** Runs statements: the view of a database, or one transaction in it. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

/** Every int8 here is a count or credits, which CHECK constraints keep below 2^53. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [oids.int8]: Number,
  [oids['int8[]']]: numbersOf,
}

export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers[oid] ?? pg.types.getTypeParser(oid, format),
}

/** The numbers of an array of one dimension, such as `{1,NULL,3}`. */
function numbersOf(text: string): (number | null)[] {
  const items = text === '{}' ? [] : text.slice(1, -1).split(',')
  return items.map((item) => (item === 'NULL' ? null : Number(item)))
}

/**
 * The configuration of a query for pg. Its `types` has two readers in pg: the result asks it for
 * parsers, and the Parse message takes its elements as the types of the parameters.
 */
export function queryConfig(
  { name, text, parameters = [] }: Statement | ServiceStatement,
  values: readonly unknown[],
): pg.QueryConfig & { readonly values: unknown[] } {
  const stated = parameters.map((type) => oids[type])
  return { name, text, values: [...values], types: Object.assign(stated, types) }
}

/** How OpenTelemetry describes a statement that is sent to the database of a subgraph. */
export function databaseSpan(schema: string): { kind: SpanKind; attributes: Attributes } {
  const attributes = { 'db.system.name': 'postgresql', 'db.namespace': schema }
  return { kind: SpanKind.CLIENT, attributes }
}

const placeholders = /\$(\d+)/g

/** Throws unless the text has a placeholder for each of the parameters. */
export function refuseUntypedPlaceholders({
  name,
  text,
  parameters,
}: ServiceStatement | WireStatement<'tenant'>): void {
  const numbers = new Set([...text.matchAll(placeholders)].map(([, number]) => Number(number)))
  const most = Math.max(0, ...numbers)
  if (numbers.size === parameters.length && most === parameters.length) return
  throw new Error(`"${name}" states ${parameters.length} types for $1 to $${most}.`)
}

const textsOf = new WeakMap<object, Map<string, string>>()

/**
 * Throws when another statement on the connections of this pool has the name: a connection that has
 * prepared one of them would refuse the other.
 */
export function refuseSecondText(
  pool: pg.Pool,
  { name, text }: Statement | ServiceStatement,
): void {
  const texts = textsOf.get(pool) ?? new Map<string, string>()
  textsOf.set(pool, texts)
  const known = texts.get(name)
  if (known === undefined) texts.set(name, text)
  else if (known !== text) throw new Error(`Two statements have the name "${name}".`)
}
