import pg from 'pg'
import { type Queryable, queryConfig, type Statement, types } from './statement.ts'
import { everyonesSession } from './tenant.ts'

/** Does all of the work or nothing, as the role that owns the schemas. Requests never use it. */
export async function inOwnerTransaction<Result>(
  ownerUrl: string,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    // Every session of the gateway uses UTC: then "a month later" means the same on any server.
    options: `-c timezone=UTC ${everyonesSession}`,
    application_name: 'credit-gateway owner',
    types,
  })
  // The statement in progress reports the failure; this event tells nothing more.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('BEGIN')
    const result = await work({
      async query<Row extends object>(statement: Statement, values: readonly unknown[]) {
        return (await client.query<Row>(queryConfig(statement, values))).rows
      },
    })
    await client.query('COMMIT')
    return result
  } finally {
    // Without a COMMIT, the end of the connection rolls back.
    await client.end()
  }
}
