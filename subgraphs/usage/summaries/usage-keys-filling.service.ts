import type { Database, Statement } from '../../shared/database/database.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import { repairUsageKeys } from './usage-repair.service.ts'
import type { UsageRepairPosition } from './usage-repair.type.ts'

/**
 * The persisted operation that adds entries to the sums by key if they are older than these sums.
 */
export const fillJob = 'RepairUsageKeys'

const takeUp: Statement = {
  name: 'fill-usage-keys-take-up',
  text: `
    SELECT jobs.enqueue('${fillJob}', '{}', now()) FROM usage.usage_key_extent
    WHERE complete_since > '-infinity' AND complete_since < now()
      AND NOT EXISTS (SELECT FROM jobs.unfinished('{${fillJob}}'))`,
}

const finish: Statement = {
  name: 'fill-usage-keys-finish',
  text: `UPDATE usage.usage_key_extent SET complete_since = '-infinity'`,
}

/**
 * Enqueues the job that fills the sums by key, if that is due and no such job is left. The job
 * begins anew.
 */
export async function takeUpFilling(database: Database): Promise<void> {
  await database.query(takeUp, [])
}

/**
 * Adds the entries of some hours of one log, and leaves the rest to another job, so that each is
 * short. It may be repeated, also at the same time: entries count once.
 */
export async function fillUsageKeys(
  database: Database,
  after: UsageRepairPosition | null,
): Promise<void> {
  const last = await repairUsageKeys(database, after)
  if (last) await enqueueJob(database, fillJob, { after: last })
  else await database.query(finish, [])
}
