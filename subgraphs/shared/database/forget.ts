/**
 * SQL that deletes up to `$1` expired rows of a table, the oldest first, and skips locked rows; it
 * returns one row for each. `key` has the columns of the primary key; the table has an index on
 * `expires_at`.
 */
export function forgetRows(table: string, key: string, isOver = 'expires_at <= now()'): string {
  return `
    DELETE FROM ${table} WHERE (${key}) IN (
      SELECT ${key} FROM ${table} WHERE ${isOver} ORDER BY expires_at LIMIT $1
      FOR UPDATE SKIP LOCKED
    ) RETURNING 1`
}
