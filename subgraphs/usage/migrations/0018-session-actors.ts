import { Migration } from '@mikro-orm/migrations'

/** People whom a portal link has signed in are actors of the audit trail. */
export class SessionActors0018 extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE usage.audit_event
        -- The narrow one was true of every row of before, so none is read.
        ADD CONSTRAINT audit_event_actor_kinds CHECK (actor_kind IN
          ('key', 'oauth_client', 'internal', 'system', 'anonymous', 'session')) NOT VALID,
        DROP CONSTRAINT audit_event_actor_kind_check;
    `)
  }
}
