import { Migration } from '@mikro-orm/migrations'

/** The head of a chain is never removed or turned back: it is what tells that newer events are missing. */
export class AuditHeads0011 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TRIGGER never_removed BEFORE DELETE ON usage.audit_chain
        FOR EACH ROW EXECUTE FUNCTION usage.refuse_rewriting();
      CREATE TRIGGER never_removed_whole BEFORE TRUNCATE ON usage.audit_chain
        FOR EACH STATEMENT EXECUTE FUNCTION usage.refuse_rewriting();
      CREATE TRIGGER only_forward BEFORE UPDATE ON usage.audit_chain
        FOR EACH ROW WHEN (NEW.last_seq <= OLD.last_seq OR NEW.chain <> OLD.chain)
        EXECUTE FUNCTION usage.refuse_rewriting();`)
  }
}
