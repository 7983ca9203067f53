import { Migration } from '@mikro-orm/migrations'

/**
 * The line of a call of a session ends with `true`, and an entry that is written from the line says so.
 * Earlier it was written as one of a key.
 */
export class SessionCalls0043 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE OR REPLACE FUNCTION account.request_of(endpoint text, call text) RETURNS jsonb
        LANGUAGE sql STABLE PARALLEL SAFE AS $body$
          SELECT jsonb_build_object('endpoint', endpoint, 'processId', c -> 0, 'ts', c -> 1,
            'method', c -> 2, 'route', c -> 3, 'service', c -> 4, 'traceId', c -> 5,
            'backendModule', c -> 6, 'keyId', c -> 7, 'clientId', c -> 8, 'externalId', c -> 9,
            'endUser', c -> 10, 'isSession', coalesce(c -> 11, 'false'))
          FROM (SELECT call::jsonb AS c) line
        $body$`)
  }
}
