import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import type { Storage } from '../../../subgraphs/shared/database/database.ts'
import {
  migrate,
  pendingSteps,
  requireCurrentSchema,
} from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { indexStepOf, laterAccount, stepOf } from '../../support/migrations/steps.ts'
import { patience } from '../../support/time/patience.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** A session that has run these statements in a transaction, which is open until `end`. */
async function openTransaction(...statements: string[]) {
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  for (const statement of ['BEGIN', ...statements]) await client.query(statement)
  return { client, end: () => client.end() }
}

async function columnsOf(table: string): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
  return rows.map(({ name }) => name)
}

function indexesLike(name: string): Promise<{ name: string; is_valid: boolean }[]> {
  return database.query(
    `SELECT c.relname AS name, i.indisvalid AS is_valid
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE c.relname LIKE $1 ORDER BY 1`,
    [name],
  )
}

describe('migrate', () => {
  test('waits in short attempts for a lock that is taken, delays no other statement for long, and then gets it', async () => {
    const holder = await openTransaction('LOCK TABLE account.tracked_keyword IN ROW SHARE MODE')
    const step = stepOf(
      'Waits0901',
      'ALTER TABLE account.tracked_keyword ADD COLUMN waited integer',
    )
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)

    const done = migrate([laterAccount(step)], database.ownerUrl, { warn })

    await vi.waitFor(async () => {
      expect(await migratorsWaiting()).toBe(1)
    }, patience)
    // Queued behind the migrator, and through once it gives way: the holder has not let go.
    await database.query('SELECT count(*) FROM account.tracked_keyword')
    await vi.waitUntil(() => warnings.length > 0, patience)
    expect(warnings[0]).toBe('account.Waits0901 waits for its locks: attempt 1 of 20.')
    await holder.end()
    expect(await done).toEqual(['account.Waits0901'])
    expect(await columnsOf('account.tracked_keyword')).toContain('waited')
  })

  test('fails when a lock is never free, with the step undone and the earlier steps done', async () => {
    const holder = await openTransaction('LOCK TABLE account.invoice IN ROW SHARE MODE')
    const first = stepOf(
      'First0902',
      'ALTER TABLE account.tracked_keyword ADD COLUMN first integer',
    )
    const second = stepOf(
      'Second0903',
      'ALTER TABLE account.tracked_keyword ADD COLUMN second integer',
      'ALTER TABLE account.invoice ADD COLUMN second integer',
    )
    const later = laterAccount(first, second)

    const refusal = migrate([later], database.ownerUrl, { lockAttempts: 1 })

    await expect(refusal).rejects.toThrow(
      expect.objectContaining({
        name: 'MigrationFailed',
        message: expect.stringMatching(/^account\.Second0903 got its locks in none of 1 attempts/),
      }),
    )
    expect(await columnsOf('account.tracked_keyword')).toContain('first')
    expect(await columnsOf('account.tracked_keyword')).not.toContain('second')
    expect(await pendingSteps([later], database.ownerUrl)).toEqual(['account.Second0903'])
    await holder.end()
    expect(await migrate([later], database.ownerUrl)).toEqual(['account.Second0903'])
  })

  test('names the step that fails, with the error of PostgreSQL', async () => {
    const step = stepOf('Wrong0904', 'ALTER TABLE account.nothing ADD COLUMN wrong integer')

    const refusal = migrate([laterAccount(step)], database.ownerUrl)

    await expect(refusal).rejects.toThrow(
      /^account\.Wrong0904 failed: .*relation "account.nothing" does not exist.*the next run goes on/,
    )
  })

  test('called twice at once runs once, and the other call finds it done', async () => {
    const step = stepOf('Twice0905', 'ALTER TABLE account.tracked_keyword ADD COLUMN twice integer')
    const both = [laterAccount(step), laterAccount(step)]

    const results = await Promise.all(both.map((later) => migrate([later], database.ownerUrl)))

    // The later call reports that it applied nothing.
    const steps = results.filter((applied) => applied.length > 0)
    expect(steps).toEqual([['account.Twice0905']])
  })

  async function migratorsWaiting(): Promise<number> {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
         AND wait_event_type = 'Lock' AND application_name = 'credit-gateway migrate account'`,
    )
    return row?.count ?? 0
  }
})

describe('a step that creates an index concurrently', () => {
  test('drops the rest of an interrupted build, and creates a valid index', async () => {
    // The index is left as by a build that was killed: it is there, and not valid.
    await database.query(
      `CREATE UNIQUE INDEX tracked_keyword_left ON account.tracked_keyword (keyword, id)`,
    )
    await database.query(
      `UPDATE pg_index SET indisvalid = false
       WHERE indexrelid = 'account.tracked_keyword_left'::regclass`,
    )
    const index = 'tracked_keyword_left'
    const of = { table: 'account.tracked_keyword', index, definition: '(keyword)' }

    await migrate([laterAccount(indexStepOf('Left0911', of))], database.ownerUrl)

    expect(await indexesLike(index)).toEqual([{ name: index, is_valid: true }])
    const [row] = await database.query(
      `SELECT pg_get_indexdef('account.${index}'::regclass) AS sql`,
    )
    expect(row).toEqual({ sql: expect.stringMatching(/^CREATE INDEX .* USING btree \(keyword\)$/) })
  })

  test('leaves nothing behind that refuses writes, when rows contradict it', async () => {
    await database.query(
      `INSERT INTO account.account (id, name, email, status)
       VALUES ('acct_u1', 'Same', 'a@example.com', 'ACTIVE'), ('acct_u2', 'Same', 'b@example.com', 'ACTIVE')`,
    )
    const index = 'account_name_once'
    const of = { table: 'account.account', index, definition: '(name)', isUnique: true }
    const later = laterAccount(indexStepOf('Unique0912', of))

    await expect(migrate([later], database.ownerUrl)).rejects.toThrow(
      /^account\.Unique0912 failed: .*could not create unique index/,
    )
    expect(await indexesLike(index)).toEqual([])

    await database.query(`UPDATE account.account SET name = 'Other' WHERE id = 'acct_u2'`)
    await migrate([later], database.ownerUrl)
    expect(await indexesLike(index)).toEqual([{ name: index, is_valid: true }])
  })

  test('counts as done when the index exists and is valid', async () => {
    await database.query('CREATE INDEX account_email_there ON account.account (email)')
    const [before] = await database.query(
      `SELECT 'account.account_email_there'::regclass::oid AS oid`,
    )
    const of = { table: 'account.account', index: 'account_email_there', definition: '(email)' }

    await migrate([laterAccount(indexStepOf('There0913', of))], database.ownerUrl)

    expect(
      await database.query(`SELECT 'account.account_email_there'::regclass::oid AS oid`),
    ).toEqual([before])
  })

  test('indexes every partition of a partitioned table, also later ones', async () => {
    const of = { table: 'usage.usage_log', index: 'log_by_trace', definition: '(trace_id)' }
    const step = indexStepOf('Partitions0914', of)
    const later = { ...usage, migrations: [...usage.migrations, step] }
    const partitions = () =>
      database.query<{ name: string }>(
        `SELECT relid::regclass::text AS name FROM pg_partition_tree('usage.usage_log') WHERE isleaf`,
      )
    const before = await partitions()

    await migrate([later], database.ownerUrl)
    await database.query(`SELECT usage.add_months(now() + interval '6 months')`)

    const after = await partitions()
    expect(after.length).toBeGreaterThan(before.length)
    const [tree] = await database.query(
      `SELECT count(*) FILTER (WHERE isleaf)::int AS leaves, bool_and(indisvalid) AS are_valid
       FROM pg_partition_tree('usage.log_by_trace') JOIN pg_index ON indexrelid = relid`,
    )
    expect(tree).toEqual({ leaves: after.length, are_valid: true })
  })
})

describe('requireCurrentSchema', () => {
  const older = async (storages: readonly Storage[]) => {
    const empty = await createTestDatabase({ isEmpty: true })
    await migrate(storages, empty.ownerUrl)
    return empty
  }

  test('refuses an older schema, and names the pending steps and the command', async () => {
    const old = await older([account, keys])
    const later = laterAccount(stepOf('Later0920', 'SELECT'))

    const refusal = requireCurrentSchema([{ ...later, jobs: ['GetJwks'] }, keys], old.serviceUrl)

    await expect(refusal).rejects.toThrow(
      expect.objectContaining({
        name: 'SchemaBehind',
        message:
          `The database is behind this build: jobs.queue GetJwks, account.Later0920. ` +
          'Run `gateway migrate` first, with MIGRATE_DATABASE_URL of the role that owns the schemas.',
      }),
    )
    await old.drop()
  })

  test('refuses an empty database', async () => {
    const empty = await createTestDatabase({ isEmpty: true })

    await expect(requireCurrentSchema([account, keys], empty.serviceUrl)).rejects.toThrow(
      /^The database is behind this build: jobs\.pg-boss \d+, jobs\.queue dead_letter, .* and \d+ more\. Run/,
    )
    await empty.drop()
  })

  test('accepts its own schema and a newer one', async () => {
    const step = stepOf('Newer0921', 'ALTER TABLE account.invoice ADD COLUMN newer integer')
    await requireCurrentSchema([account, keys], database.serviceUrl)
    await migrate([laterAccount(step)], database.ownerUrl)
    await database.query('UPDATE jobs.version SET version = version + 1')

    await expect(requireCurrentSchema([account, keys], database.serviceUrl)).resolves.toBe(
      undefined,
    )
    expect(await pendingSteps([account, keys], database.ownerUrl)).toEqual([])
  })
})
