import 'reflect-metadata'
import pg from 'pg'
import {
  type EveryonesDatabase,
  type ServiceStatement,
  type Statement,
  sessionSettings,
} from '../../../subgraphs/shared/database/database.ts'
import { usageLogOf } from '../../../subgraphs/usage/log/usage-log.service.ts'
import type { UsageLogFilter } from '../../../subgraphs/usage/log/usage-log.type.ts'

export interface ExplainOptions {
  readonly serviceUrl: string
  readonly accountId: string
  readonly filter: UsageLogFilter
  readonly before: string | null
  /** Planned once for all values, or anew for these. */
  readonly mode?: 'force_generic_plan' | 'force_custom_plan'
  readonly format?: 'JSON' | 'TEXT'
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
export async function explainPage(options: ExplainOptions): Promise<string> {
  const { serviceUrl, accountId, mode = 'force_generic_plan', format = 'TEXT' } = options
  const { statement, values } = await questionOf(options)
  const client = new pg.Client({
    connectionString: serviceUrl,
    options: `${sessionSettings} -c plan_cache_mode=${mode}`,
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
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value))
}

/** The statement that a page is read with. */
async function questionOf({ accountId, filter, before }: ExplainOptions): Promise<Question> {
  const asked: Question[] = []
  const refuse = () => Promise.reject(new Error('Nothing else is asked.'))
  const database: EveryonesDatabase = {
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
  await usageLogOf(database, { accountId, environment: 'live' }, filter).read({ limit, before })
  const [question] = asked
  if (!question) throw new Error('Nothing was asked.')
  return question
}
