import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { jobSettings } from '../../../subgraphs/shared/database/sessions.ts'
import {
  type DeadLetter,
  listDeadLetters,
  retryDeadLetters,
} from '../../../subgraphs/shared/jobs/dead-letters.ts'
import { startWorker, type Worker } from '../../../subgraphs/shared/jobs/jobs.ts'
import { jobNamesOf } from '../../../subgraphs/shared/jobs/jobs-of-subgraphs.ts'
import { subgraphs, workerCaller } from './subgraphs.ts'

interface JobOptions {
  readonly workerUrl: string
  readonly execute: Execute
  readonly warn: (message: string, cause: unknown) => void
  readonly noteAttempt?: (operation: string, outcome: 'completed' | 'failed') => void
}

/** Runs the jobs of all subgraphs: each job is a persisted operation with its variables. */
export function startJobs({
  workerUrl: url,
  execute,
  warn,
  noteAttempt,
}: JobOptions): Promise<Worker> {
  return startWorker({
    url,
    warn,
    noteAttempt,
    sessionSettings: jobSettings,
    ...jobNamesOf(subgraphs),
    run: (operation, variables) => execute(operation, variables, workerCaller),
  })
}

/** Jobs that failed too often, oldest first. */
export function deadJobs(workerUrl: string): Promise<DeadLetter[]> {
  return listDeadLetters(workerUrl, jobSettings)
}

/** Retries these jobs, or those of one operation. Returns their number. */
export function retryDeadJobs(workerUrl: string, operation?: string): Promise<number> {
  return retryDeadLetters(workerUrl, jobSettings, operation)
}
