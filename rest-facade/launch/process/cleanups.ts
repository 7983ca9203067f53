import type { Logger } from 'pino'

/** What has to be undone, in reverse, when a start fails half-way or the process stops. */
export interface Cleanups {
  add(cleanup: () => Promise<void> | void): void
  readonly run: () => Promise<void>
}

export function createCleanups(log: Logger): Cleanups {
  const cleanups: (() => Promise<void> | void)[] = []
  return {
    add: (cleanup) => void cleanups.push(cleanup),
    async run() {
      for (const cleanup of cleanups.splice(0).reverse()) {
        try {
          await cleanup()
        } catch (error) {
          // What comes after must be stopped all the same.
          log.error({ err: error }, 'A part did not stop properly')
        }
      }
    },
  }
}

/** Runs a start; what it began is undone if it fails. */
export async function startOrUndo<Started>(
  cleanups: Cleanups,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start()
  } catch (error) {
    await cleanups.run()
    throw error
  }
}
