import pg from 'pg'

/** Runs statements in one session of PostgreSQL, such as a superuser's, while `work` runs. */
export async function withSession<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Some roles may not stay in a transaction without a statement.
    await client.query('SET idle_in_transaction_session_timeout = 0')
    return await work(client)
  } finally {
    await client.end()
  }
}
