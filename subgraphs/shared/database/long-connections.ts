import pg from 'pg'
import { connectTimeoutMs } from './health/connect-timeout.ts'
import { end } from './health/lent-connections.ts'
import { type Queryable, queryConfig, type Statement, types } from './statement.ts'
import { setTenant, type Tenant } from './tenant.ts'

/** Runs a statement; int8 arrives as a number, time as a Date. */
export type Read = Queryable['query']

interface LongConnection {
  readonly url: string
  readonly name: string
  /** As `options` of the connection. */
  readonly settings: string
}

const readingMs = 600_000
const runningMs = 3_600_000
const longPauseMs = 60_000

async function onOwnConnection<Result>(
  { url, name, settings }: LongConnection,
  answerMs: number,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    options: `${settings} -c statement_timeout=${answerMs}`,
    application_name: `credit-gateway ${name}`,
    connectionTimeoutMillis: connectTimeoutMs(url, 5000),
    query_timeout: answerMs,
    keepAlive: true,
    types,
  })
  // The statement in progress reports the failure; this event tells nothing more.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Reads that may take minutes, all at one instant. */
export function readLong<Result>(
  connection: LongConnection,
  tenant: Tenant,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  return onOwnConnection(connection, readingMs, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // The reader may have to write its rows somewhere slow before it asks for more.
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${longPauseMs}`)
    await client.query(setTenant('$1'), [tenant])
    return work(
      async (statement, values) => (await client.query(queryConfig(statement, values))).rows,
    )
  })
}

/** Runs a statement that may take an hour; given up when the signal says so. */
export function runLong(
  connection: LongConnection,
  tenant: Tenant,
  [statement, values]: readonly [Statement, readonly unknown[]],
  signal?: AbortSignal,
): Promise<void> {
  return onOwnConnection(connection, runningMs, async (client) => {
    signal?.throwIfAborted()
    const giveUp = () => end(client)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      await client.query('BEGIN')
      await client.query(setTenant('$1'), [tenant])
      await client.query(queryConfig(statement, values))
      await client.query('COMMIT')
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  })
}
