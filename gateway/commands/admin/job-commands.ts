import type { Config } from '../../config/config.ts'
import { workerUrlsOf } from '../../launch/databases/store.ts'
import { deadJobs, retryDeadJobs } from '../../launch/supergraph/jobs.ts'
import { type Output, print, withStore } from './ask-database.ts'

/** Lists jobs that failed too often, with the reason. */
export async function listDeadJobs(config: Config, { json }: Output): Promise<void> {
  const letters = await withStore(config, ({ databases }) =>
    Promise.all(workerUrlsOf(databases).map(deadJobs)),
  )
  const rows = letters.flat().map(({ failedAt, ...letter }) => ({ ...letter, failed_at: failedAt }))
  if (json) return print(rows, { json })
  for (const row of rows) print(row, {})
  print({ jobs: rows.length }, {})
}

export async function retryJobs(
  config: Config,
  { json, operation }: Output & { operation?: string },
): Promise<void> {
  const counts = await withStore(config, ({ databases }) =>
    Promise.all(workerUrlsOf(databases).map((url) => retryDeadJobs(url, operation))),
  )
  print({ retried: counts.reduce((sum, count) => sum + count, 0) }, { json })
}
