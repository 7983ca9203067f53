import type { TestDatabase } from './database.ts'

/**
 * Has the expiring credits of an account expire now. The job that enters the expiry into the ledger does not
 * come: what is seen is the time before it.
 */
export async function letCreditsExpire(
  { query }: Pick<TestDatabase, 'query'>,
  accountId: string,
): Promise<void> {
  await query(
    `DO $$ BEGIN
       SET LOCAL session_replication_role = replica;
       UPDATE account.lot SET expires_at = now()
         WHERE account_id = '${accountId}' AND expires_at < 'infinity';
       UPDATE account.balance SET next_expiry_at = now()
         WHERE account_id = '${accountId}' AND next_expiry_at IS NOT NULL;
     END $$`,
  )
}
