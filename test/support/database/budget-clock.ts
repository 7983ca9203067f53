import type { TestDatabase } from './database.ts'

/** Sets the clock that budgets go by; null: that of the database again. */
export async function setBudgetClock(
  database: Pick<TestDatabase, 'query'>,
  instant: string | null,
): Promise<void> {
  const now = instant === null ? 'clock_timestamp()' : `timestamptz '${instant}'`
  await database.query(
    `CREATE OR REPLACE FUNCTION account.budget_now() RETURNS timestamptz LANGUAGE sql VOLATILE
       AS $body$ SELECT date_trunc('milliseconds', ${now}) $body$`,
  )
}
