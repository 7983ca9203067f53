import { Migration } from '@mikro-orm/migrations'
import { analyzeWhenDoubled } from '../../shared/migrating/analyze-when-doubled.ts'

/** Each charge adds rows to these. */
export class Analysis0044 extends Migration {
  override up(): void {
    for (const table of ['ledger_entry', 'idempotency_key']) {
      this.addSql(`ALTER TABLE account.${table} SET (${analyzeWhenDoubled})`)
    }
  }
}
