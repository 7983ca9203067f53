import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('functions that run as their owner', () => {
  test('are executable only for the roles that they were granted to', async () => {
    const open = await database.query(
      `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
       WHERE p.prosecdef
         AND p.pronamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
         AND (p.proacl IS NULL
           OR EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0))`,
    )

    expect(open).toEqual([])
  })

  test('have a search path that no caller chooses', async () => {
    const open = await database.query(
      `SELECT p.oid::regprocedure::text AS name FROM pg_proc p
       WHERE p.prosecdef
         AND p.pronamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
         AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (p.proconfig), false)`,
    )

    expect(open).toEqual([])
  })
})
