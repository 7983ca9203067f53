import { Migration } from '@mikro-orm/migrations'

/** Hourly sums of the usage log, kept by the statement that records: summaries never read the log. */
export class RollUps0002 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE usage.usage_hour (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        hour timestamptz(0) NOT NULL,
        service text NOT NULL,
        status_class smallint NOT NULL CHECK (status_class BETWEEN 1 AND 5),
        requests bigint NOT NULL,
        credits bigint NOT NULL,
        PRIMARY KEY (account_id, environment, hour, service, status_class)
      ) WITH (fillfactor = 70);
      INSERT INTO usage.usage_hour
        SELECT account_id, environment, date_trunc('hour', ts, 'UTC'), service, status / 100,
          count(*), sum(credits)
        FROM usage.usage_log GROUP BY 1, 2, 3, 4, 5;
      GRANT SELECT, INSERT, UPDATE ON usage.usage_hour TO gateway_service;
    `)
  }
}
