import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../../../subgraphs/account/index.ts'
import { type OpenDatabase, openDatabase } from '../../../subgraphs/shared/database/database.ts'
import type { Queryable, Statement } from '../../../subgraphs/shared/database/statement.ts'
import { allTenants, noTenant } from '../../../subgraphs/shared/database/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let stored: TestDatabase
let database: OpenDatabase
beforeAll(async () => {
  stored = await createTestDatabase()
  await stored.query(
    `INSERT INTO account.account (id, name, email) VALUES ('acct_rollback', 'Before', 'a@b.example')`,
  )
  // One connection, so that each statement meets what the ones before it have prepared.
  const options = { url: stored.serviceUrl, poolSize: 1, timeoutMs: 30_000, warn: () => {} }
  database = await openDatabase(account, options)
})
afterAll(async () => {
  await database.close()
  await stored.drop()
})

type Run = <Result>(work: (sql: Queryable) => Promise<Result>) => Promise<Result>

const everyType: Statement = {
  name: 'every-type',
  text: `
    SELECT 9007199254740991::int8 AS count, 7::int4 AS small, 1.50::numeric AS "exactAmount",
      '2026-02-03T04:05:06.789Z'::timestamptz AS "createdAt", '{"a":[1,null]}'::jsonb AS details,
      NULL::int8 AS nothing, true AS "isReady", ARRAY[1, NULL, 9007199254740991]::int8[] AS counts,
      '{}'::int8[] AS none, ARRAY['a', NULL, 'b,c']::text[] AS texts,
      ARRAY['2026-02-03T04:05:06Z']::timestamptz[] AS times, ARRAY['{"a":1}']::jsonb[] AS documents`,
}

const asParsed = {
  count: 9_007_199_254_740_991,
  small: 7,
  exactAmount: '1.50',
  createdAt: new Date('2026-02-03T04:05:06.789Z'),
  details: { a: [1, null] },
  nothing: null,
  isReady: true,
  counts: [1, null, 9_007_199_254_740_991],
  none: [],
  texts: ['a', null, 'b,c'],
  times: [new Date('2026-02-03T04:05:06Z')],
  documents: [{ a: 1 }],
}

const statedTypes: Statement = {
  name: 'stated-types',
  text: `
    SELECT pg_typeof($1)::text AS a, pg_typeof($2)::text AS b, pg_typeof($3)::text AS c,
      $1 AS count, $2 AS "createdAt", $3 AS texts, $4 AS details, $5 AS nothing`,
  parameters: ['int8', 'timestamptz', 'text[]', 'jsonb', 'int4'],
}

const currentTenant: Statement = {
  name: 'current-tenant',
  text: `SELECT current_setting('gateway.account_id', true) AS tenant`,
}

const preparedNames: Statement = {
  name: 'prepared-names',
  text: 'SELECT name FROM pg_prepared_statements WHERE name = $1',
}

const rename: Statement = {
  name: 'rename',
  text: 'UPDATE account.account SET name = $2 WHERE id = $1 RETURNING name',
}

const nameOf: Statement = {
  name: 'name-of',
  text: 'SELECT name FROM account.account WHERE id = $1',
}

describe.each<[string, Run]>([
  ['a statement of its own', (work) => work(database.as(allTenants))],
  ['a statement of a transaction', (work) => database.as(allTenants).transaction(work)],
])('%s', (_, run) => {
  test('returns each type as the README says', async () => {
    expect(await run((sql) => sql.query(everyType, []))).toEqual([asParsed])
  })

  test('sends the types of its parameters where it states them', async () => {
    const createdAt = new Date('2026-02-03T04:05:06.789Z')
    const values = [5, createdAt, ['x', 'y,z'], JSON.stringify([1, { b: null }]), null]

    const rows = await run((sql) => sql.query(statedTypes, values))

    expect(rows).toEqual([
      {
        ...{ a: 'bigint', b: 'timestamp with time zone', c: 'text[]' },
        ...{ count: 5, createdAt, texts: ['x', 'y,z'], details: [1, { b: null }], nothing: null },
      },
    ])
  })

  test('is prepared by its name on the connection', async () => {
    const names = await run(async (sql) => {
      await sql.query(everyType, [])
      await sql.query(everyType, [])
      return sql.query(preparedNames, [everyType.name])
    })

    expect(names).toEqual([{ name: everyType.name }])
  })

  test('is refused when its name has another text', async () => {
    await run((sql) => sql.query(everyType, []))
    const other = { name: everyType.name, text: 'SELECT 1 AS one' }

    await expect(run((sql) => sql.query(other, []))).rejects.toThrow(
      'Two statements have the name "every-type".',
    )
  })

  test('reports the error of PostgreSQL with its code', async () => {
    const failing = { name: 'divide-by-zero', text: 'SELECT 1 / $1::int4 AS quotient' }

    await expect(run((sql) => sql.query(failing, [0]))).rejects.toMatchObject({ code: '22012' })
  })
})

describe('a transaction', () => {
  test('is one tenant’s, whichever tenant used the connection before', async () => {
    const tenantIn = (tenant: string) =>
      database.as(tenant).transaction((tx) => tx.query(currentTenant, []))

    expect(await tenantIn('acct_1')).toEqual([{ tenant: 'acct_1' }])
    expect(await tenantIn(noTenant)).toEqual([{ tenant: '' }])
    expect(await database.as('acct_2').query(currentTenant, [])).toEqual([{ tenant: 'acct_2' }])
    expect(await tenantIn(allTenants)).toEqual([{ tenant: '*' }])
  })

  test('sees its own statements, and undoes all of them when its work fails', async () => {
    const forAllTenants = database.as(allTenants)

    const work = forAllTenants.transaction(async (tx) => {
      await tx.query(rename, ['acct_rollback', 'After'])
      expect(await tx.query(nameOf, ['acct_rollback'])).toEqual([{ name: 'After' }])
      throw new Error('Changed my mind.')
    })

    await expect(work).rejects.toThrow('Changed my mind.')
    expect(await forAllTenants.query(nameOf, ['acct_rollback'])).toEqual([{ name: 'Before' }])
  })

  test('keeps nothing after a statement has failed, and leaves the connection usable', async () => {
    const failing = { name: 'divide-by-zero', text: 'SELECT 1 / $1::int4 AS quotient' }

    const work = database.as(allTenants).transaction(async (tx) => {
      await tx.query(rename, ['acct_rollback', 'After'])
      await tx.query(failing, [0])
    })

    await expect(work).rejects.toMatchObject({ code: '22012' })
    expect(await database.as(allTenants).query(nameOf, ['acct_rollback'])).toEqual([
      { name: 'Before' },
    ])
  })

  test('runs no statement once it is over', async () => {
    let escaped: Queryable | undefined
    await database.transaction(async (tx) => {
      escaped = tx
    })

    await expect(async () => escaped?.query(everyType, [])).rejects.toThrow()
  })
})
