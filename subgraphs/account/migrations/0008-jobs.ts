import { Migration } from '@mikro-orm/migrations'
import { doneChanges } from '../../shared/change.ts'

/**
 * What has a time becomes a job in the transaction that sets the time, so that nothing has to be
 * searched for; and balances are watched, so that whoever runs low is noticed by the charge itself.
 */
export class Jobs0008 extends Migration {
  override up(): void {
    this.addSql(`
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
      CREATE TRIGGER grant_expiry AFTER INSERT ON account.expiring_grant
        FOR EACH ROW EXECUTE FUNCTION account.enqueue_for_row('ExpireGrants', 'expires_at');
      CREATE TRIGGER payment_asked AFTER INSERT OR UPDATE OF ask_at ON account.payment
        FOR EACH ROW WHEN (NEW.status = 'pending')
        EXECUTE FUNCTION account.enqueue_for_row('CollectPayment', 'ask_at');

      ALTER TABLE account.balance
        -- Outside of these somebody must look: WatchBalance, which sets them anew. At first, the
        -- first credits are.
        ADD COLUMN watch_below bigint,
        ADD COLUMN watch_above bigint DEFAULT 0,
        -- The lowest threshold that was announced and has not been re-armed since; null: none.
        ADD COLUMN announced_credits bigint,
        -- Whether anybody has looked yet: what an account begins with is no news.
        ADD COLUMN is_watched boolean NOT NULL DEFAULT false;

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

      -- What happened to an account, for its holder's software: each event leaves as a webhook.
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
    `)
  }
}
