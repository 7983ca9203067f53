import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf } from './children.ts'

/**
 * Stops all processes of a PostgreSQL server but its first one for so long: as with a disk that
 * writes nothing, connections are accepted and no statement ends.
 */
export async function stopSessions(postmaster: number, ms: number): Promise<void> {
  const sessions = childrenOf(postmaster)
  signal(sessions, 'SIGSTOP')
  try {
    await sleep(ms)
  } finally {
    signal(sessions, 'SIGCONT')
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // The process has ended.
    }
  }
}
