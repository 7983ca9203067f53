import { vi } from 'vitest'
import { patience } from '../time/patience.ts'
import type { TestDatabase } from './database.ts'

/** Waits until a job of this name has failed, and makes its next attempt due: it would wait for seconds. */
export async function makeRetryDue(
  database: Pick<TestDatabase, 'query'>,
  name: string,
): Promise<void> {
  await vi.waitUntil(async () => {
    const moved = await database.query(
      `UPDATE jobs.job SET start_after = now() WHERE name = $1 AND state = 'retry' RETURNING id`,
      [name],
    )
    return moved.length > 0
  }, patience)
}
