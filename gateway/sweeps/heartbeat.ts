import type { Logger } from 'pino'
import type { KeyUse } from '../../rest-facade/callers/key-use.ts'
import type { RefusedCallers } from '../../rest-facade/callers/refused-callers.ts'
import type { UsageRecorder } from '../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { Ask } from '../books/compare-with-ledger.ts'
import { type PeriodicTask, startPeriodic } from './periodic.ts'

interface HeartbeatOptions {
  readonly execute: Execute
  readonly recorder: UsageRecorder
  readonly keyUse: KeyUse
  readonly trail: RefusedCallers
  /** Every charge names the process that made it. */
  readonly processId: string
  readonly log: Logger
}

/** Announces to the others that this process charges. */
export interface Heartbeat {
  /** Stops the tasks. Call `leave` afterwards, when nothing more can be charged or recorded. */
  readonly stop: () => Promise<void>
  /** Leaves it to the others to find this process silent when the entry of a charge is missing: they write it. */
  readonly leave: () => Promise<void>
}

const caller = serviceCaller()

/** Reports that this process lives, and regularly writes its counts about callers. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { execute, recorder, keyUse, trail, processId, log } = options
  const run: Ask = (operation, variables) => execute(operation, variables, caller)

  const tasks: PeriodicTask[] = [
    { name: 'note key use', intervalMs: 1000, run: keyUse.write },
    { name: 'record refused callers', intervalMs: 1000, run: trail.write },
    {
      name: 'report',
      intervalMs: 3000,
      async run() {
        await run('ReportFacade', { id: processId, isRecorded: recorder.isCaughtUp() })
      },
    },
  ]

  // The process reports itself before its first charge: the tasks that clean up after a crash must know it.
  await run('ReportFacade', { id: processId, isRecorded: true })
  const stopTasks = startPeriodic(tasks, log)
  return {
    async stop() {
      await stopTasks()
      try {
        await Promise.all([keyUse.write(), trail.writeAll()])
      } catch (error) {
        log.warn(
          { err: error },
          'Could not record the last uses of keys and the last refused callers',
        )
      }
    },
    async leave() {
      if (!recorder.isCaughtUp()) return
      try {
        await run('RemoveFacade', { id: processId })
      } catch (error) {
        // The others will find this process silent, with all its charges recorded.
        log.warn({ err: error }, 'Could not report that this process has stopped')
      }
    },
  }
}
