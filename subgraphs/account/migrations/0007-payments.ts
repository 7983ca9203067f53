import { Migration } from '@mikro-orm/migrations'

/** Payments, their invoices, and automatic recharging, for each environment. */
export class Payments0007 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE account.payment (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        kind text NOT NULL CHECK (kind IN ('checkout', 'auto_recharge')),
        -- As on sale when it was bought: later prices do not change it.
        package_id text NOT NULL,
        package_name text NOT NULL,
        tier text NOT NULL
          CHECK (tier IN ('STARTER', 'GROWTH', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE', 'SCALE')),
        credits bigint NOT NULL CHECK (credits > 0),
        total_cents bigint NOT NULL CHECK (total_cents > 0),
        currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
        payment_method text NOT NULL,
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
        failure_reason text,
        -- Makes a checkout happen once.
        reference text COLLATE "C" NOT NULL,
        -- While it is pending: when the provider is asked next. A process moves this on before it asks.
        ask_at timestamptz(3) NOT NULL DEFAULT now(),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        settled_at timestamptz(3),
        UNIQUE (account_id, environment, reference),
        CHECK ((status = 'pending') = (settled_at IS NULL)),
        CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
      );
      CREATE INDEX payment_pending ON account.payment (ask_at) WHERE status = 'pending';
      -- At most one recharge is under way.
      CREATE UNIQUE INDEX payment_recharging ON account.payment (account_id, environment)
        WHERE kind = 'auto_recharge' AND status = 'pending';

      CREATE SEQUENCE account.invoice_number;
      CREATE TABLE account.invoice (
        id text COLLATE "C" PRIMARY KEY,
        number text NOT NULL UNIQUE
          DEFAULT 'INV-' || to_char(nextval('account.invoice_number'), 'FM9999999900000000'),
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        status text NOT NULL CHECK (status IN ('paid', 'open', 'void')),
        total_cents bigint NOT NULL CHECK (total_cents >= 0),
        currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
        credits bigint NOT NULL CHECK (credits >= 0),
        description text NOT NULL,
        payment_id text COLLATE "C" NOT NULL UNIQUE REFERENCES account.payment,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX invoice_newest ON account.invoice (account_id, environment, id DESC);

      CREATE TABLE account.auto_recharge (
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        enabled boolean NOT NULL DEFAULT false,
        threshold_credits bigint CHECK (threshold_credits > 0),
        package_id text,
        monthly_cap_cents bigint CHECK (monthly_cap_cents > 0),
        payment_method text NOT NULL DEFAULT 'simulated',
        state text NOT NULL DEFAULT 'idle' CHECK (state IN ('idle', 'pending', 'suspended')),
        declines int NOT NULL DEFAULT 0,
        -- After a decline or at the cap: nothing is tried before.
        try_at timestamptz(3) NOT NULL DEFAULT now(),
        last_recharge_at timestamptz(3),
        failure_reason text,
        PRIMARY KEY (account_id, environment),
        CHECK (NOT enabled OR (threshold_credits IS NOT NULL AND package_id IS NOT NULL))
      );
      CREATE INDEX auto_recharge_watched ON account.auto_recharge (try_at)
        WHERE enabled AND state = 'idle';

      GRANT SELECT, INSERT, UPDATE ON account.payment, account.auto_recharge TO gateway_service;
      GRANT SELECT, INSERT ON account.invoice TO gateway_service;
      GRANT USAGE ON SEQUENCE account.invoice_number TO gateway_service;
    `)
  }
}
