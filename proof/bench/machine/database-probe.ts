import pg from 'pg'
import { cpuUsOfTree, parentOf, shortLivedUsOf } from './cpu-time.ts'

/** The work of a PostgreSQL server on this machine so far. */
export interface DatabaseWork {
  /** The CPU time of the whole tree of its processes, ended ones included. */
  readonly cpuUs: number
  /** The part of it of autovacuum workers, and of sessions that have ended. */
  readonly shortLivedUs: number
  readonly walBytes: number
  /** Commits, as far as sessions have reported them, which they do once a second. */
  readonly commits: number
}

export interface DatabaseProbe {
  read(): Promise<DatabaseWork>
  close(): Promise<void>
}

export async function openDatabaseProbe(url: string): Promise<DatabaseProbe> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // The server is the parent of all its sessions.
  const serverPid = parentOf(rows[0]?.pid ?? 0)
  return {
    async read() {
      const { rows: found } = await client.query<{ wal: string; commits: string }>(
        `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal,
          (SELECT sum(xact_commit) FROM pg_stat_database) AS commits`,
      )
      const [now] = found
      return {
        cpuUs: cpuUsOfTree(serverPid),
        shortLivedUs: shortLivedUsOf(serverPid),
        walBytes: Number(now?.wal),
        commits: Number(now?.commits),
      }
    },
    close: () => client.end(),
  }
}
