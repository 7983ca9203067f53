import pg from 'pg'
import { type Database, type Statement, types } from './database.ts'
import { everyonesSession } from './tenant.ts'

/** Runs statements one after the other, in one transaction. */
export type Transaction = Pick<Database, 'query'>

/** Does all of the work or nothing, as the role that owns the schemas: never for a request. */
export async function inOwnerTransaction<Result>(
  ownerUrl: string,
  work: (transaction: Transaction) => Promise<Result>,
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
      async query<Row extends object>({ name, text }: Statement, values: readonly unknown[]) {
        return (await client.query<Row>({ name, text, values: [...values] })).rows
      },
    })
    await client.query('COMMIT')
    return result
  } finally {
    // What was not committed by then never was.
    await client.end()
  }
}
