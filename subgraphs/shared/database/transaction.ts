import { EntityManager, type Kysely, type PostgreSqlDriver } from '@mikro-orm/postgresql'
import { inSpan } from '../../../schema/process/tracing.ts'
import { poolOf } from './mikro-orm/bound-values.ts'
import { RawQuery } from './mikro-orm/client-connection.ts'
import {
  databaseSpan,
  type Queryable,
  queryConfig,
  refuseSecondText,
  type Statement,
} from './statement.ts'

/**
 * One transaction: it loads and stores entities, and runs statements on the same connection. A statement
 * does not see what was changed in an entity before `flush`.
 */
export class Transaction extends EntityManager<PostgreSqlDriver> implements Queryable {
  async query<Row extends object>(statement: Statement, values: readonly unknown[]) {
    refuseSecondText(poolOf(this.getConnection()), statement)
    const transaction = this.getTransactionContext<Kysely<unknown>>()
    if (!transaction) throw new Error('This unit of work has no transaction.')
    return inSpan(statement.name, databaseSpan(this.config.get('schema', '')), async () => {
      const query = new RawQuery(queryConfig(statement, values))
      return (await transaction.executeQuery<Row>(query)).rows
    })
  }
}
