import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, vi } from 'vitest'
import { patience } from '../time/patience.ts'

/** A database of the test file's own, cloned from the migrated template. */
export interface TestDatabase {
  readonly ownerUrl: string
  /**
   * The address of a login that works as the service and works off jobs, as a gateway in one process has it.
   */
  readonly serviceUrl: string
  /** Whether a test stops its server, or a network before it. */
  readonly isDisturbed?: boolean
  /** Runs SQL as superuser: to look at stored effects, never to make them. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  drop(): Promise<void>
}

/** Makes a database from the migrated template, or an empty one, to see it being migrated. */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const owner = new URL(inject('ownerUrl')).username
  const from = isEmpty ? `OWNER ${owner}` : 'TEMPLATE gateway'
  await asSuperuser(`CREATE DATABASE ${name} ${from}`)
  const pool = new pg.Pool({ connectionString: withDatabase(inject('superuserUrl'), name), max: 2 })
  // A connection that is closing may be told so once more when the database is dropped.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {})
  return {
    ownerUrl: withDatabase(inject('ownerUrl'), name),
    serviceUrl: withDatabase(inject('serviceUrl'), name),
    async query<Row extends object>(sql: string, values: unknown[] = []) {
      return (await pool.query<Row>(sql, values)).rows
    },
    async drop() {
      await pool.end()
      await asSuperuser(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/**
 * Vacuums a table, as it is done by itself after a while, until no dead row is left: a transaction
 * that began before they were deleted keeps them, such as an ANALYZE of another table.
 */
export async function vacuum(database: TestDatabase, table: string): Promise<void> {
  await vi.waitUntil(async () => {
    await database.query(`VACUUM ${table}`)
    const [counted] = await database.query<{ dead: number }>(
      'SELECT n_dead_tup::int AS dead FROM pg_stat_all_tables WHERE relid = $1::regclass',
      [table],
    )
    return counted?.dead === 0
  }, patience)
}

let superuser: pg.Pool | null = null

/** The connections are kept while the worker runs: opening one costs more than what they do. */
async function asSuperuser(statement: string): Promise<void> {
  superuser ??= openSuperuser()
  await superuser.query(statement)
}

function openSuperuser(): pg.Pool {
  const pool = new pg.Pool({
    connectionString: inject('superuserUrl'),
    max: 2,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // The server may stop before the worker ends.
  pool.on('error', () => {})
  return pool
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return patientlyConnected(changed.href)
}

/** Beside other load, a connection may take longer to open than in production. */
export function patientlyConnected(url: string): string {
  const changed = new URL(url)
  changed.searchParams.set('connect_timeout', '15')
  return changed.href
}
