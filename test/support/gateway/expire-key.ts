import type { TestDatabase } from '../database/database.ts'

/** Ends a key in the database as time does: no trigger tells anybody. */
export async function letKeyExpire(database: TestDatabase, id: string): Promise<void> {
  if (!/^\w+$/.test(id)) throw new Error(`${id} is no id.`)
  await database.query(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    UPDATE keys.api_key SET expires_at = now() - interval '1 ms' WHERE id = '${id}';
    COMMIT`)
}
