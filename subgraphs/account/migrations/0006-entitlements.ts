import { Migration } from '@mikro-orm/migrations'

/** Subscriptions and add-ons with their periods, and tracked keywords, for each environment. */
export class Entitlements0006 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.subscription (
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        tier text NOT NULL CHECK (tier IN ('pro_sub', 'business_sub', 'enterprise_sub')),
        status text NOT NULL DEFAULT 'active'
          CHECK (status IN ('active', 'scheduled_to_cancel', 'canceled')),
        -- Periods are counted from here, so that a month's length never shifts the next.
        anchor_at timestamptz(3) NOT NULL DEFAULT now(),
        period interval NOT NULL CHECK (period > interval '0'),
        current_period_start timestamptz(3) NOT NULL DEFAULT now(),
        current_period_end timestamptz(3) NOT NULL,
        canceled_at timestamptz(3),
        PRIMARY KEY (account_id, environment),
        CHECK (current_period_end > current_period_start),
        CHECK ((status = 'active') = (canceled_at IS NULL))
      );
      CREATE INDEX subscription_due ON account.subscription (current_period_end)
        WHERE status <> 'canceled';

      CREATE TABLE account.addon (
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        name text NOT NULL CHECK (name IN ('mass_mail', 'rank_tracking')),
        status text NOT NULL DEFAULT 'active'
          CHECK (status IN ('active', 'scheduled_to_cancel', 'canceled')),
        anchor_at timestamptz(3) NOT NULL DEFAULT now(),
        period interval NOT NULL CHECK (period > interval '0'),
        current_period_start timestamptz(3) NOT NULL DEFAULT now(),
        current_period_end timestamptz(3) NOT NULL,
        canceled_at timestamptz(3),
        PRIMARY KEY (account_id, environment, name),
        CHECK (current_period_end > current_period_start),
        CHECK ((status = 'active') = (canceled_at IS NULL))
      );
      CREATE INDEX addon_due ON account.addon (current_period_end) WHERE status <> 'canceled';

      -- How many periods have begun since the anchor: the last of them is the one that is not over.
      CREATE FUNCTION account.periods_begun(anchor_at timestamptz, period interval, at timestamptz)
      RETURNS bigint LANGUAGE plpgsql STABLE AS $body$
      DECLARE
        periods bigint := 1;
        seconds numeric;
      BEGIN
        LOOP
          seconds := extract(epoch FROM at - (anchor_at + periods * period));
          IF seconds < 0 THEN RETURN periods; END IF;
          -- Most of the way at once, and never too far: a month is 30 days here, and at most 31.
          periods := periods + greatest(1, floor(seconds / extract(epoch FROM period) * 0.9));
        END LOOP;
      END $body$;

      CREATE TABLE account.tracked_keyword (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        keyword text NOT NULL,
        domain text NOT NULL,
        country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
        device text NOT NULL CHECK (device IN ('desktop', 'mobile')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (account_id, environment, keyword, domain, country, device)
      );
      CREATE INDEX tracked_keyword_newest
        ON account.tracked_keyword (account_id, environment, id DESC);

      -- What Mass Mail has sent in a period is what its service was charged for: a credit each.
      CREATE INDEX ledger_entry_promote
        ON account.ledger_entry (account_id, environment, created_at) INCLUDE (credits)
        WHERE request ->> 'service' = 'promote';

      GRANT SELECT, INSERT, UPDATE ON account.subscription, account.addon TO gateway_service;
      GRANT SELECT, INSERT, DELETE ON account.tracked_keyword TO gateway_service;
    `)
  }
}
