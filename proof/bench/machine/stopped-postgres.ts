import { stopSessions } from '../../../test/support/processes/stopped-postgres.ts'
import { parentOf } from './cpu-time.ts'
import { withSession } from './sessions.ts'

/** Stops all sessions of an embedded PostgreSQL for so long, as a disk does that writes nothing. */
export async function stopPostgres(superuserUrl: string, ms: number): Promise<void> {
  const postmaster = await withSession(superuserUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return parentOf(rows[0]?.pid ?? 0)
  })
  await stopSessions(postmaster, ms)
}
