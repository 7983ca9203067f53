import { Migration } from '@mikro-orm/migrations'

/** The usage log: one row for each authenticated request, keyed by its time-ordered request id. */
export class UsageLog0001 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE SCHEMA IF NOT EXISTS usage;

      CREATE TABLE usage.usage_log (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        request_id text COLLATE "C" NOT NULL,
        ts timestamptz(3) NOT NULL,
        method text NOT NULL,
        endpoint text NOT NULL,
        service text NOT NULL,
        status smallint NOT NULL,
        credits bigint NOT NULL CHECK (credits >= 0),
        latency_ms integer NOT NULL CHECK (latency_ms >= 0),
        trace_id text NOT NULL,
        backend_module text NOT NULL,
        key_id text COLLATE "C",
        PRIMARY KEY (account_id, environment, request_id)
      );

      -- For what compares the newest entries of all accounts with the ledger.
      CREATE INDEX usage_log_ts ON usage.usage_log USING brin (ts) WITH (autosummarize = on);

      GRANT USAGE ON SCHEMA usage TO gateway_service;
      GRANT SELECT, INSERT ON usage.usage_log TO gateway_service;
    `)
  }
}
