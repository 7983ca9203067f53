import type { Database, Statement } from '../../shared/database/database.ts'
import { isCounted } from '../callers/caller-columns.ts'

const open = 'ARRAY(SELECT epoch FROM usage.usage_epoch)'

/** An SQL condition on entries of the log: the sums have them. */
export const isInSums = `${isCounted} AND epoch <> ALL (${open})`

/**
 * SQL after FROM: the entries of account `$1` in environment `$2` that no sum has yet. They cover
 * some minutes at most, so few rows are read by the key of the log.
 */
export const entriesInNoSum = `usage.usage_log
    WHERE account_id = $1 AND environment = $2 AND epoch = ANY (${open})
      AND request_id >= (SELECT min(from_id) FROM usage.usage_epoch)`

const openEpoch: Statement = {
  name: 'open-usage-epoch',
  text: `INSERT INTO usage.usage_epoch (from_id, from_at) VALUES ($1, $2) RETURNING epoch`,
}

/** The oldest of the entries that will be recorded first. */
export interface OldestEntry {
  readonly requestId: string
  readonly arrivedAtMs: number
}

/** Opens an epoch for one process. Returns its number. */
export async function openUsageEpoch(
  database: Database,
  { requestId, arrivedAtMs }: OldestEntry,
): Promise<number> {
  const [row] = await database.query<{ epoch: number }>(openEpoch, [
    requestId,
    new Date(arrivedAtMs),
  ])
  if (!row) throw new Error('No epoch was opened.')
  return row.epoch
}

/** A live process ends its own epoch after a minute. */
const abandonedSeconds = 120

const abandonedEpochs: Statement = {
  name: 'abandoned-usage-epochs',
  text: `
    SELECT epoch FROM usage.usage_epoch
    WHERE started_at < now() - interval '${abandonedSeconds} s' ORDER BY epoch`,
}

const oldestEpoch: Statement = {
  name: 'oldest-usage-epoch',
  text: `
    SELECT coalesce(extract(epoch FROM now() - min(started_at)), 0)::int AS seconds
    FROM usage.usage_epoch`,
}

/**
 * A transaction that adds an epoch to the sums holds this lock until its end; `usage.fold_epoch`
 * takes it too.
 */
const isMyTurn = 'pg_try_advisory_xact_lock(7462004)'

const foldEpoch: Statement = { name: 'fold-usage-epoch', text: 'SELECT usage.fold_epoch($1)' }

const foldEpochUnlocked: Statement = {
  name: 'fold-usage-epoch-unlocked',
  text: `SELECT usage.fold_epoch($1) WHERE ${isMyTurn}`,
}

/**
 * Ends an epoch and adds its entries to the sums, unless that was done before. Waits for the lock.
 */
export async function foldUsageEpoch(database: Database, epoch: number): Promise<void> {
  await database.runLong(foldEpoch, [epoch])
}

/**
 * Ends all epochs whose process seems to be dead, and adds their entries to the sums. Skips epochs
 * that another process handles now. Returns their number. If one failed, it throws after the last
 * one.
 */
export async function foldAbandonedUsage(database: Database): Promise<number> {
  const rows = await database.query<{ epoch: number }>(abandonedEpochs, [])
  const failures: unknown[] = []
  for (const { epoch } of rows) {
    try {
      await database.runLong(foldEpochUnlocked, [epoch])
    } catch (error) {
      failures.push(error)
    }
  }
  const [failure] = failures
  if (failure) throw failure
  return rows.length
}

/** The age of the oldest open epoch; 0 without any. */
export async function oldestUsageEpochSeconds(database: Database): Promise<number> {
  const [oldest] = await database.query<{ seconds: number }>(oldestEpoch, [])
  return oldest?.seconds ?? 0
}
