import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** The webhook endpoints of an account, and the deliveries of its events. */
export class Webhooks0010 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.webhook_endpoint (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        url text NOT NULL,
        -- Types of events; none means all.
        events text[] NOT NULL,
        description text,
        status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
        -- The first failure since something has arrived, or since nothing was tried for long.
        failing_since timestamptz(3),
        last_failed_at timestamptz(3),
        -- Until something arrives promptly, and again once an attempt fails or takes long. Neither another
        -- address nor enabling it ends that.
        is_suspect boolean NOT NULL DEFAULT true,
        sealed_secret text NOT NULL,
        -- The one before, which signs too until then.
        former_secret text,
        former_until timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CHECK ((former_secret IS NULL) = (former_until IS NULL))
      );
      CREATE INDEX webhook_endpoint_newest
        ON account.webhook_endpoint (account_id, environment, id DESC);
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.webhook_endpoint TO gateway_service;

      -- Neither its endpoint nor its event is a foreign key: deleting an endpoint must neither wait for
      -- its deliveries nor make an event fail that happens meanwhile. Left-over deliveries are swept.
      CREATE TABLE account.webhook_delivery (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        endpoint_id text COLLATE "C" NOT NULL,
        event_id text COLLATE "C" NOT NULL,
        event_type text NOT NULL,
        status text NOT NULL DEFAULT 'pending'
          CHECK (status IN ('pending', 'succeeded', 'failed')),
        -- Attempts since it was last asked for: where it is on the schedule.
        tries int NOT NULL DEFAULT 0,
        attempt_count int NOT NULL DEFAULT 0,
        arrival_count int NOT NULL DEFAULT 0,
        -- The newest first, a few of them.
        attempts jsonb NOT NULL DEFAULT '[]',
        -- Null also while it is pending but its endpoint is disabled: then no dispatcher comes across it.
        due_at timestamptz(3) DEFAULT now(),
        -- Until then it is a dispatcher's; the number tells one from the next.
        lease_until timestamptz(3),
        lease int NOT NULL DEFAULT 0,
        -- While it was a dispatcher's: then it is due once more.
        is_asked_again boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CHECK (status = 'pending' OR due_at IS NULL)
      );
      CREATE INDEX webhook_delivery_newest ON account.webhook_delivery (endpoint_id, id DESC);
      CREATE INDEX webhook_delivery_due ON account.webhook_delivery (endpoint_id, due_at)
        WHERE due_at IS NOT NULL;
      CREATE INDEX webhook_delivery_oldest_due ON account.webhook_delivery (due_at)
        WHERE due_at IS NOT NULL;
      CREATE INDEX webhook_delivery_parked ON account.webhook_delivery (endpoint_id)
        WHERE status = 'pending' AND due_at IS NULL;
      CREATE INDEX webhook_delivery_event ON account.webhook_delivery (event_id);
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.webhook_delivery TO gateway_service;

      -- Deliveries by the day, in UTC, on which they were queued: those tried, and those that arrived.
      CREATE TABLE account.webhook_day (
        endpoint_id text COLLATE "C" NOT NULL,
        day date NOT NULL,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        tried int NOT NULL,
        arrived int NOT NULL,
        PRIMARY KEY (endpoint_id, day)
      );
      CREATE INDEX webhook_day_oldest ON account.webhook_day (day);
      GRANT SELECT, INSERT, UPDATE, DELETE ON account.webhook_day TO gateway_service;

      -- Events are kept as long as their deliveries.
      GRANT DELETE ON account.event TO gateway_service;

      ${isolateTenants('account', ['webhook_endpoint', 'webhook_delivery', 'webhook_day'])}
    `)
  }
}
