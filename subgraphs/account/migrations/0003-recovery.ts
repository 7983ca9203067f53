import { Migration } from '@mikro-orm/migrations'

/**
 * The running facade processes, and the time until which their charges are surely in the usage log.
 */
export class Recovery0003 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.facade_process (
        id text COLLATE "C" PRIMARY KEY,
        seen_at timestamptz(3) NOT NULL,
        recorded_until timestamptz(3) NOT NULL
      );
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.facade_process TO gateway_service;

      -- The newest charges are what is asked for by time: they must not wait for a vacuum.
      ALTER INDEX account.ledger_entry_created_at SET (autosummarize = on);
    `)
  }
}
