import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import {
  type PostgresBinaries,
  type StartedProcess,
  startAsServiceUser,
} from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { askOnce } from '../database/ask-once.ts'
import { patientlyConnected, type TestDatabase } from '../database/database.ts'
import { binariesIn } from '../database/postgres-binaries.ts'
import { until } from '../time/until.ts'
import { stopSessions } from './stopped-postgres.ts'

/** A PostgreSQL server of the test's own, to be crashed and started again on the same port. */
export interface OwnPostgres {
  readonly database: TestDatabase
  /**
   * SIGQUIT is `pg_ctl stop -m immediate`; either way nothing is flushed and clients get no notice.
   */
  crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** For so long no statement ends, as with a disk that writes nothing. */
  stall(ms: number): Promise<void>
  /** Kills one connection's process: the server then restarts all of them by itself. */
  killOneBackend(): Promise<void>
  /** False once the server has ended as a whole, not only its connections. */
  isRunning(): boolean
  /** Starts the crashed server; resolves when it answers. */
  start(): Promise<void>
  close(): Promise<void>
}

interface OwnPostgresOptions {
  /** The binaries of another version; by default those of the run. */
  readonly binaries?: PostgresBinaries | undefined
  /** Where its folder is made. */
  readonly parent?: string
  /** Parameters of PostgreSQL that a reload changes, as `SHOW` prints them: `{ wal_writer_delay: '10s' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function startOwnPostgres(options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const { parent = tmpdir() } = options
  const folder = mkdtempSync(join(parent, 'gateway-fault-'))
  const cluster = join(folder, 'postgres')
  const binaries = options.binaries ?? (await binariesIn(process.env.TEST_POSTGRES))
  const first = await startEmbeddedPostgres(folder, binaries)
  const { port } = new URL(first.superuserUrl)
  let restarted: StartedProcess | null = null

  function query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const url = new URL(first.superuserUrl)
    url.pathname = '/gateway'
    return askOnce<Row>(url.href, sql, values)
  }

  async function set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await query(`ALTER SYSTEM SET ${name} = '${value}'`)
      await query('SELECT pg_reload_conf()')
      await until(async () => {
        const [row] = await query<{ value: string }>('SELECT current_setting($1) AS value', [name])
        return row?.value === value
      })
    }
  }

  function postmaster(): number {
    return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  async function answers(): Promise<boolean> {
    return query('SELECT 1').then(
      () => true,
      () => false,
    )
  }

  await set(options.settings ?? {})
  return {
    database: {
      ownerUrl: first.ownerUrl,
      serviceUrl: patientlyConnected(first.workerUrl),
      isDisturbed: true,
      query,
      drop: async () => {},
    },
    async crash(signal) {
      const pid = postmaster()
      process.kill(pid, signal)
      await until(() => !existsSync(`/proc/${pid}`))
    },
    stall: (ms) => stopSessions(postmaster(), ms),
    async killOneBackend() {
      const [row] = await query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'credit-gateway account%' LIMIT 1",
      )
      if (!row) throw new Error('The gateway has no connection that could be killed.')
      process.kill(row.pid, 'SIGKILL')
      // The backend goes on until the server has noticed.
      await until(() => !existsSync(`/proc/${row.pid}`))
    },
    isRunning() {
      const [pid = ''] = readIfThere(join(cluster, 'postmaster.pid')).split('\n')
      return pid !== '' && existsSync(`/proc/${pid}`)
    },
    async start() {
      let server: StartedProcess | null = null
      await until(async () => {
        // The first attempts end at once while the old server's processes still go.
        if (!server || server.process.exitCode !== null) {
          server = startAsServiceUser(binaries.postgres, cluster, [
            ...['-D', cluster, '-p', port],
            ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
            ...['-c', 'max_connections=200', '-c', 'log_min_messages=fatal'],
          ])
          restarted = server
        }
        return answers()
      })
    },
    async close() {
      restarted?.process.kill('SIGINT')
      await restarted?.exited
      await first.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
