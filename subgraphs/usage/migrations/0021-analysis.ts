import { Migration } from '@mikro-orm/migrations'
import { analyzeWhenDoubled } from '../../shared/migrating/analyze-when-doubled.ts'
import { securePartition } from './0005-usage-log-partitions.ts'

/** The partitions of the usage log, which cannot have it from the whole table, and those to come. */
export class Analysis0021 extends Migration {
  override up(): void {
    this.addSql(`
      CREATE OR REPLACE FUNCTION usage.add_partition(name text, from_id text, until_id text) RETURNS void
      LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
          EXECUTE format('CREATE TABLE usage.%I PARTITION OF usage.usage_log FOR VALUES FROM (%s) TO (%s)
            WITH (${analyzeWhenDoubled})', name,
            coalesce(quote_literal(from_id), 'MINVALUE'), coalesce(quote_literal(until_id), 'MAXVALUE'));
          EXECUTE format($sql$ ${securePartition} $sql$, name);
        END $body$`)
    this.addSql(`
      DO $body$
        DECLARE part regclass;
        BEGIN
          FOR part IN SELECT relid FROM pg_partition_tree('usage.usage_log') WHERE isleaf LOOP
            EXECUTE format('ALTER TABLE %s SET (${analyzeWhenDoubled})', part);
          END LOOP;
        END $body$`)
  }
}
