import { onOwnConnection } from './own-connection.ts'
import { type Queryable, queryConfig, type Statement } from './statement.ts'
import { sessionOfAllTenants } from './tenant.ts'

const session = {
  // Every session of the gateway uses UTC: then "a month later" means the same on any server.
  options: `-c timezone=UTC ${sessionOfAllTenants}`,
  application_name: 'credit-gateway owner',
}

/** Does all of the work or nothing, as the role that owns the schemas. Requests never use it. */
export function inOwnerTransaction<Result>(
  ownerUrl: string,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  // Without a COMMIT, the end of the connection rolls back.
  return onOwnConnection(ownerUrl, session, async (client) => {
    await client.query('BEGIN')
    const result = await work({
      async query<Row extends object>(statement: Statement, values: readonly unknown[]) {
        return (await client.query<Row>(queryConfig(statement, values))).rows
      },
    })
    await client.query('COMMIT')
    return result
  })
}
