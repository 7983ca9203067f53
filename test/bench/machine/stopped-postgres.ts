import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentOf } from './cpu-time.ts'
import { withSession } from './sessions.ts'

/** Stops all sessions of an embedded PostgreSQL for so long, as a disk does that writes nothing. */
export async function stopPostgres(superuserUrl: string, ms: number): Promise<void> {
  const sessions = await withSession(superuserUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const server = parentOf(rows[0]?.pid ?? 0)
    return pidsOfAll().filter((pid) => isChildOf(pid, server))
  })
  signal(sessions, 'SIGSTOP')
  await sleep(ms)
  signal(sessions, 'SIGCONT')
}

function pidsOfAll(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function isChildOf(pid: number, parentPid: number): boolean {
  try {
    return parentOf(pid) === parentPid
  } catch {
    // It has ended.
    return false
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}
