import pg from 'pg'

/** One statement on a connection of its own, to a server that may be ending or away. */
export async function askOnce<Row extends object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    // One that is away refuses at once; one that is late is on a loaded machine.
    connectionTimeoutMillis: 10_000,
    // A server that is ending may leave a question without an answer.
    query_timeout: 30_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
