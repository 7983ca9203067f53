import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import {
  findBinaries,
  type PostgresBinaries,
  type StartedProcess,
  startAsServiceUser,
} from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { patientlyConnected, type TestDatabase } from '../database/database.ts'
import { patience } from '../time/patience.ts'

/** A server that archives its WAL as deploy/README.md says, with the logins of deploy/postgres. */
export interface ArchivedPostgres {
  readonly database: TestDatabase
  /** The address of the superuser. */
  readonly url: string
  /** The folder of the WAL archive. */
  readonly archive: string
  /** Copies the running cluster, as `pg_basebackup` does, which npm's server comes without. */
  backUp(): Promise<void>
  /**
   * Does what `archive_timeout` does every minute: all commits so far are in the archive
   * afterwards.
   */
  archiveAll(): Promise<void>
  /** Kills the server and removes its cluster. */
  lose(): Promise<void>
  /**
   * Into an empty folder: the copy, then the archive; resolves when the server takes writes again.
   */
  restore(): Promise<void>
  close(): Promise<void>
}

const passwords = {
  'postgres-owner-password': 'owner-password-of-a-test',
  'postgres-service-password': 'service-password-of-a-test',
  'postgres-worker-password': 'worker-password-of-a-test',
}

/** The embedded server, unless the binaries of another version are given. */
export async function startArchivedPostgres(given?: PostgresBinaries): Promise<ArchivedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-deploy-'))
  chmodSync(folder, 0o755)
  const [cluster, backup, archive] = ['cluster', 'backup', 'archive'].map((name) => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    return path
  })
  if (!cluster || !backup || !archive) throw new Error('There are three folders.')
  const binaries = given ?? (await findBinaries())
  const { serviceUser } = binaries
  if (serviceUser) {
    for (const path of [cluster, archive]) chownSync(path, serviceUser.uid, serviceUser.gid)
  }
  const initdb = ['-D', cluster, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale']
  const made = startAsServiceUser(binaries.initdb, cluster, initdb)
  await Promise.race([made.exited, made.failed])
  const port = await freePort()
  const urlOf = (login: string, database = 'gateway') =>
    `postgres://${login}@127.0.0.1:${port}/${database}`

  async function query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> {
    return withClient(urlOf('postgres'), async (client) => (await client.query(sql, values)).rows)
  }

  async function start(...settings: string[]): Promise<StartedProcess> {
    const server = startAsServiceUser(binaries.postgres, String(cluster), [
      ...['-D', String(cluster), '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'log_min_messages=fatal', ...archiving(String(archive))],
      ...settings.flatMap((setting) => ['-c', setting]),
    ])
    await Promise.race([vi.waitUntil(isWritable, patience), server.failed])
    return server
  }

  async function isWritable(): Promise<boolean> {
    const sql = 'SELECT NOT pg_is_in_recovery() AS writable'
    return withClient(urlOf('postgres', 'postgres'), async (client) => {
      const { rows } = await client.query<{ writable: boolean }>(sql)
      return rows[0]?.writable ?? false
    }).catch(() => false)
  }

  let server = await start()
  await withClient(urlOf('postgres', 'postgres'), (client) =>
    client.query('CREATE DATABASE gateway'),
  )
  await query(loginsReadingFrom(folder))
  return {
    database: {
      ownerUrl: patientlyConnected(urlOf(`gateway_owner:${passwords['postgres-owner-password']}`)),
      serviceUrl: patientlyConnected(
        urlOf(`gateway_jobs:${passwords['postgres-worker-password']}`),
      ),
      query,
      drop: async () => {},
    },
    url: urlOf('postgres'),
    archive,
    // The backup lasts as long as the connection that began it.
    backUp: () =>
      withClient(urlOf('postgres'), async (client) => {
        await client.query("SELECT pg_backup_start('test', true)")
        copyRunning(cluster, backup)
        const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()')
        writeFileSync(join(backup, 'backup_label'), label.parse(rows[0]).labelfile)
      }),
    async archiveAll() {
      const [row] = await query('SELECT pg_walfile_name(pg_switch_wal()) AS name')
      const { name } = z.object({ name: z.string() }).parse(row)
      const isArchived = 'SELECT last_archived_wal >= $1 AS yes FROM pg_stat_archiver'
      await vi.waitUntil(async () => {
        const [archiver] = await query<{ yes: boolean | null }>(isArchived, [name])
        return archiver?.yes ?? false
      }, patience)
    },
    async lose() {
      const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
      // The children of the killed server notice that they are alone, and go: until then they may write.
      await vi.waitUntil(() => !existsSync(`/proc/${pid}`) && !isWorkedIn(cluster), patience)
      rmSync(cluster, { recursive: true, maxRetries: 10 })
    },
    async restore() {
      run('cp', '-a', backup, cluster)
      // Files of the running server and its WAL, which the archive has completely.
      rmSync(join(cluster, 'postmaster.pid'), { force: true })
      run('find', join(cluster, 'pg_wal'), '-type', 'f', '-delete')
      writeFileSync(join(cluster, 'recovery.signal'), '')
      run('chown', '--recursive', '--reference', join(cluster, 'PG_VERSION'), cluster)
      server = await start(`restore_command=cp ${archive}/%f %p`)
    },
    async close() {
      server.process.kill('SIGINT')
      await server.exited
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const label = z.object({ labelfile: z.string() })

const archived = z.object({
  services: z.object({ postgres: z.object({ command: z.array(z.string()) }) }),
})

/** The settings of deploy/compose.archive.yml, with an archive that is there. */
function archiving(archive: string): string[] {
  const text = readFileSync(join(projectRoot, 'deploy/compose.archive.yml'), 'utf8')
  const { command } = archived.parse(parse(text)).services.postgres
  const settings = command.filter((setting) => setting.startsWith('-carchive_'))
  return settings.map((setting) => setting.replaceAll('/backup/wal', archive))
}

/** The statements of docker-compose.yml's PostgreSQL, with files that are there. */
function loginsReadingFrom(folder: string): string {
  for (const [name, password] of Object.entries(passwords)) {
    writeFileSync(join(folder, name), `${password}\n`, { mode: 0o644 })
  }
  const file = join(projectRoot, 'deploy/postgres/logins.sql')
  return readFileSync(file, 'utf8').replaceAll('/run/secrets', folder)
}

/** Whether a process of the server is there still: each works in the server's folder. */
function isWorkedIn(folder: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder
    } catch {
      // No process, or one that has just ended.
      return false
    }
  })
}

/** Files may vanish meanwhile: PostgreSQL allows that in a base backup. */
function copyRunning(cluster: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', `${cluster}/.`, to], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const hasOnlyVanished = stderr
    .trim()
    .split('\n')
    .every((line) => line.endsWith('No such file or directory'))
  if (status !== 0 && !hasOnlyVanished) throw new Error(stderr)
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
