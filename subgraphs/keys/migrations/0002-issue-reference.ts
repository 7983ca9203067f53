import { Migration } from '@mikro-orm/migrations'

/** The reference that makes a request issue one key, however often it is attempted. */
export class IssueReference0002 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE keys.api_key
        -- The caller's idempotency key, hashed; null once the key cannot be replaced any more.
        ADD COLUMN issue_ref text COLLATE "C",
        -- Until then an answer that showed the key is surely kept: an attempt that got as far as here
        -- has found none, so nobody was shown it.
        ADD COLUMN issue_ref_until timestamptz(3),
        -- The request that issued it: ids of requests ascend.
        ADD COLUMN issued_by text COLLATE "C",
        ADD UNIQUE (account_id, environment, issue_ref);
    `)
  }
}
