import pg from 'pg'
import { inject, vi } from 'vitest'
import { patience } from '../time/patience.ts'
import type { TestDatabase } from './database.ts'

interface Waiters<Result> {
  readonly started: () => Promise<Result>
  /** Without it, the transaction stays open until the work is done. */
  readonly waiting?: number
  /** Only sessions count whose statement has run for so long. */
  readonly patientMs?: number
}

/**
 * Runs SQL in a transaction that stays open while `started` works, until so many sessions wait for
 * its locks; then commits. Returns what comes of the work; throws if that was over before it waited.
 */
export async function whileHeld<Result>(
  database: TestDatabase,
  [sql, values]: readonly [sql: string, values: unknown[]],
  { started, waiting = 0, patientMs = 0 }: Waiters<Result>,
): Promise<Result> {
  const url = new URL(inject('superuserUrl'))
  url.pathname = new URL(database.ownerUrl).pathname
  const holder = new pg.Client({ connectionString: url.href })
  await holder.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(sql, values)
    const work = started()
    if (waiting === 0) await work
    let isOver = false
    const over = () => {
      isOver = true
    }
    work.then(over, over)
    const seen = await vi.waitUntil(async () => {
      if (isOver && waiting > 0) return 'over'
      return (await countWaiting(database, patientMs)) >= waiting ? 'waiting' : null
    }, patience)
    if (seen === 'over') {
      await work
      throw new Error('The work was over before it was seen to wait.')
    }
    await holder.query('COMMIT')
    return await work
  } finally {
    await holder.end()
  }
}

/** Resolves when a session of this database waits for a lock. */
export async function untilOneWaits(database: TestDatabase): Promise<void> {
  await vi.waitUntil(async () => (await countWaiting(database)) > 0, patience)
}

/** The sessions that wait for a lock, and whose statement has run for so long. */
async function countWaiting(database: TestDatabase, patientMs = 0): Promise<number> {
  const sessions = await database.query(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND clock_timestamp() - query_start >= make_interval(secs => $1)`,
    [patientMs / 1000],
  )
  return sessions.length
}
