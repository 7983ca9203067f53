import { Migration } from '@mikro-orm/migrations'

/** As `lowestId`: an instant that no request id can spell counts as the first or last one that an id can. */
export class LowestRequestId0008 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE OR REPLACE FUNCTION usage.lowest_request_id(instant timestamptz) RETURNS text
      LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $body$
        SELECT 'req_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
          (ms >> 5 * digit & 31)::integer + 1, 1), '' ORDER BY digit DESC) || repeat('0', 16)
        FROM (SELECT least(greatest(floor(extract(epoch FROM instant) * 1000), 0),
            (1::bigint << 48) - 1)::bigint AS ms) i
          CROSS JOIN generate_series(0, 9) AS digit
      $body$;
    `)
  }
}
