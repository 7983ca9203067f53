import type pg from 'pg'
import { end } from './health/lent-connections.ts'
import { onOwnConnection } from './own-connection.ts'
import { type Queryable, queryConfig, type Statement } from './statement.ts'
import { setTenant, type Tenant } from './tenant.ts'

/** Runs a statement; int8 arrives as a number, time as a Date. */
export type Read = Queryable['query']

interface LongConnection {
  readonly url: string
  readonly name: string
  /** The settings of the session, in the form of `options` of a connection. */
  readonly settings: string
}

const readingMs = 600_000
const runningMs = 3_600_000
const longPauseMs = 60_000

function onLongConnection<Result>(
  { url, name, settings }: LongConnection,
  answerMs: number,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const options = {
    options: `${settings} -c statement_timeout=${answerMs}`,
    application_name: `credit-gateway ${name}`,
    query_timeout: answerMs,
  }
  return onOwnConnection(url, options, work)
}

/** Reads that may take minutes, all at one instant. */
export function readLong<Result>(
  connection: LongConnection,
  tenant: Tenant,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  return onLongConnection(connection, readingMs, async (client) => {
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
  return onLongConnection(connection, runningMs, async (client) => {
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
