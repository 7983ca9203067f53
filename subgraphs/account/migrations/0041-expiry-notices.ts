import { Migration } from '@mikro-orm/migrations'

/** A lot that expires is told of 30 and 7 days before, if it lives longer than that. */
export class ExpiryNotices0041 extends Migration {
  override up(): void {
    this.addSql(`
      -- The last notice: so many days before its end. Null: none was sent.
      ALTER TABLE account.lot ADD COLUMN told_days smallint;

      CREATE FUNCTION account.enqueue_expiry_notices() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM jobs.enqueue('PublishExpiringCredits', jsonb_build_object('accountId', NEW.account_id,
              'environment', NEW.environment, 'lotId', NEW.id, 'days', days),
            NEW.expires_at - make_interval(days => days))
          FROM unnest(ARRAY[30, 7]) AS days
          WHERE NEW.expires_at - make_interval(days => days) > greatest(NEW.created_at, now());
          RETURN NULL;
        END $body$;
      CREATE TRIGGER lot_expiring AFTER INSERT ON account.lot
        FOR EACH ROW WHEN (NEW.expires_at < 'infinity')
        EXECUTE FUNCTION account.enqueue_expiry_notices();

      SELECT jobs.enqueue('PublishExpiringCredits', jsonb_build_object('accountId', l.account_id,
          'environment', l.environment, 'lotId', l.id, 'days', days),
        l.expires_at - make_interval(days => days))
      FROM account.lot l, unnest(ARRAY[30, 7]) AS days
      WHERE l.remaining > 0 AND l.expires_at < 'infinity'
        AND l.expires_at - make_interval(days => days) > greatest(l.created_at, now());
    `)
  }
}
