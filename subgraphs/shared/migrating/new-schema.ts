import type { Configuration } from '@mikro-orm/core'
import type { AbstractSqlDriver } from '@mikro-orm/postgresql'
import type pg from 'pg'
import type { Storage } from '../database/database.ts'
import { serviceRole } from '../database/sessions.ts'
import { allTenants, setTenant } from '../database/tenant.ts'
import { ConcurrentIndex } from './concurrent-index.ts'

interface NewSchemaOptions {
  readonly driver: AbstractSqlDriver
  readonly config: Configuration
  readonly lockTimeoutMs: number
  /** Is told of each step before it runs. */
  readonly onStep: (name: string) => void
}

/**
 * Makes a schema that does not exist: all its steps in one transaction, on the connection of the
 * advisory lock, so that the transaction ends with the lock. After a failure, nothing of it exists.
 */
export async function makeSchema(
  client: pg.Client,
  { name: schema, migrations }: Storage,
  { driver, config, lockTimeoutMs, onStep }: NewSchemaOptions,
): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(setTenant('$1'), [allTenants])
    await client.query(`
      SET LOCAL lock_timeout = ${lockTimeoutMs};
      ${migrationTable(schema)}`)
    for (const Step of migrations) {
      onStep(Step.name)
      const statements = await statementsOf(new Step(driver, config))
      const note = `INSERT INTO ${schema}.migration (name) VALUES ('${Step.name}')`
      // A text may end with a comment.
      await client.query([...statements, note].join('\n;\n'))
    }
    await client.query(`GRANT SELECT ON ${schema}.migration TO ${serviceRole}`)
    await client.query('COMMIT')
  } catch (error) {
    // If the connection is lost, there is nothing to roll back.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** The table that MikroORM makes where it runs the steps. */
function migrationTable(schema: string): string {
  return `
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE ${schema}.migration (
      id serial PRIMARY KEY,
      name varchar(255) NOT NULL,
      executed_at timestamptz(6) NOT NULL DEFAULT current_timestamp(6)
    );`
}

type Step = InstanceType<Storage['migrations'][number]>

async function statementsOf(step: Step): Promise<readonly string[]> {
  if (step instanceof ConcurrentIndex) return [step.statementForNewTable()]
  await step.up()
  return step.getQueries().map(String)
}
