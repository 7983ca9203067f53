import { Migration } from '@mikro-orm/migrations'

/**
 * Grants that expire, in the order in which they burn. The credits left at the end are entered as
 * expiry.
 */
export class ExpiringGrants0004 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE account.balance
        -- When the next grant expires: most balances have none, and nothing else is asked of them.
        ADD COLUMN next_expiry_at timestamptz(3),
        -- Credits that left the balance up to this entry have been taken from the grants below.
        ADD COLUMN burnt_seq bigint NOT NULL DEFAULT 0;
      CREATE INDEX balance_next_expiry_at ON account.balance (next_expiry_at)
        WHERE next_expiry_at IS NOT NULL;

      CREATE TABLE account.expiring_grant (
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        seq bigint NOT NULL,
        -- The lowest burns first; among equals the soonest to expire, then the oldest.
        priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 100),
        expires_at timestamptz(3) NOT NULL,
        remaining bigint NOT NULL CHECK (remaining > 0),
        PRIMARY KEY (account_id, environment, seq)
      );

      -- All functions here are called with the balance's row locked.

      -- Takes credits from the grants of one balance, in their order; used-up ones go.
      CREATE FUNCTION account.take_from_grants(
        of_account text, of_environment text, amount bigint, until timestamptz
      ) RETURNS void LANGUAGE sql VOLATILE AS $body$
        WITH share AS (
          SELECT seq, remaining, least(remaining, greatest(0, amount -
            (sum(remaining) OVER (ORDER BY priority, expires_at, seq) - remaining)))::bigint AS taken
          FROM account.expiring_grant
          WHERE account_id = of_account AND environment = of_environment AND expires_at <= until
        ), used_up AS (
          DELETE FROM account.expiring_grant g USING share s
          WHERE g.account_id = of_account AND g.environment = of_environment
            AND g.seq = s.seq AND s.taken = s.remaining
        )
        UPDATE account.expiring_grant g SET remaining = g.remaining - s.taken FROM share s
        WHERE g.account_id = of_account AND g.environment = of_environment
          AND g.seq = s.seq AND s.taken < s.remaining
      $body$;

      -- Catches up: between two such moments the grants were the same, so the order of charges
      -- within does not matter, only their sum.
      CREATE FUNCTION account.burn_grants(of_account text, of_environment text) RETURNS void
      LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        spent bigint;
      BEGIN
        SELECT coalesce(-sum(e.credits), 0) INTO spent
          FROM account.balance b JOIN account.ledger_entry e USING (account_id, environment)
          WHERE b.account_id = of_account AND b.environment = of_environment
            AND e.seq > b.burnt_seq AND e.credits < 0 AND e.kind <> 'expiry';
        PERFORM account.take_from_grants(of_account, of_environment, spent, 'infinity');
        UPDATE account.balance b SET burnt_seq = b.last_seq,
          next_expiry_at = (SELECT min(g.expires_at) FROM account.expiring_grant g
            WHERE g.account_id = of_account AND g.environment = of_environment)
          WHERE b.account_id = of_account AND b.environment = of_environment;
      END $body$;

      -- Enters what is over; what an open hold may still use waits for the hold.
      CREATE FUNCTION account.expire_grants(of_account text, of_environment text)
      RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        owner account.balance;
        due bigint;
      BEGIN
        PERFORM account.burn_grants(of_account, of_environment);
        SELECT coalesce(sum(g.remaining), 0) INTO due FROM account.expiring_grant g
          WHERE g.account_id = of_account AND g.environment = of_environment
            AND g.expires_at <= now();
        SELECT * INTO owner FROM account.balance b
          WHERE b.account_id = of_account AND b.environment = of_environment;
        due := least(due, owner.balance - owner.held);
        IF due = 0 THEN RETURN; END IF;
        PERFORM account.post_entry(of_account, of_environment, 'expiry', -due, 'Expired credits',
          'expiry:' || (owner.last_seq + 1),
          'led_0' || substr(md5(of_account || of_environment || owner.last_seq), 1, 25));
        PERFORM account.take_from_grants(of_account, of_environment, due, now());
        PERFORM account.burn_grants(of_account, of_environment);
      END $body$;

      -- A grant that ends: what was spent before cannot be taken from it.
      CREATE FUNCTION account.post_expiring_entry(
        to_account text, to_environment text, new_kind text, amount bigint, new_description text,
        new_ref text, new_id text, ends_at timestamptz, burn_priority int
      ) RETURNS TABLE (is_new boolean, entry account.ledger_entry)
      LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        posted record;
      BEGIN
        PERFORM account.lock_balances(ARRAY[to_account], ARRAY[to_environment]);
        IF ends_at IS NOT NULL THEN
          PERFORM account.burn_grants(to_account, to_environment);
        END IF;
        FOR posted IN SELECT * FROM account.post_entry(to_account, to_environment, new_kind, amount,
          new_description, new_ref, new_id)
        LOOP
          IF posted.is_new AND ends_at IS NOT NULL THEN
            INSERT INTO account.expiring_grant
              (account_id, environment, seq, priority, expires_at, remaining)
              VALUES (to_account, to_environment, (posted.entry).seq, burn_priority, ends_at, amount);
            PERFORM account.burn_grants(to_account, to_environment);
          END IF;
          is_new := posted.is_new;
          entry := posted.entry;
          RETURN NEXT;
        END LOOP;
      END $body$;

      -- A new call must not spend what is over.
      CREATE OR REPLACE FUNCTION account.before_reserve(account_ids text[], environments text[])
      RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        owner record;
      BEGIN
        FOR owner IN
          SELECT b.account_id, b.environment FROM account.balance b
          WHERE (b.account_id, b.environment) IN (SELECT * FROM unnest(account_ids, environments))
            AND b.next_expiry_at <= now()
        LOOP
          PERFORM account.expire_grants(owner.account_id, owner.environment);
        END LOOP;
      END $body$;

      -- For the background: a few balances with something due, so that their locks are held for a
      -- moment only; those in use are skipped. \`last_id\` is where to go on.
      CREATE FUNCTION account.expire_due_grants(
        most int, after_id text, OUT done int, OUT last_id text
      ) LANGUAGE plpgsql VOLATILE AS $body$
      DECLARE
        owner record;
      BEGIN
        done := 0;
        FOR owner IN
          SELECT account_id, environment FROM account.balance
          WHERE next_expiry_at <= now() AND account_id > after_id
          ORDER BY account_id, environment LIMIT most FOR UPDATE SKIP LOCKED
        LOOP
          done := done + 1;
          last_id := owner.account_id;
          PERFORM account.expire_grants(owner.account_id, owner.environment);
        END LOOP;
      END $body$;

      GRANT SELECT, INSERT, UPDATE, DELETE ON account.expiring_grant TO gateway_service;
    `)
  }
}
