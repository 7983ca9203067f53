import { Migration } from '@mikro-orm/migrations'

/**
 * The idempotency keys of entries by hand, with the request of each: a retry must have the same
 * request.
 */
export class PostingKeys0005 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.posting_key (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        key text COLLATE "C" NOT NULL,
        posting jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, environment, key)
      );
      GRANT SELECT, INSERT ON account.posting_key TO gateway_service;
    `)
  }
}
