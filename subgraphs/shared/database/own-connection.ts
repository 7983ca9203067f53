import pg from 'pg'
import { connectTimeoutMs } from './health/connect-timeout.ts'
import { types } from './statement.ts'

/** Does the work on a connection of its own, which ends with it. An int8 arrives as a number, a time as a Date. */
export async function onOwnConnection<Result>(
  url: string,
  options: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionTimeoutMillis: connectTimeoutMs(url, 5000),
    keepAlive: true,
    types,
    ...options,
    connectionString: url,
  })
  // The statement in progress reports the failure; this event tells nothing more.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
