import { Migration } from '@mikro-orm/migrations'

/** Functions that run as the owner are for the service: until now every login of the database had these. */
export class LateEntriesCallers0013 extends Migration {
  override up(): void {
    this.addSql(`
      GRANT EXECUTE ON FUNCTION usage.has_late_entries, usage.limit_late_entries,
        usage.prove_late_entries TO gateway_service;
      REVOKE EXECUTE ON FUNCTION usage.has_late_entries, usage.limit_late_entries,
        usage.prove_late_entries FROM PUBLIC;
    `)
  }
}
