import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/**
 * The counters of invoice numbers. Each account has its own, so that a number tells nothing about
 * others.
 */
export class InvoiceCounters0013 extends Migration {
  override up(): void {
    this.addSql(`
      -- The prefix of an account's numbers: random, so it tells neither the account nor how many there are.
      CREATE TABLE account.invoice_series (
        account_id text COLLATE "C" PRIMARY KEY,
        prefix text COLLATE "C" NOT NULL UNIQUE
          CHECK (prefix ~ '^[0-9A-HJKMNP-TV-Z]{8}$')
      );
      -- The last number of each account, environment and year (UTC).
      CREATE TABLE account.invoice_counter (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        year int NOT NULL,
        last_number int NOT NULL CHECK (last_number > 0),
        PRIMARY KEY (account_id, environment, year)
      );
      GRANT SELECT, INSERT ON account.invoice_series, account.invoice_counter TO gateway_service;
      GRANT UPDATE (last_number) ON account.invoice_counter TO gateway_service;
      ${isolateTenants('account', ['invoice_series', 'invoice_counter'])}
    `)
  }
}
