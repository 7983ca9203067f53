import { Migration } from '@mikro-orm/migrations'
import { doneChanges } from '../../shared/changes/change.ts'
import { isolateTenants } from '../../shared/database/tenant.ts'

/** Exports of the audit trail and of the usage log, and what has a change of them happen once. */
export class AuditExport0007 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE usage.audit_export (
        id text COLLATE "C" PRIMARY KEY,
        account_id text COLLATE "C" NOT NULL,
        environment text NOT NULL CHECK (environment IN ('live', 'sandbox')),
        kind text NOT NULL CHECK (kind IN ('activity', 'requests')),
        from_at timestamptz(3),
        to_at timestamptz(3),
        service text,
        status_class smallint CHECK (status_class BETWEEN 1 AND 5),
        actor text,
        status text NOT NULL DEFAULT 'queued'
          CHECK (status IN ('queued', 'running', 'completed', 'failed')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        started_at timestamptz(3),
        completed_at timestamptz(3),
        row_count bigint CHECK (row_count >= 0),
        error text,
        -- How often a worker has begun. It is part of the file's name: no two workers write the same one.
        attempt integer NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        -- Until then it is the worker's of the last attempt.
        lease_until timestamptz(3),
        -- Null while there is none, and again when it is deleted.
        file text,
        kept_until timestamptz(3),
        CHECK (to_at > from_at),
        CHECK (kind = 'requests' OR service IS NULL AND status_class IS NULL),
        CHECK (kind = 'activity' OR actor IS NULL),
        CHECK ((status = 'failed') = (error IS NOT NULL)),
        CHECK ((status IN ('completed', 'failed')) = (completed_at IS NOT NULL)),
        CHECK (file IS NULL OR status = 'completed')
      );

      CREATE INDEX audit_export_account ON usage.audit_export (account_id, environment, id);
      CREATE INDEX audit_export_kept_until ON usage.audit_export (kept_until)
        WHERE kept_until IS NOT NULL;

      -- Text as a cell of RFC 4180 that no spreadsheet takes for a formula.
      CREATE FUNCTION usage.csv_cell(value text) RETURNS text
      LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
        SELECT CASE WHEN cell ~ E'[",\\\\r\\\\n]' THEN '"' || replace(cell, '"', '""') || '"' ELSE cell END
        FROM (SELECT CASE WHEN value ~ E'^[-=+@\\\\t\\\\r]' THEN '''' || value ELSE value END AS cell) c
      $body$;

      GRANT SELECT, INSERT, UPDATE, DELETE ON usage.audit_export TO gateway_service;
      ${doneChanges('usage')}
    `)
    this.addSql(isolateTenants('usage', ['audit_export', 'done_change']))
  }
}
