import type { Database, Statement } from './database.ts'

/**
 * SQL that deletes up to `$1` expired rows of a table, the oldest first, and skips locked rows; it
 * returns one row for each, of 1 or `returned`. The table has an index on `expires_at`.
 */
export function forgetRows(table: string, isOver = 'expires_at <= now()', returned = '1'): string {
  // An array is read once. PostgreSQL may read what follows IN again for each row of the table,
  // which takes minutes when the statistics take a full table for an empty one.
  return `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${isOver} ORDER BY expires_at LIMIT $1
      FOR UPDATE SKIP LOCKED
    )) RETURNING ${returned}`
}

/** Runs each of these statements with `limit`; returns the most rows that one of them deleted. */
export async function forgetEach(
  database: Database,
  statements: readonly Statement[],
  limit: number,
): Promise<number> {
  let most = 0
  for (const statement of statements) {
    const gone = await database.query(statement, [limit])
    most = Math.max(most, gone.length)
  }
  return most
}
