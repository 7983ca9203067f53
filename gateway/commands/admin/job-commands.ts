import type { Config } from '../../config/config.ts'
import { workerUrlsOf } from '../../launch/databases/store.ts'
import { deadJobs, retryDeadJobs } from '../../launch/supergraph/jobs.ts'
import { type Act, execute, type Output, print, toldOf, withStore } from './ask-database.ts'

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

/** Retries them. What is retried in the database of accounts has a line in the audit trail. */
export async function retryJobs(
  config: Config,
  { json, operation, ...act }: Act & { operation?: string },
): Promise<void> {
  const { retried } = await execute(
    config,
    'RetryJobs',
    { input: { operation, ...toldOf(act) } },
    act.by,
  )
  const counts = await withStore(config, ({ databases }) => {
    const own = databases.get('account')?.workerUrl
    const others = workerUrlsOf(databases).filter((url) => url !== own)
    return Promise.all(others.map((url) => retryDeadJobs(url, operation)))
  })
  print({ retried: counts.reduce((sum, count) => sum + count, retried) }, { json })
}
