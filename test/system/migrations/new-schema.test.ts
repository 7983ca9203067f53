import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { migrate, pendingSteps } from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { dumpDatabase } from '../../support/database/database-dump.ts'
import { laterAccount, laterSteps, stepOf } from '../../support/migrations/steps.ts'
import { patience } from '../../support/time/patience.ts'
import { type Catalog, readCatalogs } from './catalogs.ts'

const storages = [laterAccount(...laterSteps), keys, oauth, usage]
const schemas = ['jobs', ...storages.map(({ name }) => name)]

/** An empty database, in which somebody else has tables too. */
async function createDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ isEmpty: true })
  await database.query('CREATE SCHEMA others')
  await database.query('CREATE TABLE others.account (id text)')
  await database.query('CREATE TABLE public.migration (name text)')
  return database
}

/** Schemas that exist get their steps one by one. */
async function createSchemas(database: TestDatabase, names: readonly string[]): Promise<void> {
  for (const name of names)
    await database.query(`CREATE SCHEMA ${name} AUTHORIZATION gateway_owner`)
}

/** All rows, without the instants at which they were made. */
async function readRows(database: TestDatabase) {
  const instants = /"(executed_at|\w+_on)": (null|"[^"]+")/g
  const dump = await dumpDatabase(database)
  return Object.fromEntries(
    [...dump].map(([table, rows]) => [table, rows.map((row) => row.replace(instants, '"$1": ""'))]),
  )
}

async function describeDatabase(
  database: TestDatabase,
): Promise<Readonly<Record<string, Catalog>>> {
  return { ...(await readCatalogs(database)), rows: await readRows(database) }
}

describe('the schemas of an empty database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase()
    await migrate(storages, database.ownerUrl)
  })
  afterAll(() => database.drop())

  test('are what the steps make one by one, in every catalog and every row', async () => {
    const oneByOne = await createDatabase()
    await createSchemas(oneByOne, schemas)
    await migrate(storages, oneByOne.ownerUrl)

    const expected = await describeDatabase(oneByOne)

    for (const kind of ['relations', 'columns', 'indexes', 'functions', 'policies', 'rows']) {
      expect(Object.keys(expected[kind] ?? {}).length, kind).toBeGreaterThan(30)
    }
    expect(await describeDatabase(database)).toEqual(expected)
    expect(await countTransactions(database)).toBe(1)
    expect(await countTransactions(oneByOne)).toBe(1 + laterSteps.length)
    await oneByOne.drop()
  })

  async function countTransactions(of: TestDatabase): Promise<number> {
    const [row] = await of.query<{ count: number }>(
      'SELECT count(DISTINCT xmin::text)::int FROM account.migration',
    )
    return row?.count ?? 0
  }

  test('are those of a database whose schemas were made in two runs', async () => {
    const upgraded = await createDatabase()
    await migrate([account, keys, oauth, usage], upgraded.ownerUrl)
    await migrate(storages, upgraded.ownerUrl)

    expect(await describeDatabase(upgraded)).toEqual(await describeDatabase(database))
    await upgraded.drop()
  })

  test('belong to a role that is not a superuser', async () => {
    const owners = await database.query(
      `SELECT DISTINCT r.rolname, r.rolsuper FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
       WHERE n.nspname = ANY ($1)`,
      [schemas],
    )

    expect(owners).toEqual([{ rolname: 'gateway_owner', rolsuper: false }])
  })
})

describe('a new schema', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(() => database.drop())

  const existing = async () => {
    const rows = await database.query<{ name: string }>(
      'SELECT nspname AS name FROM pg_namespace WHERE nspname = ANY ($1) ORDER BY 1',
      [schemas],
    )
    return rows.map(({ name }) => name)
  }

  test('does not exist after one of its steps has failed; the message names the step', async () => {
    const later = laterAccount(stepOf('Wrong0901', 'ALTER TABLE account.nothing ADD COLUMN a int'))

    const refusal = migrate([keys, later, usage], database.ownerUrl)

    await expect(refusal).rejects.toThrow(
      expect.objectContaining({
        name: 'MigrationFailed',
        message:
          'account.Wrong0901 failed: relation "account.nothing" does not exist. ' +
          'None of the steps of account is done; the next run begins with the first.',
      }),
    )
    expect(await existing()).toEqual(['jobs', 'keys'])
    const pending = await pendingSteps([keys, account], database.ownerUrl)
    expect(pending).toEqual(account.migrations.map(({ name }) => `account.${name}`))
  })

  test('does not exist after its migrator was killed in the middle; the next one makes it, when it gets its locks', async () => {
    await database.query('CREATE TABLE others.busy ()')
    await database.query('GRANT USAGE ON SCHEMA others TO gateway_owner')
    await database.query('GRANT UPDATE ON others.busy TO gateway_owner')
    const holder = new pg.Client({ connectionString: database.ownerUrl })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE others.busy')
    const holderPid = await readPid(holder)
    const later = laterAccount(stepOf('Waits0902', 'LOCK TABLE others.busy'))

    const killed = expect(migrate([later], database.ownerUrl)).rejects.toThrow(
      /^account\.Waits0902 failed: /,
    )
    await vi.waitUntil(() => killWaitingFor(holderPid), patience)
    await killed
    const left = await existing()
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const done = migrate([later], database.ownerUrl, { warn })
    await vi.waitUntil(() => warnings.length > 0, patience)
    await holder.end()

    expect(left).toEqual(['jobs'])
    expect(await done).toContain('account.Waits0902')
    expect(warnings[0]).toBe('account.Waits0902 waits for its locks: attempt 1 of 20.')
    expect(await existing()).toEqual(['account', 'jobs'])
    expect(await pendingSteps([later], database.ownerUrl)).toEqual([])
  })

  async function readPid(client: pg.Client): Promise<number> {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return rows[0]?.pid ?? 0
  }

  // Earlier steps wait for other locks, each for a moment: a kill there would name another step.
  async function killWaitingFor(holderPid: number): Promise<boolean> {
    const killed = await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'credit-gateway migrate lock'
         AND $1 = ANY (pg_blocking_pids(pid))`,
      [holderPid],
    )
    return killed.length > 0
  }
})
