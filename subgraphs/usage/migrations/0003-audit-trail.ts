import { Migration } from '@mikro-orm/migrations'

/** The audit trail: one row for each change, which the service can add but never alter. */
export class AuditTrail0003 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE usage.audit_event (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C",
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        occurred_at timestamptz(3) NOT NULL,
        actor_kind text NOT NULL
          CHECK (actor_kind IN ('key', 'oauth_client', 'internal', 'system', 'anonymous')),
        actor_id text COLLATE "C" NOT NULL,
        actor_role text,
        action text NOT NULL CHECK (action ~ '^[a-z_]+([.][a-z_]+)+$'),
        resource_id text COLLATE "C",
        address text,
        request_id text COLLATE "C",
        trace_id text,
        result text NOT NULL CHECK (result ~ '^([a-z_]+|[A-Z_]+)$'),
        details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
        recorded_at timestamptz(3) NOT NULL DEFAULT now(),
        CHECK ((actor_kind = 'internal') = (actor_role IS NOT NULL))
      );

      CREATE INDEX audit_event_account
        ON usage.audit_event (account_id, environment, id);

      GRANT SELECT, INSERT ON usage.audit_event TO gateway_service;
    `)
  }
}
