import { Migration } from '@mikro-orm/migrations'

/**
 * The allowance of a period comes once, with its payment. It can be taken back from an unpaid
 * period.
 */
export class PaidAllowances0012 extends Migration {
  override up(): void {
    this.addSql(`
      -- The reference of entries about the allowance of a period: this, or this and more after a colon.
      CREATE FUNCTION account.allowance_ref(began_at timestamptz) RETURNS text
      LANGUAGE sql STABLE AS $body$
        SELECT 'allowance:' || to_char(began_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      $body$;

      -- Grants what the paid period lacks of its allowance: all of it, the part that was taken back
      -- while it was not paid, or nothing. Credits after the period's end are good for 30 days.
      CREATE FUNCTION account.grant_paid_allowance(of_payment text, new_id text)
      RETURNS TABLE (entry account.ledger_entry, ends_at timestamptz)
      LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        paid account.payment;
        period_ref text;
        given bigint;
        is_first boolean;
      BEGIN
        SELECT * INTO paid FROM account.payment p
          WHERE p.id = of_payment AND p.kind = 'subscription' AND p.status = 'succeeded';
        IF NOT FOUND THEN RETURN; END IF;
        PERFORM account.lock_balances(ARRAY[paid.account_id], ARRAY[paid.environment]);
        period_ref := account.allowance_ref(paid.period_start);
        SELECT coalesce(sum(e.credits), 0), coalesce(bool_and(e.kind <> 'allowance'), true)
          INTO given, is_first FROM account.ledger_entry e
          WHERE e.account_id = paid.account_id AND e.environment = paid.environment
            AND e.kind IN ('allowance', 'expiry')
            AND (e.ref = period_ref OR (e.ref >= period_ref || ':' AND e.ref < period_ref || ';'));
        IF given >= paid.credits THEN RETURN; END IF;
        ends_at := coalesce(paid.period_end, (SELECT s.current_period_end FROM account.subscription s
          WHERE s.account_id = paid.account_id AND s.environment = paid.environment
            AND s.current_period_start = paid.period_start));
        IF ends_at IS NULL OR ends_at <= now() THEN
          ends_at := now() + interval '30 days';
        END IF;
        FOR entry IN SELECT (posted.entry).* FROM account.post_expiring_entry(paid.account_id,
          paid.environment, 'allowance', paid.credits - given, paid.package_name || ' subscription',
          CASE WHEN is_first THEN period_ref ELSE period_ref || ':paid' END, new_id, ends_at, 50) posted
          WHERE posted.is_new
        LOOP
          RETURN NEXT;
        END LOOP;
      END $body$;

      -- Takes back what is left of an allowance whose period is not paid; what open holds may still use
      -- is kept for the moment.
      CREATE FUNCTION account.end_grace(
        of_account text, of_environment text, began_at timestamptz, OUT taken bigint, OUT kept bigint
      ) LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        period_ref text := account.allowance_ref(began_at);
        lot account.expiring_grant;
        owner account.balance;
      BEGIN
        taken := 0;
        kept := 0;
        PERFORM account.lock_balances(ARRAY[of_account], ARRAY[of_environment]);
        PERFORM FROM account.invoice i JOIN account.payment p ON p.id = i.payment_id
          WHERE i.account_id = of_account AND i.environment = of_environment AND i.status = 'open'
            AND p.period_start = began_at;
        IF NOT FOUND THEN RETURN; END IF;
        PERFORM account.burn_grants(of_account, of_environment);
        SELECT g.* INTO lot FROM account.ledger_entry e
          JOIN account.expiring_grant g USING (account_id, environment, seq)
          WHERE e.account_id = of_account AND e.environment = of_environment
            AND e.kind = 'allowance' AND e.ref = period_ref;
        IF NOT FOUND THEN RETURN; END IF;
        SELECT * INTO owner FROM account.balance b
          WHERE b.account_id = of_account AND b.environment = of_environment;
        taken := least(lot.remaining, owner.balance - owner.held);
        kept := lot.remaining - taken;
        IF taken = 0 THEN RETURN; END IF;
        PERFORM account.post_entry(of_account, of_environment, 'expiry', -taken,
          'Allowance of an unpaid period', period_ref || ':unpaid:' || (owner.last_seq + 1),
          'led_0' || substr(md5(of_account || of_environment || owner.last_seq), 1, 25));
        DELETE FROM account.expiring_grant g
          WHERE g.account_id = of_account AND g.environment = of_environment AND g.seq = lot.seq
            AND kept = 0;
        UPDATE account.expiring_grant g SET remaining = kept
          WHERE g.account_id = of_account AND g.environment = of_environment AND g.seq = lot.seq
            AND kept > 0;
        PERFORM account.burn_grants(of_account, of_environment);
      END $body$;

      -- A build from before this step settles a payment without a thought of its allowance.
      CREATE FUNCTION account.allow_what_is_paid() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          PERFORM account.grant_paid_allowance(NEW.id, 'led_0' || substr(md5(NEW.id), 1, 25));
          RETURN NULL;
        END $body$;
      CREATE CONSTRAINT TRIGGER payment_allowance AFTER UPDATE OF status ON account.payment
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
        WHEN (NEW.kind = 'subscription' AND NEW.status = 'succeeded' AND OLD.status <> 'succeeded')
        EXECUTE FUNCTION account.allow_what_is_paid();
    `)
  }
}
