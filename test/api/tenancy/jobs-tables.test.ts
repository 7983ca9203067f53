import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobSettings, sessionSettings } from '../../../subgraphs/shared/database/sessions.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let database: TestDatabase
/** Every table that pg-boss and we have made for jobs. */
let tables: readonly string[]
beforeAll(async () => {
  database = await createTestDatabase()
  const found = await database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'jobs'::regnamespace AND relkind IN ('r', 'p') ORDER BY name`,
  )
  tables = found.map(({ name }) => name)
})
afterAll(() => database.drop())

/** The end of a session's statement: the code of its error, or `done`. */
async function outcomeOf(options: string, sql: string, values: unknown[] = []): Promise<string> {
  const client = new pg.Client({ connectionString: database.serviceUrl, options })
  await client.connect()
  try {
    await client.query(sql, values)
    return 'done'
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code) return error.code
    throw error
  } finally {
    await client.end()
  }
}

const asService = (sql: string, values?: unknown[]) => outcomeOf(sessionSettings, sql, values)
const asWorker = (sql: string) => outcomeOf(jobSettings, sql)

/** The tables that every process compares with its build when it starts: no row of any account's. */
const readByAll = ['jobs.migration', 'jobs.queue', 'jobs.version']

const statementsOn = (table: string) => [
  `SELECT FROM ${table}`,
  `INSERT INTO ${table} DEFAULT VALUES`,
  `DELETE FROM ${table}`,
  `TRUNCATE ${table}`,
]

describe('the tables of jobs', () => {
  test('are hidden from the service: it neither reads nor changes waiting jobs', async () => {
    expect(tables).toEqual(expect.arrayContaining(['jobs.job', 'jobs.job_common', ...readByAll]))
    for (const table of tables) {
      for (const sql of statementsOn(table)) {
        const isReadable = sql.startsWith('SELECT') && readByAll.includes(table)
        expect([sql, await asService(sql)]).toEqual([sql, isReadable ? 'done' : '42501'])
      }
      const [column] = await database.query<{ name: string }>(
        `SELECT quote_ident(attname) AS name FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
           AND attgenerated = '' AND attidentity = '' LIMIT 1`,
        [table],
      )
      const update = `UPDATE ${table} SET ${column?.name} = ${column?.name}`
      expect([update, await asService(update)]).toEqual([update, '42501'])
    }
  })

  test('give the service no right through the catalog', async () => {
    const rights = await database.query(
      `SELECT table_schema || '.' || table_name AS name, privilege_type AS right
       FROM information_schema.role_table_grants
       WHERE table_schema = 'jobs' AND grantee IN ('gateway_service', 'PUBLIC') ORDER BY name`,
    )

    expect(rights).toEqual(readByAll.map((name) => ({ name, right: 'SELECT' })))
  })

  test('are processed by the worker role, which has no right on anything else', async () => {
    const elsewhere = await database.query(
      `SELECT DISTINCT table_schema AS name FROM information_schema.role_table_grants
       WHERE grantee = 'gateway_worker'`,
    )

    expect(await asWorker('SELECT FROM jobs.job')).toBe('done')
    expect(await asWorker('TRUNCATE jobs.job')).toBe('42501')
    expect(await asWorker('SELECT FROM account.account')).toBe('42501')
    expect(elsewhere).toEqual([{ name: 'jobs' }])
  })
})

describe('jobs.enqueue', () => {
  test('lets the service add a job to an existing queue', async () => {
    const enqueue = 'SELECT jobs.enqueue($1, $2, now())'
    const variables = JSON.stringify({ events: [], marker: 'by-the-service' })

    expect(await asService(enqueue, ['RecordAuditEvents', variables])).toBe('done')

    const added = await database.query(
      `SELECT name, state::text FROM jobs.job WHERE data ->> 'marker' = 'by-the-service'`,
    )
    expect(added).toEqual([{ name: 'RecordAuditEvents', state: 'created' }])
    for (const unknown of ['Nobody', 'dead_letter', '']) {
      expect([unknown, await asService(enqueue, [unknown, variables])]).toEqual([unknown, 'P0001'])
    }
    const rows = await database.query(
      `SELECT count(*)::int AS jobs FROM jobs.job WHERE data ->> 'marker' = 'by-the-service'`,
    )
    expect(rows).toEqual([{ jobs: 1 }])
  })

  test('and the other functions about jobs are for the service alone, with a fixed search path', async () => {
    const functions = await database.query(
      `SELECT proname AS name, prosecdef AS is_definer, proconfig AS settings,
         (SELECT array_agg(grantee::regrole::text ORDER BY grantee::regrole::text)
          FROM aclexplode(proacl) WHERE grantee <> proowner) AS callers,
         (SELECT nspowner FROM pg_namespace WHERE oid = pronamespace) = proowner AS is_owners
       FROM pg_proc WHERE pronamespace = 'jobs'::regnamespace AND proname IN ('enqueue', 'unfinished')
       ORDER BY name`,
    )

    const closed = {
      is_definer: true,
      settings: ['search_path=pg_catalog, pg_temp'],
      callers: ['gateway_service'],
      is_owners: true,
    }
    expect(functions).toEqual([
      { name: 'enqueue', ...closed },
      { name: 'unfinished', ...closed },
    ])
  })
})
