import { Migration } from '@mikro-orm/migrations'
import { isolateTenants } from '../../shared/database/tenant.ts'

/**
 * Payments that wait for their payer, stored payment methods, and prices before tax. The states of
 * a payment keep their words, because the build before reads them.
 */
export class Checkouts0031 extends Migration {
  override up(): void {
    this.addSql(columns)
    this.addSql(tables)
    this.addSql(asking)
  }
}

const columns = `
  ALTER TABLE account.payment
    -- Null in older rows: then it is the total.
    ADD COLUMN price_cents bigint,
    ADD COLUMN tax_cents bigint NOT NULL DEFAULT 0,
    -- How the tax was found; later rules do not change it.
    ADD COLUMN tax jsonb,
    ADD COLUMN refunded_cents bigint NOT NULL DEFAULT 0,
    -- The step that the payer has to take at the provider: pay on its page, or confirm one payment.
    ADD COLUMN action text,
    -- Where, as long as it can be done.
    ADD COLUMN action_url text,
    -- When the provider is asked to close its page.
    ADD COLUMN expires_at timestamptz(3),
    -- A failed payment that no bank declined: its page was closed.
    ADD COLUMN is_expired boolean NOT NULL DEFAULT false,
    -- Where the payer comes back to; null: to our own page.
    ADD COLUMN return_url text,
    ADD COLUMN client_reference_id text,
    ADD CONSTRAINT payment_action_check
      CHECK (action IN ('page', 'confirmation')) NOT VALID;

  -- The build before knows no tax.
  CREATE FUNCTION account.fill_price() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      NEW.price_cents := coalesce(NEW.price_cents, NEW.total_cents - NEW.tax_cents);
      RETURN NEW;
    END $body$;
  CREATE TRIGGER payment_price BEFORE INSERT ON account.payment
    FOR EACH ROW EXECUTE FUNCTION account.fill_price();
`

const tables = `
  -- Cards that a provider has saved: what people know them by, and no more.
  CREATE TABLE account.payment_method (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    provider text NOT NULL CHECK (provider IN ('simulated', 'stripe')),
    -- The provider's id of it. The default of an account is the one that recharging uses.
    reference text NOT NULL,
    brand text NOT NULL,
    last4 text NOT NULL,
    exp_month int NOT NULL,
    exp_year int NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (account_id, environment, provider, reference)
  );
  CREATE INDEX payment_method_newest ON account.payment_method
    (account_id, environment, id DESC);
  GRANT SELECT, INSERT, UPDATE, DELETE ON account.payment_method TO gateway_service;

  -- Cards that were declined on the page of a payment, each attempt once.
  CREATE TABLE account.payment_decline (
    payment_id text COLLATE "C" NOT NULL REFERENCES account.payment,
    -- The provider's id of the attempt.
    attempt text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    declined_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (payment_id, attempt)
  );
  CREATE INDEX payment_decline_recent ON account.payment_decline
    (account_id, environment, declined_at);
  GRANT SELECT, INSERT ON account.payment_decline TO gateway_service;

  -- The records of the simulated provider about the payments that have a page there.
  CREATE TABLE account.simulated_payment (
    payment_id text COLLATE "C" PRIMARY KEY REFERENCES account.payment,
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
    state text NOT NULL CHECK (state IN ('open', 'confirming', 'paid', 'declined', 'closed')),
    -- The card; null: the payer has not chosen one.
    method text,
    -- A payment by a slow card is decided this long after it was made.
    paid_at timestamptz(3)
  );
  GRANT SELECT, INSERT, UPDATE ON account.simulated_payment TO gateway_service;

  ${isolateTenants('account', ['payment_method', 'payment_decline', 'simulated_payment'])}
`

/**
 * A job of its own: the build before would end a payment that has a page, because it knows no card
 * of it.
 */
const asking = `
  CREATE OR REPLACE FUNCTION account.enqueue_for_row() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE
      changed jsonb := to_jsonb(NEW);
    BEGIN
      PERFORM jobs.enqueue(TG_ARGV[0],
        CASE WHEN TG_ARGV[0] IN ('CollectPayment', 'FollowPayment')
          THEN jsonb_build_object('id', changed ->> 'id')
          ELSE jsonb_strip_nulls(jsonb_build_object('accountId', changed ->> 'account_id',
            'environment', changed ->> 'environment', 'name', changed ->> 'name'))
        END,
        greatest((changed ->> TG_ARGV[1])::timestamptz, now()));
      RETURN NULL;
    END $body$;

  CREATE OR REPLACE TRIGGER payment_asked AFTER INSERT OR UPDATE OF ask_at ON account.payment
    FOR EACH ROW WHEN (NEW.status = 'pending' AND NEW.action IS NULL)
    EXECUTE FUNCTION account.enqueue_for_row('CollectPayment', 'ask_at');
  CREATE TRIGGER payment_followed AFTER INSERT OR UPDATE OF ask_at ON account.payment
    FOR EACH ROW WHEN (NEW.status = 'pending' AND NEW.action IS NOT NULL)
    EXECUTE FUNCTION account.enqueue_for_row('FollowPayment', 'ask_at');
`
