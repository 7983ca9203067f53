import { Migration } from '@mikro-orm/migrations'

/**
 * How long the build of an index waits for a lock. Its wait blocks no other session, and the
 * longest reads take ten minutes.
 */
const buildLockTimeoutMs = 15 * 60_000

/**
 * A step that makes one index while its table is written to, also on a partitioned table. It is not
 * a transaction: after an interruption at any moment, its repetition goes on from there. The
 * remains of a failed build are dropped.
 */
export abstract class ConcurrentIndex extends Migration {
  /** The name of the table, with its schema. */
  protected abstract readonly table: string
  /** The name of the index, without a schema: an index has the schema of its table. */
  protected abstract readonly index: string
  /** The text after `ON table`. */
  protected abstract readonly definition: string
  protected readonly isUnique: boolean = false

  override isTransactional(): boolean {
    return false
  }

  override async up(): Promise<void> {
    const [partitioned] = await this.execute(
      `SELECT FROM pg_partitioned_table WHERE partrelid = '${this.table}'::regclass`,
    )
    if (partitioned) await this.#buildOfPartitions()
    else await this.#build(this.table, this.index)
  }

  /**
   * The statement for a table that nobody uses yet. PostgreSQL gives the indexes of partitions their
   * names, as it does when a partition is added.
   */
  statementForNewTable(): string {
    return `CREATE ${this.#kind} ${this.index} ON ${this.table} ${this.definition}`
  }

  /**
   * Builds the index of each partition, because PostgreSQL cannot build that of a whole partitioned
   * table concurrently.
   */
  async #buildOfPartitions(): Promise<void> {
    const whole = this.#qualified(this.index)
    // Partitions that are added from now on get the index when they are made.
    await this.execute(
      `CREATE ${this.#kind} IF NOT EXISTS ${this.index} ON ONLY ${this.table} ${this.definition}`,
    )
    const without = await this.execute(
      `SELECT p.relid::regclass::text AS table, c.relname AS name
       FROM pg_partition_tree('${this.table}') p JOIN pg_class c ON c.oid = p.relid
       WHERE p.isleaf AND NOT EXISTS (
         SELECT FROM pg_index i JOIN pg_inherits h ON h.inhrelid = i.indexrelid
         WHERE i.indrelid = p.relid AND h.inhparent = '${whole}'::regclass)`,
    )
    for (const { table, name } of without) {
      const part = `${this.index}_${name}`
      await this.#build(table, part)
      await this.execute(`ALTER INDEX ${whole} ATTACH PARTITION ${this.#qualified(part)}`)
    }
  }

  async #build(table: string, index: string): Promise<void> {
    const [built] = await this.execute(
      `SELECT FROM pg_index WHERE indexrelid = to_regclass('${this.#qualified(index)}') AND indisvalid`,
    )
    if (built) return
    const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${this.#qualified(index)}`
    // Only migrations use this session.
    await this.execute(`SET lock_timeout = ${buildLockTimeoutMs}`)
    try {
      await this.execute(drop)
      await this.execute(
        `CREATE ${this.#kind} CONCURRENTLY ${index} ON ${table} ${this.definition}`,
      )
    } catch (error) {
      // Writes maintain an invalid index too, and a unique one refuses some of them.
      await this.execute(drop)
      throw error
    } finally {
      await this.execute('RESET lock_timeout')
    }
  }

  #qualified(index: string): string {
    return `${this.table.split('.')[0]}.${index}`
  }

  get #kind(): string {
    return this.isUnique ? 'UNIQUE INDEX' : 'INDEX'
  }
}
