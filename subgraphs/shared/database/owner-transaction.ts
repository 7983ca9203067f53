import pg from 'pg'
import { type Queryable, queryConfig, type Statement, types } from './statement.ts'
import { everyonesSession } from './tenant.ts'

/** Does all of the work or nothing, as the role that owns the schemas: never for a request. */
export async function inOwnerTransaction<Result>(
  ownerUrl: string,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    // As in every session of ours: a month later means the same on any server.
    options: `-c timezone=UTC ${everyonesSession}`,
    application_name: 'credit-gateway owner',
    types,
  })
  // Whoever waits for an answer is told by it; nobody else needs to be.
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
    // What was not committed by then never was.
    await client.end()
  }
}
