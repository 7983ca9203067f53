import { Migration } from '@mikro-orm/migrations'

/**
 * Expired credits are entered before a budget judges a request. It was entered and undone with the refusal: the
 * answer did not show these credits, and a read after it did.
 */
export class RefusedAfterExpiry0042 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE OR REPLACE FUNCTION account.refuse_exhausted(
        of_account text, of_environment text, amount bigint, of_request text, ttl int, request jsonb,
        key_hash text, request_hash text, key_ttl int, OUT verdict text, OUT available bigint,
        OUT answer jsonb, OUT body text
      ) LANGUAGE plpgsql VOLATILE AS $body$
      BEGIN
        PERFORM account.before_reserve(ARRAY[of_account], ARRAY[of_environment]);
        BEGIN
          SELECT r.verdict, r.available, r.answer, r.body INTO verdict, available, answer, body
            FROM account.reserve(ARRAY[of_account], ARRAY[of_environment], ARRAY[amount],
              ARRAY[of_request], ARRAY[1], ARRAY[amount], ARRAY[ttl], ARRAY[request],
              ARRAY[key_hash], ARRAY[request_hash], ARRAY[key_ttl]) r;
          IF verdict = 'accepted' THEN
            PERFORM account.refuse('a budget does not cover the request');
          END IF;
        EXCEPTION WHEN SQLSTATE 'GW001' THEN
          verdict := 'exhausted';
          available := available + amount;
        END;
      END $body$`)
  }
}
