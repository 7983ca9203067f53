import { Migration } from '@mikro-orm/migrations'

/** How anything becomes a job, in the transaction of the change that it belongs to. */
export class Enqueue0001 extends Migration {
  override up(): void {
    this.addSql(`
      -- As pg-boss inserts: the settings of a queue go for its jobs, and a waiting worker is woken.
      CREATE OR REPLACE FUNCTION jobs.enqueue(operation text, variables jsonb, at timestamptz)
      RETURNS void LANGUAGE plpgsql VOLATILE AS $body$
      BEGIN
        INSERT INTO jobs.job (name, data, start_after, keep_until, policy, retry_limit, retry_delay,
          retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, dead_letter)
        SELECT q.name, variables, at, at + q.retention_seconds * interval '1 s', q.policy,
          q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max, q.expire_seconds,
          q.deletion_seconds, q.dead_letter
        FROM jobs.queue q WHERE q.name = operation;
        IF NOT FOUND THEN RAISE EXCEPTION 'No queue is named %.', operation; END IF;
        IF at <= now() THEN
          PERFORM pg_notify('pgboss_' || left(encode(sha224('jobs'), 'hex'), 24), operation);
        END IF;
      END $body$;

      -- A pg-boss with tables that are new needs a step like this one.
      GRANT USAGE ON SCHEMA jobs TO gateway_service;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA jobs TO gateway_service;
      REVOKE INSERT, UPDATE, DELETE ON jobs.migration FROM gateway_service;
    `)
  }
}
