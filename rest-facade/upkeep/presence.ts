import type { Logger } from 'pino'
import { serviceCaller } from '../../schema/credentials/caller.ts'
import type { KeyUse } from '../callers/key-use.ts'
import type { AccessTrail } from '../callers/refused-callers.ts'
import type { Execute } from '../graph/graph-client.ts'
import type { UsageRecorder } from '../usage-log/usage-recorder.ts'
import { type PeriodicTask, startPeriodic } from '../work/periodic.ts'

interface PresenceOptions {
  readonly execute: Execute
  readonly recorder: UsageRecorder
  readonly keyUse: KeyUse
  readonly trail: AccessTrail
  /** Which process this is: every charge names the one that made it. */
  readonly processId: string
  readonly log: Logger
}

/** A process that charges, as the others know it. */
export interface Presence {
  /** Stops the tasks; then, once nothing more can be charged or recorded, takes leave. */
  readonly stop: () => Promise<void>
  readonly leave: () => Promise<void>
}

const caller = serviceCaller()

/** Says that this process lives, and writes down now and then what it has gathered about callers. */
export async function announcePresence(options: PresenceOptions): Promise<Presence> {
  const { execute, recorder, keyUse, trail, processId, log } = options
  const run = (operation: string, variables: Record<string, unknown>) =>
    execute(operation, variables, caller)

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

  // Before the first charge: whoever cleans up after a crash must know that we were there.
  await run('ReportFacade', { id: processId, isRecorded: true })
  const stopTasks = startPeriodic(tasks, log)
  return {
    async stop() {
      await stopTasks()
      try {
        await Promise.all([keyUse.write(), trail.writeAll()])
      } catch (error) {
        log.warn({ err: error }, 'Could not write down the last uses of keys and refused callers')
      }
    },
    async leave() {
      try {
        await run('RemoveFacade', { id: processId })
      } catch (error) {
        // The others will find us silent, and what we charged recorded.
        log.warn({ err: error }, 'Could not take leave of the database')
      }
    },
  }
}
