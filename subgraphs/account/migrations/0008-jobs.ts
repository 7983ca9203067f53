import { Migration } from '@mikro-orm/migrations'
import { doneChanges } from '../../shared/changes/change.ts'

/**
 * A transaction that sets a time creates the job for it, so no process has to search for due rows.
 * A charge notices by itself that it makes a balance low.
 */
export class Jobs0008 extends Migration {
  override up(): void {
    this.addSql(`
      -- Nothing is searched for any more.
      DROP FUNCTION account.expire_due_grants;
      DROP INDEX account.balance_next_expiry_at, account.payment_pending,
        account.auto_recharge_watched;

      ALTER TABLE account.payment
        DROP CONSTRAINT payment_kind_check,
        ADD CHECK (kind IN ('checkout', 'auto_recharge', 'subscription')),
        -- The account is raised to it by a package; a subscription has its own in \`package_id\`.
        ALTER COLUMN tier DROP NOT NULL,
        ADD CHECK ((kind = 'subscription') = (tier IS NULL)),
        -- The period that a subscription's payment is for.
        ADD COLUMN period_start timestamptz(3),
        ADD CHECK ((kind = 'subscription') = (period_start IS NOT NULL)),
        -- The provider that was asked to collect it, and the provider's id of the payment.
        ADD COLUMN provider text CHECK (provider IN ('simulated', 'stripe')),
        ADD COLUMN provider_reference text;
      UPDATE account.payment SET provider = 'simulated' WHERE status <> 'pending';
      ALTER TABLE account.payment
        ADD CHECK (provider IS NOT NULL OR (status = 'pending' AND provider_reference IS NULL));
      GRANT UPDATE (status, payment_id) ON account.invoice TO gateway_service;

      -- The provider's name of an account that it can collect from when nobody is there.
      CREATE TABLE account.payment_customer (
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        provider text NOT NULL CHECK (provider IN ('simulated', 'stripe')),
        reference text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, provider)
      );
      GRANT SELECT, INSERT ON account.payment_customer TO gateway_service;

      -- TG_ARGV: the operation, and the column that says when. The operation's variables are the
      -- row's key.
      CREATE FUNCTION account.enqueue_for_row() RETURNS trigger LANGUAGE plpgsql AS $body$
        DECLARE
          changed jsonb := to_jsonb(NEW);
        BEGIN
          PERFORM jobs.enqueue(TG_ARGV[0],
            CASE TG_ARGV[0]
              WHEN 'CollectPayment' THEN jsonb_build_object('id', changed ->> 'id')
              ELSE jsonb_strip_nulls(jsonb_build_object('accountId', changed ->> 'account_id',
                'environment', changed ->> 'environment', 'name', changed ->> 'name'))
            END,
            greatest((changed ->> TG_ARGV[1])::timestamptz, now()));
          RETURN NULL;
        END $body$;

      CREATE TRIGGER subscription_period
        AFTER INSERT OR UPDATE OF current_period_end ON account.subscription
        FOR EACH ROW WHEN (NEW.status <> 'canceled')
        EXECUTE FUNCTION account.enqueue_for_row('TurnSubscription', 'current_period_end');
      CREATE TRIGGER addon_period AFTER INSERT OR UPDATE OF current_period_end ON account.addon
        FOR EACH ROW WHEN (NEW.status <> 'canceled')
        EXECUTE FUNCTION account.enqueue_for_row('TurnAddon', 'current_period_end');
      -- Of all grants of a balance only the next to expire.
      CREATE TRIGGER grant_expiry AFTER UPDATE OF next_expiry_at ON account.balance
        FOR EACH ROW WHEN (NEW.next_expiry_at IS DISTINCT FROM OLD.next_expiry_at
          AND NEW.next_expiry_at IS NOT NULL)
        EXECUTE FUNCTION account.enqueue_for_row('ExpireGrants', 'next_expiry_at');
      CREATE TRIGGER payment_asked AFTER INSERT OR UPDATE OF ask_at ON account.payment
        FOR EACH ROW WHEN (NEW.status = 'pending')
        EXECUTE FUNCTION account.enqueue_for_row('CollectPayment', 'ask_at');

      ALTER TABLE account.balance
        -- Outside of these somebody must look: WatchBalance, which sets them anew. Of a balance
        -- that nobody has looked at, the next change is noticed.
        ADD COLUMN watch_below bigint,
        ADD COLUMN watch_above bigint DEFAULT 0,
        -- The lowest threshold that was announced and has not been re-armed since; null: none.
        ADD COLUMN announced_credits bigint;
      -- An account that is created has its levels from the beginning.
      ALTER TABLE account.balance ALTER COLUMN watch_above DROP DEFAULT;

      -- In the transaction of the charge, once for each crossing: from then on nothing is watched
      -- until somebody has looked.
      CREATE FUNCTION account.note_crossing() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          NEW.watch_below := NULL;
          NEW.watch_above := NULL;
          PERFORM jobs.enqueue('WatchBalance', jsonb_build_object(
            'accountId', NEW.account_id, 'environment', NEW.environment), now());
          RETURN NEW;
        END $body$;
      CREATE TRIGGER balance_crossing BEFORE UPDATE OF balance ON account.balance
        FOR EACH ROW WHEN (NEW.balance < OLD.watch_below OR NEW.balance >= OLD.watch_above)
        EXECUTE FUNCTION account.note_crossing();

      -- Set up, succeeded or put off: then it is due again.
      CREATE TRIGGER recharge_due AFTER INSERT OR UPDATE ON account.auto_recharge
        FOR EACH ROW WHEN (NEW.enabled AND NEW.state = 'idle')
        EXECUTE FUNCTION account.enqueue_for_row('WatchBalance', 'try_at');

      CREATE FUNCTION account.watch_again() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM jobs.enqueue('WatchBalance', jsonb_build_object(
            'accountId', NEW.id, 'environment', environment), now())
          FROM unnest(ARRAY['live', 'sandbox']) AS environment;
          RETURN NULL;
        END $body$;
      CREATE TRIGGER account_active AFTER UPDATE OF status ON account.account
        FOR EACH ROW WHEN (NEW.status = 'ACTIVE' AND OLD.status <> 'ACTIVE')
        EXECUTE FUNCTION account.watch_again();

      -- One balance, for the job; the part that open holds may still use comes up again.
      CREATE FUNCTION account.expire_due(of_account text, of_environment text) RETURNS void
      LANGUAGE plpgsql VOLATILE AS $body$
        BEGIN
          PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
          PERFORM account.before_reserve(ARRAY[of_account], ARRAY[of_environment]);
          PERFORM jobs.enqueue('ExpireGrants', jsonb_build_object(
            'accountId', of_account, 'environment', of_environment), now() + interval '2 s')
          FROM account.balance b
          WHERE b.account_id = of_account AND b.environment = of_environment
            AND b.next_expiry_at <= now();
        END $body$;

      -- Events of an account, for its holder's software: each leaves as a webhook.
      CREATE TABLE account.event (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL REFERENCES account.account,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        type text NOT NULL CHECK (type ~ '^[a-z_]+[.][a-z_]+$'),
        data jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX event_newest ON account.event (account_id, environment, id DESC);
      GRANT SELECT, INSERT ON account.event TO gateway_service;

      ${doneChanges('account')}

      -- Rows from before get their jobs by the same triggers.
      UPDATE account.subscription SET current_period_end = current_period_end;
      UPDATE account.addon SET current_period_end = current_period_end;
      UPDATE account.payment SET ask_at = ask_at WHERE status = 'pending';
      UPDATE account.auto_recharge SET enabled = enabled;
      SELECT jobs.enqueue('ExpireGrants', jsonb_build_object(
        'accountId', account_id, 'environment', environment), greatest(next_expiry_at, now()))
      FROM account.balance WHERE next_expiry_at IS NOT NULL;
    `)
  }
}
