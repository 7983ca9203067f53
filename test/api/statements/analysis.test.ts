import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** The tables that are analyzed again when they have twice their rows. */
async function analyzedWhenDoubled(): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE reloptions @> ARRAY['autovacuum_analyze_scale_factor=1', 'autovacuum_analyze_threshold=20000']
     ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

async function partsOfLog(): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT relid::text AS name FROM pg_partition_tree('usage.usage_log') WHERE isleaf`,
  )
  return rows.map(({ name }) => name)
}

test('a table to which each charge adds rows is analyzed when it has doubled, also a later partition', async () => {
  const first = await partsOfLog()
  expect(await analyzedWhenDoubled()).toEqual(
    ['account.key_answer', 'account.key_claim', 'account.ledger_entry', ...first].toSorted(),
  )

  await database.query(`SELECT usage.add_months(date_trunc('month', now()) + interval '6 months')`)

  const parts = await partsOfLog()
  expect(parts.length).toBeGreaterThan(first.length)
  expect(await analyzedWhenDoubled()).toEqual(
    ['account.key_answer', 'account.key_claim', 'account.ledger_entry', ...parts].toSorted(),
  )
})
