import pg from 'pg'
import { inject, vi } from 'vitest'
import { patience } from '../time/patience.ts'
import type { TestDatabase } from './database.ts'

/** Resolves when a session waits for the transaction whose statement has this text. */
type UntilOneWaits = (text?: string) => Promise<void>

interface Waiters<Result> {
  readonly started: (untilOneWaits: UntilOneWaits) => Promise<Result>
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
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const countWaiting = async (text = '') => {
      const sessions = await database.query(waitingFor, [rows[0]?.pid, patientMs / 1000, text])
      return sessions.length
    }
    const untilOneWaits: UntilOneWaits = async (text) => {
      await vi.waitUntil(async () => (await countWaiting(text)) > 0, patience)
    }
    await holder.query('BEGIN')
    await holder.query(sql, values)
    const work = started(untilOneWaits)
    if (waiting === 0) await work
    let isOver = false
    const over = () => {
      isOver = true
    }
    work.then(over, over)
    const seen = await vi.waitUntil(async () => {
      if (isOver && waiting > 0) return 'over'
      return (await countWaiting()) >= waiting ? 'waiting' : null
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

/**
 * The sessions that wait for session `$1`, or for one that waits for it, and whose statement has run for
 * `$2` seconds and has the text `$3`. Others wait for short locks of tasks.
 */
const waitingFor = `
  WITH RECURSIVE waiting (pid) AS (
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND $1 = ANY (pg_blocking_pids(pid))
    UNION
    SELECT a.pid FROM waiting w JOIN pg_stat_activity a ON w.pid = ANY (pg_blocking_pids(a.pid))
    WHERE a.datname = current_database()
  )
  SELECT FROM waiting JOIN pg_stat_activity a USING (pid)
  WHERE clock_timestamp() - a.query_start >= make_interval(secs => $2)
    AND strpos(a.query, $3) > 0`
