import type { Storage } from '../database/database.ts'
import { auditJob, eventJob, type JobNames } from './jobs.ts'

/** The names of all operations that can be jobs, in any subgraph. */
export function jobNamesOf(storages: readonly Storage[]): JobNames {
  return {
    operations: [auditJob, eventJob, ...storages.flatMap(({ jobs = [] }) => jobs)],
    longOperations: storages.flatMap(({ longJobs = [] }) => longJobs),
  }
}
