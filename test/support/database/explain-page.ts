import 'reflect-metadata'
import pg from 'pg'
import type {
  AllTenantsDatabase,
  Database,
  ServiceStatement,
  Statement,
} from '../../../subgraphs/shared/database/database.ts'
import { sessionSettingsWithin } from '../../../subgraphs/shared/database/sessions.ts'
import { usageLogOf } from '../../../subgraphs/usage/log/usage-log.service.ts'
import type { UsageLogFilter } from '../../../subgraphs/usage/log/usage-log.type.ts'

interface SessionOptions {
  readonly serviceUrl: string
  readonly accountId: string
  /** Planned once for all values, or anew for these. */
  readonly mode?: 'force_generic_plan' | 'force_custom_plan'
  readonly format?: 'JSON' | 'TEXT'
}

export interface ExplainOptions extends SessionOptions {
  readonly filter: UsageLogFilter
  readonly before: string | null
}

interface Question {
  readonly statement: Statement | ServiceStatement
  readonly values: readonly unknown[]
}

/** Some more than a page, as the list asks for it. */
const limit = 51

/**
 * What PostgreSQL does for a page of the usage log, in a session as the gateway's, the second time.
 */
export async function explainPage({ filter, before, ...session }: ExplainOptions): Promise<string> {
  const owner = { accountId: session.accountId, environment: 'live' } as const
  return explainStatement(session, (database) =>
    usageLogOf(database, owner, filter).read({ limit, before }),
  )
}

/** Explains the one statement that some work asks for, and that answers without a row. */
export async function explainStatement(
  { serviceUrl, accountId, mode = 'force_generic_plan', format = 'TEXT' }: SessionOptions,
  work: (database: Database) => Promise<unknown>,
): Promise<string> {
  const { statement, values } = await questionOf(work)
  const client = new pg.Client({
    connectionString: serviceUrl,
    options: `${sessionSettingsWithin(30_000)} -c plan_cache_mode=${mode}`,
  })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT set_config('gateway.account_id', $1, true)`, [accountId])
    await client.query(`PREPARE page AS ${statement.text}`)
    const given = values.map((value) => (value === null ? 'NULL' : literal(value)))
    const run = `EXPLAIN (ANALYZE, BUFFERS, FORMAT ${format}) EXECUTE page (${given.join(', ')})`
    await client.query(run)
    const { rows } = await client.query<{ 'QUERY PLAN': unknown }>(run)
    const lines = rows.map((row) => row['QUERY PLAN'])
    return format === 'TEXT' ? lines.join('\n') : JSON.stringify(lines[0])
  } finally {
    await client.end()
  }
}

function literal(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

async function questionOf(work: (database: Database) => Promise<unknown>): Promise<Question> {
  const asked: Question[] = []
  const refuse = () => Promise.reject(new Error('Nothing else is asked.'))
  const database: AllTenantsDatabase = {
    schema: 'usage',
    as: () => database,
    transaction: refuse,
    readLong: refuse,
    runLong: refuse,
    async query(statement, values) {
      asked.push({ statement, values })
      return []
    },
  }
  await work(database)
  const [question] = asked
  if (!question) throw new Error('Nothing was asked.')
  return question
}
